"""Builds recipe.yaml, which lies beside this file, from a channel in a folder alone. The package comes to lie there, too, and passes the recipe's tests.

    python build.py CHANNEL
"""
from __future__ import annotations

import sys
from pathlib import Path

from rattler_build import Package, Stage0Recipe, VariantConfig

#: What conda-forge pins for every recipe on Linux.
PINNED = {"c_compiler": ["gcc"], "c_stdlib": ["sysroot"]}


def main(channel: Path) -> None:
    recipe = Stage0Recipe.from_file(Path(__file__).with_name("recipe.yaml"))
    for built in recipe.run_build(VariantConfig(PINNED), output_dir=channel, channels=[channel.as_uri()]):
        for package in built.packages:
            for test in Package.from_file(package).run_tests(channel=[channel.as_uri()]):
                if not test.success:
                    sys.exit(f"{package}: a test of the recipe fails\n" + "\n".join(map(str, test.output)))
            print(f"{Path(package).stat().st_size / 1e6:8.2f} MB  {package}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
