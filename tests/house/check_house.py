# ctest: heavy law
# The house stands as docs say: floors use only what is below them, the outer rooms use the public headers alone, the
# formats, threads and instruction sets are known where they may be, files stay small, and no promise-breaking flag slips in.
import os
import re
import sys

SOURCE = os.environ["MYRIAPOD_SOURCE"]
# Each room, and the rooms that it stands on: it may use these, and all that they stand on (the table of CONTRIBUTING.md).
ON = {
    "include": (),
    "machine": (),
    "base": ("machine",),
    "model": ("base",),
    "formats": ("model",),
    "terrain": ("formats",),
    "layouts": ("terrain",),
    "kernels": ("layouts",),
    "robot": ("kernels",),
    "dynamics": ("robot",),
    "collision": ("robot",),
    "constraints": ("dynamics", "collision"),
    "sensors": ("dynamics", "collision"),
    "maximal": ("constraints",),
    "programs": ("kernels",),
    "tasks": ("programs", "robot"),
    "settings": ("tasks",),
    "problems": ("settings",),
    "batch": ("settings", "maximal", "sensors"),
    "files": ("batch",),
    "plan": ("batch",),
    "learn": ("batch",),
    "cli": (),
    "python": (),
    "bench": (),
    "examples": (),
}


def below(room):
    return {room}.union(*(below(other) for other in ON[room]))


BELOW = {room: below(room) for room in ON}
BELOW["cli"].add("base")  # its words and names of files alone (CMakeLists.txt)
# Word of an #include <...> or of the code -> the rooms that may use it.
KNOWLEDGE = {
    r"#\s*include\s*<expat": {"formats"},
    r"#\s*include\s*<(png|zlib)\.h": {"terrain"},
    r"#\s*include\s*<hwloc": {"base"},
    r"#\s*include\s*<suitesparse": {"kernels/contact/large/"},
    r"#\s*include\s*<omp\.h>|#\s*pragma\s+omp\s+parallel": {"base", "bench"},
    r"\bpthread_(create|join|mutex|cond|setaffinity)": {"base", "bench"},
    # The architecture: registers in the lane headers, the rest in machine/.
    r"#\s*include\s*<(\w+intrin|arm_\w+)\.h>|\b_mm\d*_\w+\(|\b__m(128|256|512|mask)\w*\b": {"kernels/lane_", "machine", "bench"},
    r"#\s*include\s*<cpuid\.h>|\b_*rdtsc\w*\(|\bxgetbv\b|mxcsr|\bfpcr\b|\bcntvct|\b__builtin_(ia32|cpu|aarch64|arm)_\w+": {"machine", "bench"},
    # Which instruction sets there are stands in kernels/isas.def; what one of them is, in its lane header.
    r"\"(avx512|avx2|neon|portable)\"|\bMYR_(ISA|BITS)\s*[=!<>]=": {"machine", "bench"},
    # The engine knows a task by its table alone, not by its name or its file.
    r"\"(stand|trot|hang|drop|locomotion|hold)\"|\b(task_|MYR_TASK_)(STAND|TROT|HANG|DROP|RANDOM|LOCOMOTION|HOLD)\b|\"tasks/(hwangbo|locomotion|hold)":
        {"tasks", "cli", "python", "bench", "examples", "include"},
}
LONGEST = 500
problems = []
counted = 0

