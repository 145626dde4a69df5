"""What a description does: every command, answer and action, as hashes."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from descriptions import Random, Row

import wordline
from wordline import _core, simulation
from wordline.policies import handed_over
from wordline.scenario import Scenario

EVENTS = 256
"""Events of a part of the course."""

KEPT_OUT = ("schema", "engine", "version", "config", "changed", "traces")
"""What of a result isn't what the drive did: clocks, the build, and what was asked of it."""


@dataclass(frozen=True)
class Outcome:
    """What a run did."""

    digest: str
    """Of the course, of the tables at its begin and end, and of the result; the error where there is none."""
    hashes: list[int]
    """Of the course up to the end of each part."""


def source(row: Row, folder: Path) -> dict[str, object]:
    """Where the requests come from."""
    if row.generator is not None:
        return {"kind": "synthetic", "requests": row.requests, **row.generator}
    if row.trace is None:
        return {"kind": "trace", "path": str(drawn_trace(row, folder)), "out_of_range": "wrap"}
    return {
        "kind": "trace",
        "path": str(row.trace),
        "out_of_range": "wrap",
        "max_requests": row.requests,
    }


def drawn_trace(row: Row, folder: Path) -> Path:
    """Requests of all kinds: most of them in a quarter of the drive, some of a part of a page."""
    random = Random(row.seed)
    lines = ["time_ns,op,offset_bytes,length_bytes"]
    now = 0
    for _ in range(row.requests):
        kind = random.below(40)
        op = "F" if kind == 0 else "T" if kind == 1 else "WF" if kind == 2 else "W" if kind < 18 else "R"
        unit = 512 if random.below(5) == 0 else 4096
        span = SPAN // 4 if random.below(10) < 7 else SPAN
        length = unit * (1 + random.below(6))
        offset = random.below((span - length) // unit) * unit
        now += random.below(400_000)
        lines.append(f"{now},{op},{0 if op == 'F' else offset},{0 if op == 'F' else length}")
    path = folder / "requests.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


SPAN = 1 << 21
"""Bytes of addresses that requests are for, fewer than the smallest drive has."""


def run(
    row: Row,
    course: _core.Course | None,
    *,
    stops: tuple[int, ...] = (),
    forked: bool = False,
) -> dict[str, object] | str:
    """The result, or the error.

    After so many requests the run is saved, and goes on from the file. One that is `forked` begins on a fork
    of a drive that was prepared before.
    """
    with tempfile.TemporaryDirectory() as folder:
        base = Scenario(
            row.device,
            row.scheme,
            {"source": source(row, Path(folder))},
            overrides=row.overrides,
            seed=row.seed,
            checked=row.checked,
        )
        try:
            with handed_over(row.policies) as own:
                scenario = base.changed(overrides=own)
                how: simulation.How = {"course": course}
                if forked:
                    how["drive"] = simulation.prepare_drive(scenario, None).fork()
                state: Path | None = None
                for number, stop in enumerate(stops):
                    saved = Path(folder) / f"{number}.state"
                    simulation.simulate_part(
                        scenario, load_state=state, save_state=saved, stop_after=stop, **how
                    )
                    state = saved
                result = simulation.simulate_part(scenario, load_state=state, **how)
        except wordline.WordlineError as error:
            # In which line of a preset a key stands is nobody's result.
            return re.sub(r"(\.toml):\d+:", r"\1:", str(error).replace(folder, ""))
    if result is None:
        return "it stopped"
    text = result.json()
    if row.trace is not None:
        # Where a trace lies is nobody's result.
        text = text.replace(str(row.trace), "trace")
    whole = json.loads(text)
    # That a key has no effect is said of what was asked.
    whole["notes"] = [note for note in whole["notes"] if note["kind"] != "no_effect"]
    return {key: value for key, value in whole.items() if key not in KEPT_OUT}


def whole(row: Row) -> Outcome:
    """The whole course of a description."""
    course = _core.Course()
    outcome = run(row, course)
    if isinstance(outcome, str):
        return Outcome(f"refused: {outcome}", course.hashes)
    parts = json.dumps([course.hashes[-1], course.tables, outcome], sort_keys=True)
    return Outcome(hashlib.sha256(parts.encode()).hexdigest()[:16], course.hashes)


def differs_in_parts(row: Row, stops: tuple[int, ...]) -> bool:
    """Whether a run that is saved and goes on does anything else than one that isn't."""
    courses = (_core.Course(), _core.Course())
    outcomes = [run(row, courses[0]), run(row, courses[1], stops=stops)]
    return outcomes[0] != outcomes[1] or courses[0].hashes != courses[1].hashes


def differs_on_a_fork(row: Row) -> bool:
    """Whether a run on a fork of a prepared drive does anything else than one that prepares its own."""
    courses = (_core.Course(), _core.Course())
    outcomes = [run(row, courses[0]), run(row, courses[1], forked=True)]
    return outcomes[0] != outcomes[1] or courses[0].hashes != courses[1].hashes


def events(row: Row, part: int) -> list[str]:
    """The events of one part of the course."""
    course = _core.Course(part * EVENTS, (part + 1) * EVENTS)
    run(row, course)
    return course.events
