"""Two schedulers on one drive of today, a million requests each, and what the difference is.

Then systems of four papers side by side.

Usage: scripts/demo.py FOLDER, with `wordline` installed. Results and tables go to FOLDER.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

# A sixteenth of the blocks of a 3.84 TB drive, mapped and accessed in whole flash pages, in the steady state
# of random overwrites, so that garbage collection is in full swing from the first request on.
COMMAND = """wordline run --device enterprise-tlc --workload mixed-70-30-8k-qd16
    --set device.geometry.blocks=86 --set device.capacity.user_bytes=240_000_000_000
    --set device.geometry.mapping_unit_bytes=16384 --set workload.source.sizes=16384"""
SCHEDULERS = {
    "fifo": "every die serves its commands in order of arrival",
    "read_first_suspend": "reads go first and suspend a running program or erase",
}

# On the drive of HotR's paper, with five channels as stripes of four pages and their parity need them.
COMPARISON = """wordline compare --device hotr-tlc --workload hpc-46
    --schemes baseline,collision,hotr,ttflash,rails
    --set device.geometry.channels=5 --set device.geometry.ways=4
    --set device.capacity.overprovisioning=0.35"""


def main(folder: Path) -> None:
    """Runs both schedulers and compares their reads, then the systems."""
    results = {scheduler: simulate(scheduler, folder / scheduler) for scheduler in SCHEDULERS}
    print("\nReads under the two schedulers, µs:\n")
    print(f"  {'':20}{'mean':>10}{'p50':>10}{'p99':>10}{'p99.9':>10}")
    for scheduler, result in results.items():
        latency = result["read"]["latency_ns"]
        numbers = (f"{latency[key] / 1000:10,.1f}" for key in ("mean", "p50", "p99", "p99_9"))
        print(f"  {scheduler:20}{''.join(numbers)}   {SCHEDULERS[scheduler]}")
    execute(f"{COMPARISON}\n    --out {shlex.quote(str(folder / 'schemes'))}")
    print(
        f"\nIn {folder}/schemes: the rows of this comparison. In {folder}/<scheduler>/:\n"
        "  report.txt          the table above\n"
        "  report.html         the same and more as a page with charts\n"
        "  result.json         every number of it, and the whole configuration that gave them\n"
        "  histogram.parquet   response times, reads and writes\n"
        "  dies.parquet        busy time and queue of every die\n"
        "  channels.parquet    busy time of every channel\n"
        "\nNext: .venv/bin/wordline show devices, and README.md."
    )


def simulate(scheduler: str, out: Path) -> dict[str, Any]:
    """One run by the command line, as a person would type it."""
    execute(f"{COMMAND}\n    --set scheme.scheduler.policy={scheduler} --out {shlex.quote(str(out))}")
    result: dict[str, Any] = json.loads((out / "result.json").read_text(encoding="utf-8"))
    return result


def execute(command: str) -> None:
    """Prints a command line and carries it out."""
    shown = command.replace("\n", " \\\n")
    print(f"\n$ {shown}\n", flush=True)
    subprocess.run(shlex.split(command), check=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
