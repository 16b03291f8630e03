# The instruction sets that lane code is compiled for: those of kernels/isas.def, of which this processor's compilers can build some.
#   MYR_MACHINE          file of machine/ that this processor has
#   MYR_ISAS             those of the list that can be built for it, the widest first
#   myr_isa_flags_NAME   the compiler's flags for a unit of it
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    set(MYR_MACHINE x86)
    set(myr_isa_flags_avx512 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mprefer-vector-width=512)
    set(myr_isa_flags_avx2 -mavx2 -mfma)
    set(myr_isa_flags_portable -mfma) # the library's same-bits functions are fused, so what runs here has it
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    set(MYR_MACHINE arm)
    set(myr_isa_flags_neon "") # Advanced SIMD is part of every AArch64
    set(myr_isa_flags_portable "") # every AArch64 has what it needs
else()
    message(FATAL_ERROR "Myriapod computes on x86-64 and AArch64 processors; this build is for ${CMAKE_SYSTEM_PROCESSOR}")
endif()

set(isa_list "${PROJECT_SOURCE_DIR}/kernels/isas.def")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${isa_list}")
file(STRINGS "${isa_list}" MYR_ISAS REGEX "^MYR_ISA\\(")
list(TRANSFORM MYR_ISAS REPLACE "^MYR_ISA\\(([a-z0-9]+),.*" "\\1")
foreach(isa ${MYR_ISAS})
    if(NOT DEFINED myr_isa_flags_${isa})
        list(REMOVE_ITEM MYR_ISAS ${isa})
    endif()
endforeach()

# A lane unit: a room's lane code for one instruction set and one precision, written from cmake/unit.c.in. Its path goes to the end of the list
# `units`. It is the only code that may contain the instruction set's instructions: dispatch asks processor and system before it touches a
# unit's table. 64-byte vectors never cross a function boundary that is not inlined, hence -Wno-psabi; clang reports loops that it was asked
# to unroll and did not, which is a matter of speed: -Wno-pass-failed.
#   room        folder of the unit's file, and of its object
#   isa         its flags, and where `header` is not given its lane header
#   precision   f32 or f64
#   entry       what the unit includes: the room's lane code
function(myr_lane_unit units room isa precision entry)
    cmake_parse_arguments(unit "" "HEADER;NAME" "" ${ARGN})
    set(header "kernels/lane_${isa}.h")
    set(name ${isa})
    if(unit_HEADER)
        set(header "${unit_HEADER}")
        set(name ${unit_NAME})
    endif()
    set(is_double 0)
    if(precision STREQUAL "f64")
        set(is_double 1)
    endif()
    set(unit "${PROJECT_BINARY_DIR}/units/${room}/${name}_${precision}.c")
    configure_file("${PROJECT_SOURCE_DIR}/cmake/unit.c.in" "${unit}" @ONLY)
    set(flags ${myr_isa_flags_${isa}})
    if(MYRIAPOD_SANITIZE STREQUAL "fuzz")
        # What is fuzzed are the readers. Instrumented lane code takes minutes to compile and is the address build's business.
        list(APPEND flags -fno-sanitize=all)
    endif()
    set_source_files_properties("${unit}" PROPERTIES COMPILE_OPTIONS "${flags};-Wno-psabi;$<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>")
    set(${units} ${${units}} "${unit}" PARENT_SCOPE)
endfunction()
