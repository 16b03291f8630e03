# What `cmake --install` leaves: headers, both libraries, the program, robots and profiles, and two ways to find them
# (pkg-config and a CMake package).
include(CMakePackageConfigHelpers)

install(TARGETS myriapod myriapod_static EXPORT myriapod_targets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(MYRIAPOD_PROGRAM)
    install(TARGETS myriapod_program RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(DIRECTORY include/myriapod DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
install(DIRECTORY robots profiles DESTINATION "${CMAKE_INSTALL_DATADIR}/myriapod" FILES_MATCHING PATTERN "*.urdf" PATTERN "*.xml" PATTERN "*.json" PATTERN "*.csv" PATTERN "*.md")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# The pkg-config file finds its prefix from its own place, so that an installed tree may be moved.
file(RELATIVE_PATH MYR_PREFIX_FROM_PC "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" MYR_PREFIX_FROM_PC "${MYR_PREFIX_FROM_PC}")
# Libraries and not `Requires.private`: a user of the shared library needs none of their -dev packages, and one of the static
# library links their shared forms, not what those in turn were linked with.
list(JOIN MYR_DEPENDENCY_LIBS " " MYR_PRIVATE_LIBS)
string(REPLACE ";" " " MYR_OPENMP_FLAGS "${OpenMP_C_FLAGS}")
configure_file(cmake/myriapod.pc.in myriapod.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/myriapod.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/myriapod")
install(EXPORT myriapod_targets NAMESPACE myriapod:: FILE myriapodTargets.cmake DESTINATION "${package_dir}")
configure_package_config_file(cmake/myriapodConfig.cmake.in myriapodConfig.cmake INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(myriapodConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/myriapodConfig.cmake" "${PROJECT_BINARY_DIR}/myriapodConfigVersion.cmake" DESTINATION "${package_dir}")
