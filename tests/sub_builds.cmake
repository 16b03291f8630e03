# The same tree built again in another way, as tests: a fixture builds it, the tests that need the fixture run in it.
#   clang        everything with clang 14, then its quick tests
#   asan         address and undefined-behaviour sanitizers, small tests on AVX2 and on the portable code
#   tsan         thread sanitizer with clang 14, libomp and Archer, tests marked `threads`
#   fuzz         address and undefined-behaviour sanitizers with clang 14, every fuzz_*.c for some seconds
find_program(MYR_CLANG NAMES clang-14 DOC "Second compiler of the tests")
find_file(MYR_ARCHER libarcher.so PATHS /usr/lib/llvm-14/lib DOC "OpenMP tool that tells the thread sanitizer about barriers and tasks")
mark_as_advanced(MYR_CLANG MYR_ARCHER)

set(sub_build bash "${CMAKE_CURRENT_SOURCE_DIR}/sub_build.sh")
set(common -DMYRIAPOD_SUB_BUILDS=OFF "-DMYRIAPOD_WERROR=${MYRIAPOD_WERROR}")

# name, how long it may take [s], cmake arguments
function(myr_sub_build name timeout)
    add_test(NAME ${name}-build COMMAND ${sub_build} build "${PROJECT_SOURCE_DIR}" "${sub_build_root}/${name}" ${common} ${ARGN})
    set_tests_properties(${name}-build PROPERTIES FIXTURES_SETUP ${name} LABELS slow TIMEOUT ${timeout} SKIP_RETURN_CODE 77 PROCESSORS 2)
endfunction()

# name of the test, fixture, how long it may take [s], ctest label inside, environment
function(myr_sub_test name fixture timeout label)
    add_test(NAME ${name} COMMAND ${sub_build} test "${sub_build_root}/${fixture}" ${label})
    set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED ${fixture} LABELS slow TIMEOUT ${timeout} SKIP_RETURN_CODE 77 PROCESSORS 2 ENVIRONMENT "${ARGN}")
endfunction()

myr_sub_build(clang 1500 "-DCMAKE_C_COMPILER=${MYR_CLANG}")
myr_sub_test(clang-quick clang 900 quick LC_ALL=C.UTF-8)

myr_sub_build(asan 1500 "-DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}" -DMYRIAPOD_SANITIZE=address -DMYRIAPOD_WERROR=OFF "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG")
myr_sub_test(asan-avx2 asan 1200 small MYRIAPOD_ISA=avx2)
myr_sub_test(asan-portable asan 1200 small MYRIAPOD_ISA=portable)

myr_sub_build(tsan 1500 "-DCMAKE_C_COMPILER=${MYR_CLANG}" -DMYRIAPOD_SANITIZE=thread "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG")
set(tsan_environment "OMP_TOOL_LIBRARIES=${MYR_ARCHER}" "TSAN_OPTIONS=ignore_noninstrumented_modules=1 halt_on_error=1")
add_test(NAME tsan-canary COMMAND ${sub_build} canary "${sub_build_root}/tsan")
set_tests_properties(tsan-canary PROPERTIES FIXTURES_REQUIRED tsan LABELS slow TIMEOUT 60 SKIP_RETURN_CODE 77 ENVIRONMENT "${tsan_environment}")
myr_sub_test(tsan tsan 900 threads ${tsan_environment})

myr_sub_build(fuzz 1500 "-DCMAKE_C_COMPILER=${MYR_CLANG}" -DMYRIAPOD_SANITIZE=fuzz "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG")
add_test(NAME fuzz COMMAND ${sub_build} fuzz "${sub_build_root}/fuzz" "${PROJECT_SOURCE_DIR}" 15)
set_tests_properties(fuzz PROPERTIES FIXTURES_REQUIRED fuzz LABELS slow TIMEOUT 300 SKIP_RETURN_CODE 77 PROCESSORS 1)
