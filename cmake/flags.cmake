# Compiler flags. The arithmetic ones are a promise, not a preference: the same bits on every instruction set and with
# every compiler need contraction off (fma is written where it is wanted) and exclude -ffast-math altogether.
# `errno` and floating-point traps are never looked at, so the compiler may turn sqrt and selects into one instruction.
add_library(myriapod_flags INTERFACE)
target_compile_options(myriapod_flags INTERFACE
    -ffp-contract=off -fno-math-errno -fno-trapping-math -fvisibility=hidden
    -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes
    $<$<BOOL:${MYRIAPOD_WERROR}>:-Werror>)

# gcc 12 for AArch64 ends with an internal error (vect_transform_reduction) where it turns some loops of scalars into vectors at -O3. Lanes are vectors
# as they are written.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64" AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(myriapod_flags INTERFACE -fno-tree-loop-vectorize)
endif()

if(MYRIAPOD_SANITIZE STREQUAL "address")
    set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
elseif(MYRIAPOD_SANITIZE STREQUAL "thread")
    if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
        message(FATAL_ERROR "MYRIAPOD_SANITIZE=thread needs clang with libomp and Archer: other OpenMP runtimes are invisible to TSan and every barrier would be reported as a race")
    endif()
    set(sanitizers -fsanitize=thread -fno-omit-frame-pointer -g1)
elseif(MYRIAPOD_SANITIZE STREQUAL "fuzz")
    if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
        message(FATAL_ERROR "MYRIAPOD_SANITIZE=fuzz needs clang: libFuzzer is part of it")
    endif()
    set(sanitizers -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
elseif(NOT MYRIAPOD_SANITIZE STREQUAL "")
    message(FATAL_ERROR "MYRIAPOD_SANITIZE is `${MYRIAPOD_SANITIZE}`; it may be empty, `address`, `thread` or `fuzz`")
endif()
target_compile_options(myriapod_flags INTERFACE ${sanitizers})
target_link_options(myriapod_flags INTERFACE ${sanitizers})
