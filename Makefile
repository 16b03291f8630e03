# Front door: set-up, build and test in one word each. The build itself is CMakeLists.txt.
BUILD ?= build
JOBS ?= $(shell nproc)
export LC_ALL := C.UTF-8

# Sized to take seconds: what it prints is real, the benchmark is `make bench`.
RUN ?= run anymal --envs 4096 --steps 500 --warmup 200

# A first build for the sake of the program leaves the tests, and what they need, to `make test`.
CONFIGURE_PROGRAM = $(if $(wildcard $(BUILD)/CMakeCache.txt),,CONFIGURE=-DMYRIAPOD_TESTS=OFF)

.PHONY: help deps deps-build deps-docs deps-bench build run test test-long check quick bench yardstick docs format clean

help:
	@echo "make deps     install what the build and the tests need (Debian, Ubuntu), or print the command"
	@echo "make build    the library and the program $(BUILD)/myriapod"
	@echo "make run      deps, build, then: myriapod $(RUN)"
	@echo "make test     deps, build, every test"
	@echo "make check    deps, build for this machine's instruction set alone, unit tests, one test of each law: a minute after an edit"
	@echo "make test-long  the tests that take minutes each: every quick test with clang, the portable lanes under the address sanitizer, long fuzzing"
	@echo "make quick    deps, build, the tests that take less than two minutes together"
	@echo "make bench    the measurements behind the README's table"
	@echo "make yardstick  engines and contact solvers on public scenes and problems, as a page: 20 minutes; YARDSTICK=--quick: one minute"
	@echo "make docs     the site: pages, tutorials as notebooks, reference of Python and C, a search; $(BUILD)/site/VERSION/index.html"
	@echo "make format   clang-format 14 over the C files"
	@echo "make clean    remove $(BUILD)/"

deps:
	@scripts/deps.sh all

deps-build:
	@scripts/deps.sh build

deps-docs:
	@scripts/deps.sh docs

deps-bench:
	@scripts/deps.sh bench

build:
	@cmake -S . -B $(BUILD) --log-level=WARNING $(CONFIGURE)
	@cmake --build $(BUILD) --parallel $(JOBS)

run: deps-build
	@$(MAKE) --no-print-directory build $(CONFIGURE_PROGRAM)
	$(BUILD)/myriapod $(RUN)

test: deps
	@$(MAKE) --no-print-directory build CONFIGURE=-DMYRIAPOD_TESTS=ON
	ctest --test-dir $(BUILD) -LE '^long$$' --output-on-failure --parallel $(JOBS)

test-long: deps
	@$(MAKE) --no-print-directory build CONFIGURE=-DMYRIAPOD_TESTS=ON
	ctest --test-dir $(BUILD) -L '^long$$' --output-on-failure --parallel $(JOBS)

# After an edit: one instruction set, in a build of its own; unit tests and one test of each law.
check: deps
	@$(MAKE) --no-print-directory build BUILD=$(BUILD)/check CONFIGURE="-DMYRIAPOD_UNITS=native -DMYRIAPOD_SUB_BUILDS=OFF -DMYRIAPOD_BENCH=OFF"
	ctest --test-dir $(BUILD)/check -L check --output-on-failure --parallel $(JOBS)

quick: deps
	@$(MAKE) --no-print-directory build CONFIGURE=-DMYRIAPOD_TESTS=ON
	ctest --test-dir $(BUILD) -L quick --output-on-failure --parallel $(JOBS)

bench: deps-bench
	@$(MAKE) --no-print-directory build $(CONFIGURE_PROGRAM)
	@cmake --build $(BUILD) --parallel $(JOBS) --target slip_cost
	bench/run.sh $(BUILD)

# The contact yardstick (docs/yardstick.md): engines and solvers that can be installed here, in an environment of their own below the build directory.
yardstick: deps-bench
	@$(MAKE) --no-print-directory build $(CONFIGURE_PROGRAM)
	@bench/contact_yardstick/setup.sh $(BUILD)
	@$(BUILD)/yardstick-venv/bin/python -B bench/contact_yardstick --build $(BUILD) $(YARDSTICK)

docs: deps-docs
	@$(MAKE) --no-print-directory build $(CONFIGURE_PROGRAM)
	@MYRIAPOD_LIBRARY=$(abspath $(BUILD)/libmyriapod.so) scripts/docs.sh $(BUILD)

format:
	git ls-files '*.c' '*.h' | xargs clang-format-14 -i

clean:
	rm -rf $(BUILD)
