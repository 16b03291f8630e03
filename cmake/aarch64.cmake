# Cross compiling for AArch64 with Debian's gcc-aarch64-linux-gnu, and running what comes out under qemu-user:
#   scripts/aarch64_sysroot.sh build/aarch64/sysroot
#   cmake -S . -B build/aarch64/build -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64.cmake -DMYRIAPOD_SYSROOT=$PWD/build/aarch64/sysroot -DMYRIAPOD_PROGRAM=OFF
# MYRIAPOD_SYSROOT holds the libraries that the library stands on; the C library is the cross compiler's own.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES MYRIAPOD_SYSROOT)

set(sysroot_libraries "${MYRIAPOD_SYSROOT}/usr/lib/aarch64-linux-gnu" "${MYRIAPOD_SYSROOT}/lib/aarch64-linux-gnu")
list(JOIN sysroot_libraries ":" sysroot_path)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu -E "LD_LIBRARY_PATH=${sysroot_path}")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${MYRIAPOD_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR} "${MYRIAPOD_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${MYRIAPOD_SYSROOT}/usr/share/pkgconfig")
set(ENV{PKG_CONFIG_PATH} "")
set(CMAKE_FIND_ROOT_PATH "${MYRIAPOD_SYSROOT}" /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_C_FLAGS_INIT "-isystem ${MYRIAPOD_SYSROOT}/usr/include/aarch64-linux-gnu")
foreach(folder ${sysroot_libraries})
    string(APPEND CMAKE_SHARED_LINKER_FLAGS_INIT " -L${folder} -Wl,-rpath-link,${folder}")
    string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " -L${folder} -Wl,-rpath-link,${folder}")
endforeach()
