"""The numbers that papers print, from a folder of CSV files."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from wordline._core import WordlineError
from wordline.repro.exhibit import papers
from wordline.repro.numbers import Number
from wordline.repro.verdict import parsed
from wordline.wording import argument

HEADLINE = "headline.csv"

COLUMNS = ("system", "exhibit", "workload", "metric", "against", "value", "unit")

Line = dict[str, str]


def read(folder: Path | None) -> list[Line]:
    """The lines of `headline.csv`; none without a folder."""
    if folder is None:
        return []
    path, given = folder / HEADLINE, argument("targets_folder", folder, "--targets")
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            lines = list(reader)
    except OSError as error:
        raise WordlineError(f"{given}: {path}: {error.strerror or error}") from None
    if not set(COLUMNS) <= set(reader.fieldnames or ()):
        raise WordlineError(f"{given}: {path}: allowed: the columns {', '.join(COLUMNS)}")
    return lines


def without_exhibit(lines: Sequence[Line], found: Sequence[Number], chosen: Sequence[str]) -> list[Number]:
    """A number for each printed line that no exhibit computes, with the reason."""
    computed = {
        (number.paper, number.exhibit, number.workload, number.metric, number.against) for number in found
    }
    known = papers()
    missing = []
    for line in lines:
        key = (line["system"], line["exhibit"], line["workload"], line["metric"], line["against"])
        if line["system"] not in chosen or key in computed:
            continue
        there = line["system"] in known
        note = "no exhibit computes it" if there else f"the system `{line['system']}` isn't there yet"
        missing.append(
            Number(
                paper=line["system"],
                exhibit=line["exhibit"],
                workload=line["workload"],
                metric=line["metric"],
                against=line["against"],
                unit=line["unit"],
                target=parsed(line["value"]),
                ours=None,
                verdict="not run",
                workload_is="",
                note=note,
            )
        )
    return missing
