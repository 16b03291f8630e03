"""Solves for a package of a channel in a folder, and links it and what it needs into a prefix, as conda would, without a network.

    python install.py CHANNEL PREFIX PACKAGE
"""
from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from rattler import install, solve


async def main(channel: Path, prefix: Path, package: str) -> None:
    records = await solve([channel.as_uri()], [package])
    await install(records, target_prefix=prefix, show_progress=False)
    print(", ".join(f"{record.name.normalized} {record.version}" for record in records))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]).absolute(), Path(sys.argv[2]), sys.argv[3]))
