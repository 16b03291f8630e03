# Which lane units are built. A release has all of them and chooses when it runs; who edits lane code waits for one instruction set alone.
#   all          every instruction set
#   native       the best one of the machine that builds
#   avx2;...     these: avx512, avx2, portable
set(MYRIAPOD_UNITS all CACHE STRING "Instruction sets of the lane code: `all`, `native`, or a list of avx512, avx2 and portable")

set(unit_isas ${MYRIAPOD_UNITS})
if(unit_isas STREQUAL "all")
    set(unit_isas avx512 avx2 portable)
elseif(unit_isas STREQUAL "native")
    # Asked once: the cache remembers the answer. The same features as kernels/cpu.c.
    include(CheckCSourceRuns)
    set(CMAKE_REQUIRED_QUIET ON)
    check_c_source_runs("int main(void) { return !(__builtin_cpu_supports(\"avx512f\") && __builtin_cpu_supports(\"avx512dq\") &&
        __builtin_cpu_supports(\"avx512bw\") && __builtin_cpu_supports(\"avx512vl\")); }" MYR_NATIVE_AVX512)
    check_c_source_runs("int main(void) { return !(__builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\")); }" MYR_NATIVE_AVX2)
    if(MYR_NATIVE_AVX512)
        set(unit_isas avx512)
    elseif(MYR_NATIVE_AVX2)
        set(unit_isas avx2)
    else()
        set(unit_isas portable)
    endif()
endif()

set(lane_units)
set(unit_definitions)
foreach(isa ${unit_isas})
    if(NOT isa MATCHES "^(avx512|avx2|portable)$")
        message(FATAL_ERROR "MYRIAPOD_UNITS is `${MYRIAPOD_UNITS}`; it may be `all`, `native`, or a list of avx512, avx2 and portable")
    endif()
    file(GLOB of_isa CONFIGURE_DEPENDS batch/units/${isa}_*.c kernels/units/${isa}_*.c)
    list(APPEND lane_units ${of_isa})
    string(TOUPPER ${isa} isa_upper)
    list(APPEND unit_definitions "MYR_WITH_${isa_upper}")
endforeach()
set_source_files_properties(kernels/cpu.c PROPERTIES COMPILE_DEFINITIONS "${unit_definitions}")
