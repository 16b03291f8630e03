"""The Python package `myriapod` of a build directory, without installing it: reproductions show what this build computes. Needs cffi."""
import atexit
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def put_on_path(build):
    """From here on `import myriapod` finds the package with the library of `build`. What cmake/python.cmake does, with links for copies."""
    build = pathlib.Path(build).resolve()
    library, cache = build / "libmyriapod.so", build / "CMakeCache.txt"
    if not library.exists() or not cache.exists():
        sys.exit(f"{build}: no build with libmyriapod.so in it")
    compiler = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)$", cache.read_text(encoding="utf-8"), re.M).group(1)
    root = pathlib.Path(tempfile.mkdtemp(prefix="myriapod-python-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    package, headers, declarations = root / "myriapod", SOURCE / "include" / "myriapod", root / "declarations.h"
    package.mkdir()
    subprocess.run([compiler, "-E", "-P", "-nostdinc", "-U__GNUC__", "-x", "c", "-I", SOURCE / "python" / "stubs", headers / "myriapod.h", "-o", declarations], check=True)
    subprocess.run([sys.executable, "-B", SOURCE / "python" / "write_modules.py", declarations, headers / "batch.h", package], check=True, stdout=subprocess.DEVNULL)
    for path in (SOURCE / "python" / "myriapod").iterdir():
        if path.name != "__pycache__":
            (package / path.name).symlink_to(path)
    for name in ("robots", "profiles"):
        (package / name).symlink_to(SOURCE / name)
    (package / "lib").mkdir()
    (package / "lib" / "libmyriapod.so").symlink_to(library)
    sys.path.insert(0, str(root))
    sys.dont_write_bytecode = True
