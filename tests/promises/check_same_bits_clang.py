#!/usr/bin/env python3
# ctest: slow needs=clang timeout=900
"""check_same_bits with the program that clang made of the same tree (sub_builds.cmake): the hashes are those of this build's."""
import os
import pathlib
import sys

import check_same_bits

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import oracle

clang = os.environ.get("MYRIAPOD_PROGRAM_CLANG", "")
if not os.path.exists(clang):
    print(f"skipped: clang's program is not there ({clang})")
    sys.exit(77)
check_same_bits.check([clang], witness=oracle.PROGRAM)
