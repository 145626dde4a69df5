"""`wordline mqsim --seeds`: each scenario with several seeds, as means with intervals."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordline import simulation
from wordline._core import WordlineError
from wordline.folders import usable
from wordline.mqsim.command import differences, folder_of
from wordline.mqsim.convert import IoScenario
from wordline.result import NAMES_OF_SEEDS
from wordline.seeds import Seeds, side_by_side


@dataclass(frozen=True)
class OfSeeds:
    """A scenario, its seeds, and what their runs gave."""

    scenario: IoScenario
    results: Seeds
    written: tuple[Path, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """Of the conversion, and of what the first run to do so met that MQSim does otherwise."""
        met = ((seed, differences(result)) for seed, result in self.results.items())
        found: Iterator[tuple[str, ...]] = (
            tuple(f"seed {seed}: {text}" for text in texts) for seed, texts in met if texts
        )
        return (*self.scenario.notes, *next(found, ()))

    def summary(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "scenario": self.scenario.number,
            "notes": list(self.notes),
            "written": [str(path) for path in self.written],
            "seeds": self.results.to_dict(),
        }


def run(
    found: Sequence[tuple[IoScenario, list[int]]],
    out: Path | None,
    *,
    checked: bool,
    jobs: int | None = None,
    overrides: Sequence[tuple[str, str]] = (),
    command: Sequence[str] = (),
    progress: AbstractContextManager[simulation.Progress | None],
) -> Iterator[OfSeeds]:
    """Runs each scenario with its seeds, in `jobs` threads; into `out` as `wordline run --seeds`."""
    scenarios = [scenario for scenario, _ in found]
    folders = {
        scenario.number: folder_of(scenario, scenarios, out) for scenario in scenarios if out is not None
    }
    for folder in folders.values():
        usable(folder, NAMES_OF_SEEDS)
    with progress as update:
        for scenario, seeds in found:
            try:
                results = side_by_side(
                    scenario.run_as(checked=checked, overrides=overrides), seeds, jobs, update
                )
            except WordlineError as error:
                raise scenario.origins.reworded(error) from None
            into = folders.get(scenario.number)
            written = results.save(into, command) if into is not None else []
            yield OfSeeds(scenario, results, tuple(written))


def as_json(outcomes: Iterable[OfSeeds]) -> str:
    """All of it as one JSON object."""
    return json.dumps({"scenarios": [outcome.summary() for outcome in outcomes]})
