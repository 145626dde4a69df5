"""The oracle: whether a change of the engine changes anything at all.

python scripts/oracle draw               draw the descriptions anew, and record what they do
python scripts/oracle record             record what the known descriptions do
python scripts/oracle record-presets     the same of every drive with every scheme
python scripts/oracle check [--share N]  every N-th of them and of those beside them, by the record
python scripts/oracle presets            every drive with every scheme, against the record
python scripts/oracle compare MODULE     this build beside another, named as for WORDLINE_CORE
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import courses
import descriptions
import further
from descriptions import Row

RECORD = descriptions.FOLDER / "recorded.json"
"""What the drawn descriptions did: a hash by the name of each."""

OF_PRESETS = descriptions.FOLDER / "presets.json"
"""The same of the presets."""

FURTHER = descriptions.FOLDER / "further.json"
"""The same of those beside the drawn ones (further.py)."""

COMMANDS = ("draw", "record", "record-presets", "check", "presets", "compare", "hashes", "events")


def record(path: Path, rows: Iterable[Row]) -> None:
    """Keeps what these do, a line each."""
    hashes = {row.name: courses.whole(row).digest for row in rows}
    path.write_text(json.dumps(hashes, indent=0) + "\n")


def record_further() -> None:
    """Keeps what those beside the drawn ones do, if they go; of traces not here, what was kept."""
    before = {name: digest for name, digest in recorded(FURTHER).items() if name.startswith("trace ")}
    done = {row.name: courses.whole(row).digest for row in further.rows()}
    going = {name: digest for name, digest in done.items() if not digest.startswith("refused")}
    FURTHER.write_text(json.dumps({**before, **going}, indent=0) + "\n")


def known_further() -> list[Row]:
    """Those beside the drawn ones of which it was recorded what they do."""
    names = recorded(FURTHER)
    return [row for row in further.rows() if row.name in names]


def recorded(path: Path) -> dict[str, str]:
    """What was recorded."""
    known: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
    return known


def differing(path: Path, rows: Iterable[Row]) -> Iterator[str]:
    """Those that don't do what was recorded."""
    known = recorded(path)
    return (row.name for row in rows if courses.whole(row).digest != known.get(row.name))


def hashes(rows: Iterable[Row]) -> None:
    """Prints the course of each, a JSON list a line: for another build to compare with."""
    for row in rows:
        course = courses.whole(row)
        print(json.dumps([row.name, course.digest, course.hashes]), flush=True)


def other_build(module: str, *arguments: str) -> list[str]:
    """What this program prints with another module in the place of the core."""
    command = [sys.executable, __file__, *arguments]
    environment = {**os.environ, "WORDLINE_CORE": module}
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{module}: {done.stderr.strip().splitlines()[-1]}")
    return done.stdout.splitlines()


def first_difference(ours: list[int] | list[str], theirs: list[int] | list[str]) -> int | None:
    """Where two lists differ first."""
    pairs = zip(ours, theirs, strict=False)
    return next((number for number, (one, other) in enumerate(pairs) if one != other), None)


def show(row: Row, part: int, module: str) -> None:
    """The first event that differs in a part of the course, with those around it."""
    there = other_build(module, "events", row.name, str(part))
    here = courses.events(row, part)
    same = first_difference(here, there) or 0
    for side, lines in (("there", there), ("here", here)):
        print("\n".join(f"  {side}: {text}" for text in lines[max(0, same - 3) : same + 3]))


def compare(module: str, share: int) -> int:
    """The first differences from another build. Returns how many descriptions differ."""
    differ = 0
    for line in other_build(module, "hashes", "--share", str(share)):
        name, digest, theirs = json.loads(line)
        row = further.of_name(name)
        ours = courses.whole(row)
        if ours.digest == digest:
            continue
        differ += 1
        part = first_difference(ours.hashes, theirs)
        if part is None:
            print(f"{name}: the tables or the result differ")
        else:
            print(f"{name}: part {part} of the course differs")
            show(row, part, module)
    return differ


def main() -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(
        prog="oracle", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=COMMANDS)
    parser.add_argument("rest", nargs="*")
    parser.add_argument("--share", type=int, default=1)
    parser.add_argument("--first", action="store_true", help="end with the first that differs")
    given = parser.parse_args()
    if given.share < 1:
        parser.error(f"--share {given.share}: allowed: 1 or more")
    if given.first and given.what not in ("check", "presets"):
        parser.error(f"{given.what} --first: allowed: with check and presets")
    if len(given.rest) != {"compare": 1, "events": 2}.get(given.what, 0):
        parser.error(f"{given.what}: allowed: what stands behind it above")
    if given.what == "draw":
        descriptions.draw()
    rows = list(descriptions.known())[:: given.share]
    differ = 0
    if given.what in ("draw", "record"):
        record(RECORD, rows)
        record_further()
    elif given.what == "record-presets":
        record(OF_PRESETS, descriptions.of_presets())
    elif given.what == "hashes":
        hashes([*rows, *known_further()[:: given.share]])
    elif given.what == "events":
        print("\n".join(courses.events(further.of_name(given.rest[0]), int(given.rest[1]))))
    elif given.what == "compare":
        differ = compare(given.rest[0], given.share)
        print(f"{differ} differ")
    else:
        presets = given.what == "presets"
        if presets:
            found = differing(OF_PRESETS, descriptions.of_presets())
        else:
            others = known_further()[:: given.share]
            found = itertools.chain(differing(RECORD, rows), differing(FURTHER, others))
        wrong = list(itertools.islice(found, 1) if given.first else found)
        differ = len(wrong)
        print("\n".join([*wrong, f"{differ} differ from what was recorded"]))
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main())
