"""Which lines of the engine a command runs, at the speed of the command.

python scripts/lines_run.py [--missing PART] COMMAND …

prints a table of rooms, and of files whose path has PART the lines that were not run.

The installed module has its line tables (`make setup`); each instruction at which a line begins is a
breakpoint until it is met. Lines that were inlined count where their instructions lie; those without any
don't count. Needs objdump and a C compiler, on x86-64.
"""

from __future__ import annotations

import argparse
import collections
import os
import platform
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from wordline import _core

HERE = Path(__file__).parent / "breakpoints"
CRATES = Path(__file__).parents[1] / "crates"

Line = tuple[str, int]
"""File below crates/, and number."""


def output_of(command: Sequence[str]) -> str:
    """What a tool prints; ends the program, with what it said last, where it can't be run or fails."""
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace")
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")
    if done.returncode:
        sys.exit(f"{command[0]}: {(done.stderr.strip().splitlines() or ['it failed'])[-1]}")
    return done.stdout


def lines_by_offset() -> dict[int, list[Line]]:
    """The lines that begin at each instruction of the module."""
    command = ["objdump", "--dwarf=decodedline", str(_core.__file__)]
    text = output_of(command)
    lines: dict[int, list[Line]] = {}
    ours = {str(path.relative_to(CRATES)) for path in CRATES.glob("**/*.rs")}
    file = ""
    for row in text.splitlines():
        if row.endswith(":") and "/" in row and " " not in row:
            file = row[:-1].partition("crates/")[2]
            continue
        words = row.split()
        begins = len(words) > 3 and words[1].isdigit() and words[-1] == "x" and words[2].startswith("0x")
        if begins and file in ours and file.endswith(words[0]) and int(words[1]):
            lines.setdefault(int(words[2], 16), []).append((file, int(words[1])))
    return lines


def met_by(command: Sequence[str], offsets: Sequence[int]) -> bytes:
    """A byte for each of these instructions: whether the command met it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "list").write_bytes(struct.pack(f"={len(offsets)}I", *offsets))
        (folder / "met").write_bytes(bytes(len(offsets)))
        compiler = [os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC"]
        output_of([*compiler, "-o", str(folder / "trap.so"), str(HERE / "trap.c")])
        path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
        environment = {**os.environ, "PYTHONPATH": path, "WORDLINE_LINES_RUN": name}
        try:
            done = subprocess.run(command, check=False, env=environment)
        except OSError as error:
            sys.exit(f"{command[0]}: {error.strerror}")
        if done.returncode:
            print(f"the command ended with {done.returncode}", file=sys.stderr)
        met = (folder / "met").read_bytes()
    if not any(met):
        sys.exit("no Python of this environment in the command ran a line of the engine")
    return met


def room(file: str) -> str:
    """The room of a file: its crate, in the engine its folder there."""
    parts = file.split("/")
    return "/".join(parts[:3]).removesuffix(".rs") if parts[0] == "engine" else parts[0]


def table(lines: Mapping[int, Sequence[Line]], met: bytes) -> tuple[set[Line], set[Line]]:
    """All lines that have instructions, and those that were run."""
    have = {line for at in lines.values() for line in at}
    run = {line for (_, at), hit in zip(sorted(lines.items()), met, strict=True) if hit for line in at}
    return have, run


def main() -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(
        prog="lines_run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--missing", metavar="PART")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    if not given.command:
        parser.error("no command")
    if platform.machine() != "x86_64":
        sys.exit(f"{platform.machine()}: allowed: x86_64, whose breakpoints these are")
    lines = lines_by_offset()
    if not lines:
        sys.exit(f"{_core.__file__} has no line tables: make setup builds one that has")
    have, run = table(lines, met_by(given.command, sorted(lines)))
    rooms = {file: room(file) for file, _ in have}
    counts = [collections.Counter(rooms[file] for file, _ in which) for which in (have, run)]
    for name, count in sorted(counts[0].items()):
        print(f"{name:32} {counts[1][name]:6} of {count:6}  {100 * counts[1][name] / count:5.1f}%")
    if given.missing:
        for file in sorted({file for file, _ in have - run if given.missing in file}):
            print(file, *sorted(number for at, number in have - run if at == file))
    return 0


if __name__ == "__main__":
    sys.exit(main())
