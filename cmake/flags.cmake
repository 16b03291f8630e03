# Compiler flags. The arithmetic ones are a promise, not a preference: the same bits on every instruction set and with
# every compiler need contraction off (fma is written where it is wanted) and exclude -ffast-math altogether.
# `errno` and floating-point traps are never looked at, so the compiler may turn sqrt and selects into one instruction.
add_library(myriapod_flags INTERFACE)
target_compile_options(myriapod_flags INTERFACE
    -ffp-contract=off -fno-math-errno -fno-trapping-math -fvisibility=hidden
    -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes
    $<$<BOOL:${MYRIAPOD_WERROR}>:-Werror>)

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

# Each lane unit is the whole step, all tasks, or all contact solvers, compiled for one instruction set and one precision, and the only code that may contain
# its instructions: dispatch asks processor and system before it touches a unit's table. 64-byte vectors never cross
# a function boundary that is not inlined, hence -Wno-psabi; clang reports loops that it was asked to unroll and did not, which is
# a matter of speed: -Wno-pass-failed.
function(myr_lane_unit_flags)
    foreach(unit ${ARGN})
        get_filename_component(name "${unit}" NAME)
        if(name MATCHES "^avx512_")
            set(isa -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mprefer-vector-width=512)
        elseif(name MATCHES "^(avx2|one)_") # one: bench/slip_cost only
            set(isa -mavx2 -mfma)
        elseif(name MATCHES "^portable_")
            set(isa -mfma)
        else()
            message(FATAL_ERROR "${unit}: a unit is called avx512_*, avx2_* or portable_*, so that its flags are known")
        endif()
        if(MYRIAPOD_SANITIZE STREQUAL "fuzz")
            # What is fuzzed are the readers. Instrumented lane code takes minutes to compile and is the address build's business.
            list(APPEND isa -fno-sanitize=all)
        endif()
        set_source_files_properties("${unit}" PROPERTIES COMPILE_OPTIONS "${isa};-Wno-psabi;$<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>")
    endforeach()
endfunction()