for room in ON:
    for folder, _, names in os.walk(os.path.join(SOURCE, room)):
        for name in sorted(names):
            if not name.endswith((".c", ".h", ".def") + ((".py",) if room == "python" else ())):
                continue
            path = os.path.join(folder, name)
            short = os.path.relpath(path, SOURCE)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            counted += 1
            lines = text.splitlines()
            if len(lines) > LONGEST:
                problems.append(f"{short}: {len(lines)} lines; a file has one purpose and at most {LONGEST}")
            for number, line in enumerate(lines, 1):
                include = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
                if include:
                    target = include.group(1)
                    beside = os.path.normpath(os.path.join(folder, target))
                    if os.path.exists(beside):
                        target = os.path.relpath(beside, SOURCE)
                    used = target.split("/")[0]
                    if used == "myriapod" or used == "include" or target in ("built_isas.def", "task_texts.h", "task_numbers.def", "task_terms.def"):  # which cmake/units.cmake and texts.cmake write
                        continue
                    # bench/papers/slip_cost times lane code by itself, in registers of one lane too: no interface has that
                    if room == "bench" and short.startswith("bench/papers/slip_cost") and used == "kernels":
                        continue
                    # bench/speed/pair_cost.c times pairs of geoms in the lanes that the tests have for them
                    if short == "bench/speed/pair_cost.c" and used in ("kernels", "model", "tests"):
                        continue
                    # bench/agree/convex_search.c looks for the problems that tests solve
                    if short == "bench/agree/convex_search.c" and used == "tests":
                        continue
                    # bench/papers/maximal_* times the scalar reference of the tests, which shares nothing with the library
                    if room == "bench" and short.startswith("bench/papers/maximal_") and used == "tests":
                        continue
                    if used not in BELOW[room]:
                        problems.append(f"{short}:{number}: {room}/ includes \"{include.group(1)}\", which is not below it")
                for word, rooms in KNOWLEDGE.items():
                    if room not in rooms and not short.startswith(tuple(place for place in rooms if "/" in place)) and re.search(word, line):
                        problems.append(f"{short}:{number}: `{line.strip()[:60]}` belongs in {' or '.join(sorted(rooms))}/")

# The Python package's declarations come from the public headers and from nowhere else: cmake/python.cmake names no other folder of headers.
with open(os.path.join(SOURCE, "cmake", "python.cmake"), encoding="utf-8") as file:
    script = file.read()
taken = set(re.findall(r"-I \"([^\"]*)\"", script)) | set(re.findall(r"\"([^\"]*\.h)\" -o", script))
if taken != {"${PROJECT_SOURCE_DIR}/python/stubs", "${headers}/myriapod.h"} or 'set(headers "${PROJECT_SOURCE_DIR}/include/myriapod")' not in script:
    problems.append(f"cmake/python.cmake: the Python declarations come from {', '.join(sorted(taken))}, not from the public headers alone")

folders = ["", *(os.path.relpath(folder, SOURCE) for room in ("cmake", "tests", "bench", "examples") for folder, _, _ in os.walk(os.path.join(SOURCE, room)))]
for folder in folders:
    directory = os.path.join(SOURCE, folder)
    for name in os.listdir(directory):
        if name == "CMakeLists.txt" or name.endswith((".cmake", ".sh")):
            with open(os.path.join(directory, name), encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    code = line.split("#")[0]
                    if re.search(r"-ffast-math|-Ofast|-funsafe-math|-ffp-contract=fast|-march=native", code):
                        problems.append(f"{os.path.join(folder, name)}:{number}: {code.strip()} breaks `same bits everywhere`")

# The table of CONTRIBUTING.md has these rooms, and there is no room that neither knows.
with open(os.path.join(SOURCE, "CONTRIBUTING.md"), encoding="utf-8") as file:
    contributing = file.read()
table = set(re.findall(r"`(\w+)/(?:myriapod/)?`", "".join(line.split("|")[1] for line in contributing.splitlines() if line.startswith("| `"))))
for room in sorted(set(ON) - table):
    problems.append(f"CONTRIBUTING.md: the house's table has no `{room}/`")
for room in sorted(os.listdir(SOURCE)):
    inside = os.listdir(os.path.join(SOURCE, room)) if os.path.isdir(os.path.join(SOURCE, room)) else []
    if any(name.endswith((".c", ".lane.h")) for name in inside) and room not in ON and room != "tests":
        problems.append(f"{room}/: a room that tests/house/check_house.py and CONTRIBUTING.md do not know")

# What is left to `make test-long` is listed with the reason.
for folder, _, names in os.walk(os.path.join(SOURCE, "tests")):
    for name in sorted(names):
        if name.startswith(("test_", "check_")):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                head = "".join(file.readlines()[:15])
            if re.search(r"ctest:.*\blong\b", head) and f"| `{os.path.splitext(name)[0]}` |" not in contributing:
                problems.append(f"CONTRIBUTING.md does not say why {name} may wait for `make test-long`")

if counted < 40:
    problems.append(f"only {counted} files found below {SOURCE}")
print("\n".join(problems) or f"{counted} files: every floor uses only what is below it")
sys.exit(1 if problems else 0)
