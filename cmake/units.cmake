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

# The tests install the Python package from the tree that they have just built: its lane units are those, and take minutes.
set(MYRIAPOD_LANE_OBJECTS "" CACHE PATH "Objects of another build of this very tree whose lane units are taken as they are; empty: compile them")

set(lane_units)
set(lane_objects)
set(unit_definitions)
if("${unit_isas}" STREQUAL "") # a library without lanes would configure, build and then step nothing
    set(unit_isas "none")
endif()
foreach(isa ${unit_isas})
    if(NOT isa MATCHES "^(avx512|avx2|portable)$")
        message(FATAL_ERROR "MYRIAPOD_UNITS is `${MYRIAPOD_UNITS}`; it may be `all`, `native`, or a list of avx512, avx2 and portable")
    endif()
    file(GLOB of_isa CONFIGURE_DEPENDS batch/units/${isa}_*.c tasks/units/${isa}_*.c kernels/units/${isa}_*.c)
    if(MYRIAPOD_LEARN)
        file(GLOB of_learner CONFIGURE_DEPENDS learn/units/${isa}_*.c)
        list(APPEND of_isa ${of_learner})
    endif()
    if(NOT MYRIAPOD_LANE_OBJECTS)
        list(APPEND lane_units ${of_isa})
    endif()
    foreach(unit ${of_isa})
        if(MYRIAPOD_LANE_OBJECTS)
            file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}" "${unit}")
            list(APPEND lane_objects "${MYRIAPOD_LANE_OBJECTS}/${name}${CMAKE_C_OUTPUT_EXTENSION}")
        endif()
    endforeach()
    string(TOUPPER ${isa} isa_upper)
    list(APPEND unit_definitions "MYR_WITH_${isa_upper}")
endforeach()
set_source_files_properties(kernels/cpu.c learn/kernels.c PROPERTIES COMPILE_DEFINITIONS "${unit_definitions}")
