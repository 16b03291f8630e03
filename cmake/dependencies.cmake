# What Myriapod stands on. Everything comes from the system's packages; nothing is downloaded by the build.
find_package(PkgConfig QUIET)
if(NOT PKG_CONFIG_FOUND)
    message(FATAL_ERROR "pkg-config is missing. On Debian or Ubuntu run `make deps`; elsewhere install pkg-config.")
endif()

set(missing "")
# prefix, pkg-config module, what it is for
function(myr_require prefix module purpose)
    pkg_check_modules(${prefix} QUIET IMPORTED_TARGET GLOBAL ${module})
    if(${prefix}_FOUND)
        message(STATUS "${module} ${${prefix}_VERSION}: ${purpose}")
    else()
        list(APPEND missing "${module} (${purpose})")
    endif()
    set(missing "${missing}" PARENT_SCOPE)
    set(${prefix}_VERSION "${${prefix}_VERSION}" PARENT_SCOPE)
    set(${prefix}_LDFLAGS "${${prefix}_LDFLAGS}" PARENT_SCOPE)
endfunction()

myr_require(SLEEF sleef "lane math, the same bits on every instruction set")
myr_require(HWLOC hwloc "topology and pinning")
myr_require(EXPAT expat "URDF files")
myr_require(JANSSON jansson "JSON files")
if(MYRIAPOD_TESTS)
    myr_require(CMOCKA cmocka "tests, which -DMYRIAPOD_TESTS=OFF leaves out")
endif()

find_package(OpenMP COMPONENTS C QUIET)
if(NOT OpenMP_C_FOUND)
    list(APPEND missing "OpenMP for ${CMAKE_C_COMPILER} (threads; with clang 14: libomp-14-dev)")
endif()
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h DOC "Where Random123/philox.h is")
mark_as_advanced(RANDOM123_INCLUDE_DIR)
if(NOT RANDOM123_INCLUDE_DIR)
    list(APPEND missing "Random123 (counter-based random streams, headers only)")
endif()

if(missing)
    list(JOIN missing "\n  " missing_lines)
    message(FATAL_ERROR "Myriapod needs these and cannot find them:\n  ${missing_lines}\n"
        "On Debian or Ubuntu run `make deps`: it installs them, or prints the command that does. CONTRIBUTING.md has the list.")
endif()

add_library(myriapod_random123 INTERFACE)
target_include_directories(myriapod_random123 SYSTEM INTERFACE "${RANDOM123_INCLUDE_DIR}")
set(MYR_DEPENDENCIES PkgConfig::SLEEF PkgConfig::HWLOC PkgConfig::EXPAT PkgConfig::JANSSON OpenMP::OpenMP_C "$<BUILD_INTERFACE:myriapod_random123>" m ${CMAKE_DL_LIBS})

# The same for the pkg-config file, less the directories that every linker looks in.
set(MYR_DEPENDENCY_LIBS ${SLEEF_LDFLAGS} ${HWLOC_LDFLAGS} ${EXPAT_LDFLAGS} ${JANSSON_LDFLAGS})
list(REMOVE_DUPLICATES MYR_DEPENDENCY_LIBS)
foreach(directory ${CMAKE_C_IMPLICIT_LINK_DIRECTORIES})
    list(REMOVE_ITEM MYR_DEPENDENCY_LIBS "-L${directory}")
endforeach()
