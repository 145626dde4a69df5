"""A drive of today as it is sold and with another scheduler, a million requests each.

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

# The drive as it is sold, full, in the steady state of random overwrites; the same with another scheduler.
COMMAND = "wordline run --device enterprise-tlc --workload mixed-70-30-8k-qd16"
RUNS = {
    "fifo": (" --set scheme.scheduler.policy=fifo", "every die serves its commands in order of arrival"),
    "baseline": ("", "as sold: reads go first and suspend a running program or erase"),
}

# On the drive of HotR's paper, with five channels as stripes of four pages and their parity need them.
COMPARISON = """wordline compare --device hotr-tlc --workload hpc-46
    --schemes baseline,collision,hotr,parity-rebuild,rails
    --set device.geometry.channels=5 --set device.geometry.ways=4
    --set device.capacity.overprovisioning=0.35"""


def main(folder: Path) -> None:
    """Runs the drive with both schedulers and compares their reads, then the systems."""
    results = {name: simulate(options, folder / name) for name, (options, _) in RUNS.items()}
    print("\nReads under the two schedulers, µs:\n")
    print(f"  {'':10}{'mean':>10}{'p50':>10}{'p99':>10}{'p99.9':>10}")
    for name, result in results.items():
        print(line(name, result))
    execute(f"{COMPARISON}\n    --out {shlex.quote(str(folder / 'schemes'))}")
    print(
        f"\nIn {folder}/schemes: rows and page (report.html) of this comparison. In {folder}/<run>/:\n"
        "  report.txt          the table above\n"
        "  report.html         the same and more as a page with charts\n"
        "  result.json         every number of it, and the whole configuration that gave them\n"
        "  histogram.parquet   response times, reads and writes\n"
        "  dies.parquet        busy time and queue of every die\n"
        "  channels.parquet    busy time of every channel\n"
        "\nNext: .venv/bin/wordline show devices, and README.md."
    )


def line(name: str, result: dict[str, Any]) -> str:
    """The reads of a run."""
    latency = result["read"]["latency_ns"]
    numbers = (f"{latency[key] / 1000:10,.1f}" for key in ("mean", "p50", "p99", "p99_9"))
    return f"  {name:10}{''.join(numbers)}   {RUNS[name][1]}"


def simulate(options: str, out: Path) -> dict[str, Any]:
    """One run by the command line, as a person would type it."""
    execute(f"{COMMAND}\n    --out {shlex.quote(str(out))}{options}")
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
