# The same tree built again in another way, as tests: a fixture builds it, the tests that need the fixture run in it.
#   clang        library, program and the tests of lane arithmetic (`lanes`) with clang 14; check_same_bits_clang beside this build's program
#   asan         address and undefined-behaviour sanitizers over the AVX2 lanes, small tests
#   tsan         thread sanitizer with clang 14, libomp and Archer over the AVX2 lanes, tests marked `threads`
# In `make test-long` alone: clang-all (every quick test as clang compiles it), asan-portable (the small tests over the portable lanes),
# fuzz (address and undefined-behaviour sanitizers with clang 14 over the readers, a minute for every fuzz_*.c).
find_program(MYR_CLANG NAMES clang-14 DOC "Second compiler of the tests")
find_file(MYR_ARCHER libarcher.so PATHS /usr/lib/llvm-14/lib DOC "OpenMP tool that tells the thread sanitizer about barriers and tasks")
mark_as_advanced(MYR_CLANG MYR_ARCHER)

# They begin first (COST) and count as one process, though a build takes every core: what runs beside them leaves no core idle. No test looks at
# the time.
set(sub_build bash "${CMAKE_CURRENT_SOURCE_DIR}/sub_build.sh")
set(common -DMYRIAPOD_SUB_BUILDS=OFF -DMYRIAPOD_BENCH=OFF "-DMYRIAPOD_WERROR=${MYRIAPOD_WERROR}")
set(instrumented ${common} "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG")
if(NOT DEFINED ENV{CI}) # there, a compiler that is not installed is a failure
    set(skip SKIP_RETURN_CODE 77)
endif()

# name, label, cmake arguments
function(myr_sub_build name label)
    add_test(NAME ${name}-build COMMAND ${sub_build} build "${PROJECT_SOURCE_DIR}" "${sub_build_root}/${name}" ${ARGN})
    set_tests_properties(${name}-build PROPERTIES FIXTURES_SETUP ${name} LABELS ${label} TIMEOUT 1500 COST 900 ${skip})
endfunction()

# name of the test, fixture, label here, label inside, environment
function(myr_sub_test name fixture label inside)
    add_test(NAME ${name} COMMAND ${sub_build} test "${sub_build_root}/${fixture}" ${inside})
    set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED ${fixture} LABELS ${label} TIMEOUT 1200 COST 900 ENVIRONMENT "${ARGN}" ${skip})
endfunction()

myr_sub_build(clang slow ${common} "-DCMAKE_C_COMPILER=${MYR_CLANG}" -DMYRIAPOD_TESTS=lanes)
myr_sub_test(clang-lanes clang slow lanes LC_ALL=C.UTF-8)
set(lanes_of_clang "-DMYRIAPOD_LANE_OBJECTS=${sub_build_root}/clang/CMakeFiles/myriapod_objects.dir")
myr_sub_build(clang-all long -DMYRIAPOD_SUB_BUILDS=OFF "-DMYRIAPOD_WERROR=${MYRIAPOD_WERROR}" "-DCMAKE_C_COMPILER=${MYR_CLANG}" ${lanes_of_clang})
set_tests_properties(clang-all-build PROPERTIES FIXTURES_REQUIRED clang)
myr_sub_test(clang-quick clang-all long quick LC_ALL=C.UTF-8)

set(address ${instrumented} "-DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}" -DMYRIAPOD_SANITIZE=address -DMYRIAPOD_WERROR=OFF)
myr_sub_build(asan slow ${address} -DMYRIAPOD_UNITS=avx2)
myr_sub_test(asan-avx2 asan slow small MYRIAPOD_ISA=avx2)
myr_sub_build(asan-portable long ${address} -DMYRIAPOD_UNITS=portable)
myr_sub_test(asan-portable-small asan-portable long small MYRIAPOD_ISA=portable)

myr_sub_build(tsan slow ${instrumented} "-DCMAKE_C_COMPILER=${MYR_CLANG}" -DMYRIAPOD_SANITIZE=thread -DMYRIAPOD_UNITS=avx2)
set(tsan_environment "OMP_TOOL_LIBRARIES=${MYR_ARCHER}" "TSAN_OPTIONS=ignore_noninstrumented_modules=1 halt_on_error=1")
add_test(NAME tsan-canary COMMAND ${sub_build} canary "${sub_build_root}/tsan")
set_tests_properties(tsan-canary PROPERTIES FIXTURES_REQUIRED tsan LABELS slow TIMEOUT 60 ENVIRONMENT "${tsan_environment}" ${skip})
myr_sub_test(tsan tsan slow threads ${tsan_environment})

# What is fuzzed are the readers; the lanes are not instrumented, so they are those that clang has compiled already.
myr_sub_build(fuzz long ${instrumented} "-DCMAKE_C_COMPILER=${MYR_CLANG}" -DMYRIAPOD_SANITIZE=fuzz -DMYRIAPOD_UNITS=avx2 ${lanes_of_clang})
set_tests_properties(fuzz-build PROPERTIES FIXTURES_REQUIRED clang)
add_test(NAME fuzz COMMAND ${sub_build} fuzz "${sub_build_root}/fuzz" "${PROJECT_SOURCE_DIR}" 60)
set_tests_properties(fuzz PROPERTIES FIXTURES_REQUIRED fuzz LABELS long TIMEOUT 600 ${skip})
