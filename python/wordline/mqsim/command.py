"""`wordline mqsim`: the scenarios of two files of MQSim, run one after the other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordline import files, outputs, reads, simulation
from wordline._core import WordlineError
from wordline.folders import usable
from wordline.mqsim.convert import IoScenario, read
from wordline.mqsim.results import document
from wordline.result import Result
from wordline.study.point import Inputs, Point


@dataclass(frozen=True)
class Outcome:
    """A scenario and what its run gave."""

    scenario: IoScenario
    result: Result
    written: tuple[Path, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """Of the conversion, and of what the run met that MQSim does otherwise."""
        return (*self.scenario.notes, *differences(self.result))

    def summary(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "scenario": self.scenario.number,
            "notes": list(self.notes),
            "written": [str(path) for path in self.written],
            "result": self.result.to_dict(),
        }


def differences(result: Result) -> tuple[str, ...]:
    """What of a run MQSim does otherwise, for a defect of its own."""
    written = (result.to_dict().get("mapping") or {}).get("write_backs", 0)
    if not written:
        return ()
    return (
        f"{written} pages of the cached map were written back when entries gave way: MQSim never programs "
        "those (defect 3 of docs/mqsim.md), and its response times differ from these by 35% to 2.8 times; "
        "Ideal_Mapping_Table = true, or a CMT_Capacity that holds every entry, leaves them out",
    )


def scenarios(
    configuration: Path, workload: Path, export: Path | None, *, locked_victims: bool = False
) -> list[IoScenario]:
    """The scenarios, exported if asked for; `locked_victims`: the host waits for pages that move."""
    found = read(configuration, workload)
    if locked_victims:
        for scenario in found:
            scenario.scheme["gc"]["host_access"] = "wait"
    if export is not None:
        for scenario in found:
            scenario.export(folder_of(scenario, found, export))
    return found


def folder_of(scenario: IoScenario, found: list[IoScenario], folder: Path) -> Path:
    """Of several scenarios each has a folder of its own."""
    return folder / f"scenario_{scenario.number}" if len(found) > 1 else folder


def run(
    found: list[IoScenario],
    workload: Path,
    out: Path | None,
    *,
    checked: bool,
    seed: int | None = None,
    overrides: Sequence[tuple[str, str]] = (),
    progress: AbstractContextManager[simulation.Progress | None],
) -> Iterator[Outcome]:
    """Runs scenarios; each one's files are written when it has ended.

    MQSim's result file is written beside the workload file, as MQSim does; with `out` into the run folder,
    beside `result.json`.
    """
    runs = [scenario.run_as(checked=checked, seed=seed, overrides=overrides) for scenario in found]
    for scenario, each in zip(found, runs, strict=True):
        path = _result_file(scenario, found, workload, out)
        outputs.check("", path, outputs.OF_MQSIM)
        if out is not None:
            usable(path.parent, reads.written_by(each))
    with progress as update:
        for scenario, each in zip(found, runs, strict=True):
            try:
                result = simulation.simulate(each, progress=update)
            except WordlineError as error:
                raise scenario.origins.reworded(error) from None
            path = _result_file(scenario, found, workload, out)
            with outputs.output("", path, outputs.OF_MQSIM), files.written(path) as part:
                part.write_bytes(document(scenario, result))
            written = [path]
            if out is not None:
                written += result.save(path.parent)
            yield Outcome(scenario, result, tuple(written))


def points(
    found: Iterable[tuple[IoScenario, Sequence[int]]],
    *,
    checked: bool,
    overrides: Sequence[tuple[str, str]],
) -> list[tuple[Point, Inputs]]:
    """The scenarios, each with its seeds, as runs of a study, validated."""
    made = []
    for scenario, seeds in found:
        for seed in seeds:
            point = Point(scenario.run_as(checked=checked, seed=seed, overrides=overrides))
            try:
                made.append((point, Inputs.of(point.scenario)))
            except WordlineError as error:
                raise scenario.origins.reworded(error) from None
    return made


def _result_file(scenario: IoScenario, found: list[IoScenario], workload: Path, out: Path | None) -> Path:
    folder = workload.parent if out is None else folder_of(scenario, found, out)
    return folder / f"{workload.stem}_scenario_{scenario.number}.xml"


def as_json(outcomes: Iterator[Outcome]) -> str:
    """All of it as one JSON object."""
    return json.dumps({"scenarios": [outcome.summary() for outcome in outcomes]})
