"""Results out of the folders that they were written to."""

from __future__ import annotations

import json
import os
from pathlib import Path

from wordline import folders
from wordline._core import WordlineError
from wordline.comparison import saved
from wordline.comparison.figures import Comparison
from wordline.files import named
from wordline.kept_results import RESULT, InFolder
from wordline.result import Result
from wordline.seeds import Seeds
from wordline.sweeps.api import TABLE, Sweep

SUMMARY = folders.SEEDS
"""The file by which a folder of several seeds is known."""


def load(folder: str | os.PathLike[str]) -> Result | Seeds | Comparison | Sweep:
    """What `run`, `compare` or `sweep` wrote into a folder: a `Result`, of several seeds `Seeds`, a
    `Comparison`, a `Sweep`.

    Tables of a run are read when they are asked for. Raises `WordlineError` for a folder of anything else,
    and where its files aren't whole.
    """
    place = named(folder)
    folders.check(place)
    if (place / saved.SAVED).is_file():
        return saved.load(place)[0]
    if (place / TABLE).is_file():
        return Sweep(place)
    if (place / SUMMARY).is_file():
        return Seeds({seed: load_run(place / f"seed-{seed}") for seed in _seeds(place / SUMMARY)})
    if (place / RESULT).is_file():
        return load_run(place)
    raise WordlineError(
        f"{place}: neither {RESULT} nor {SUMMARY}, {saved.SAVED} or {TABLE} is there: "
        "allowed: a folder that run, compare or sweep wrote"
    )


def load_run(folder: Path) -> Result:
    """The run of a folder."""
    run = InFolder(folder)
    try:
        return Result(run)
    except ValueError as error:
        raise WordlineError(f"{folder / RESULT}: not the result of a run: {error}") from None


def _seeds(path: Path) -> list[int]:
    try:
        return [int(seed) for seed in json.loads(path.read_text(encoding="utf-8"))["seeds"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WordlineError(f"{path}: not a summary of seeds: {error!r}") from None
