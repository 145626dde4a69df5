"""Takes the counts of `make instructions RECORD='reason'` down in crates/instructions/counts.toml.

Usage: scripts/record_instructions.py REASON < SUMMARIES, one JSON object a line, as gungraun prints them.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

FILE = Path(__file__).parent.parent / "crates" / "instructions" / "counts.toml"


def counts(text: str) -> Iterator[tuple[str, int]]:
    """Each hot path and its instructions (the event `Ir` of callgrind)."""
    for line in text.splitlines():
        if not line.startswith("{"):
            continue
        summary = json.loads(line)
        yield summary["function_name"], instructions(summary)


def instructions(value: object) -> int:
    """The newest count of `Ir` anywhere in a summary of one benchmark."""
    if isinstance(value, dict):
        if "Ir" in value:
            return newest(value["Ir"])
        value = list(value.values())
    if isinstance(value, list):
        return max((instructions(part) for part in value), default=0)
    return 0


def newest(metric: object) -> int:
    """The count of this run, without that of the one before it."""
    while isinstance(metric, dict):
        metric = next(metric[key] for key in ("values", "new", "both") if key in metric)
        if isinstance(metric, list):
            metric = metric[0]
    if not isinstance(metric, int):
        raise SystemExit(f"a summary without a whole number of instructions: {metric!r}")
    return metric


def main() -> None:
    """Appends the record."""
    reason = sys.argv[1].strip()
    found = dict(counts(sys.stdin.read()))
    if not reason or not found:
        raise SystemExit("a reason and at least one count are needed")
    listed = ", ".join(f"{path} = {count:_}" for path, count in sorted(found.items()))
    with FILE.open("a", encoding="utf-8") as file:
        file.write(f"\n[[recorded]]\nreason = {json.dumps(reason, ensure_ascii=False)}\n")
        file.write(f"instructions = {{ {listed} }}\n")
    print(f"{FILE.name}: {listed}")


if __name__ == "__main__":
    main()
