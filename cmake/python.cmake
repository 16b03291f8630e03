# What the Python package takes from this build (pyproject.toml): the library, the data, and three modules written from the public
# headers, so that no declaration is written twice. Everything lies in `myriapod/`; a wheel needs no more.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(headers "${PROJECT_SOURCE_DIR}/include/myriapod")
set(written "${PROJECT_BINARY_DIR}/python")
file(GLOB header_files CONFIGURE_DEPENDS "${headers}/*.h" "${headers}/*.def")
file(MAKE_DIRECTORY "${written}")

# Without the compiler's own words and with empty system headers what is left are plain C declarations.
add_custom_command(OUTPUT "${written}/_myriapod_ffi.py" "${written}/_fields.py" "${written}/_geoms.py"
    COMMAND "${CMAKE_C_COMPILER}" -E -P -nostdinc -U__GNUC__ -x c -I "${PROJECT_SOURCE_DIR}/python/stubs" "${headers}/myriapod.h" -o "${written}/declarations.h"
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/python/write_modules.py" "${written}/declarations.h" "${headers}/batch.h" "${written}"
    DEPENDS ${header_files} "${PROJECT_SOURCE_DIR}/python/write_modules.py"
    COMMENT "Writing the Python declarations" VERBATIM)
add_custom_target(myriapod_python DEPENDS "${written}/_myriapod_ffi.py" "${written}/_fields.py" "${written}/_geoms.py")

install(TARGETS myriapod LIBRARY DESTINATION myriapod/lib COMPONENT python)
install(FILES "${written}/_myriapod_ffi.py" "${written}/_fields.py" "${written}/_geoms.py" DESTINATION myriapod COMPONENT python)
install(DIRECTORY docs/ DESTINATION myriapod/pages COMPONENT python FILES_MATCHING PATTERN "*.md" PATTERN "site" EXCLUDE PATTERN "images" EXCLUDE)
install(DIRECTORY robots profiles DESTINATION myriapod COMPONENT python FILES_MATCHING PATTERN "*.urdf" PATTERN "*.xml" PATTERN "*.json" PATTERN "*.csv" PATTERN "*.md")
