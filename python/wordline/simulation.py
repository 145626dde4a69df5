"""Running a simulation from Python."""

from __future__ import annotations

import contextlib
import json
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypedDict, Unpack

from wordline import _core, flows, outputs, reads, schemes
from wordline._core import Drive
from wordline.policies import handed_over, sources
from wordline.policies.actions import index
from wordline.presets import (
    DEFAULT_DEVICE,
    DEFAULT_WORKLOAD,
    Description,
    Given,
    Kind,
    load,
    load_workload,
    replay,
)
from wordline.result import Record, Result
from wordline.scenario import Overrides, Scenario, joined, override_list, scenario_of
from wordline.wording import argument

Progress: TypeAlias = Callable[[int, int | None, int], None]
"""Called some ten times a second: requests done, requests in all if known, simulated time in ns. Where it has
a method `preparing`, that is called instead while the drive is prepared by overwriting its pages: overwrites
done, those after which it ends at the earliest, and the pages that are overwritten again and again.
"""

PathLike: TypeAlias = str | os.PathLike[str]

ALL_TIME = (0, 2**64 - 1)
"""A window that holds every nanosecond."""


def run(
    device: Given | Scenario = DEFAULT_DEVICE,
    scheme: Given | None = None,
    workload: Given | None = None,
    *,
    seed: int | None = None,
    checked: bool | None = None,
    overrides: Overrides | None = None,
    progress: Progress | None = None,
    drive: Drive | None = None,
    traces: PathLike | None = None,
    timeline: PathLike | None = None,
    window: tuple[int, int] | None = None,
    policies: Mapping[str, object] | None = None,
    request_log: PathLike | None = None,
    **more: object,
) -> Result:
    """Simulates one workload on one drive and returns what was measured.

    What is run is a `Scenario`, in the place of the device, or made of the arguments that it takes; what is
    left out is as in `Scenario()`. Overrides may also be keyword arguments. `checked`
    verifies every read and audits the whole map at the end. The GIL is released during the run, so runs in
    several threads go side by side; the same inputs give the same result whatever else runs. With `drive`
    (see `wordline.prepare`) the run begins on a copy of it instead of preparing its own; the result is the
    same. With `traces`, a folder, a workload preset that is a twin gives way to its real trace if that is
    there, known by its file name. With `timeline` a trace for the Perfetto viewer is written there, of the
    time from `window[0]` to `window[1]` (ns) or of all of it. With `request_log` a Parquet file is written
    there with a row for each answered request: times, what it asked, and the parts of its response time.
    `policies` are classes or objects by slot that take the place of the scheme's (see `wordline.policies`).

    Raises `WordlineError`, a `ValueError` with a message of one line, when an input can't be simulated.
    """
    workload = with_traces(device, workload, traces)
    scenario = scenario_of(
        device, scheme, workload, overrides=joined(overrides, more), seed=seed, checked=checked
    )
    within = _window(window, timeline)
    with with_policies(scenario, policies) as scenario:
        return simulate(
            scenario,
            progress=progress,
            drive=drive,
            timeline=None if timeline is None else (timeline, within),
            request_log=request_log,
        )


def with_traces(device: Given | Scenario, workload: Given | None, traces: PathLike | None) -> Given | None:
    """The workload of loose arguments: the real trace in the place of its twin where that folder has it."""
    if traces is None:
        return workload
    if isinstance(device, Scenario) and workload is None:
        # Its workload is loaded: nothing tells which twin it was.
        raise _core.WordlineError(f"traces = {os.fspath(traces)}: allowed: beside a scenario with a workload")
    return load_workload(DEFAULT_WORKLOAD if workload is None else workload, traces)


@contextlib.contextmanager
def with_policies(scenario: Scenario, policies: Mapping[str, object] | None) -> Iterator[Scenario]:
    """The scenario that names these policies. Raises `WordlineError` for an object that the drives of an
    array would share.
    """
    with handed_over(policies) as own:
        objects = objects_among(policies)
        scenario = scenario.changed(overrides=own)
        if objects and resolved(scenario, whole_drive=False)["scheme"].get("array"):
            raise _core.WordlineError(
                f"policies: {objects[0]} = an object: allowed beside scheme.array: a class, of which each "
                "drive has its own"
            )
        yield scenario


def objects_among(policies: Mapping[str, object] | None) -> list[str]:
    """The slots whose policy is no class but an object, which keeps its state."""
    return [slot for slot, policy in (policies or {}).items() if not isinstance(policy, type)]


@dataclass(frozen=True)
class Ready:
    """A drive for a run to begin on."""

    drive: Drive | None
    """In memory, …"""
    file: Path | None
    """… or in a file that was kept."""
    how: str
    """What was done, in a few words."""


class How(TypedDict, total=False):
    """How a run is carried out, as the core names it."""

    progress: Progress | None
    drive: Drive | None
    held: _core.Held | None
    timeline: tuple[PathLike, tuple[int, int]] | None
    request_log: PathLike | None
    course: _core.Course | None


class HowPart(How, total=False):
    """The same of a part of a run."""

    load_state: PathLike | None
    save_state: PathLike | None
    stop_after: int | None


def simulate(scenario: Scenario, **how: Unpack[How]) -> Result:
    """`run` of a scenario."""
    result = simulate_part(scenario, **how)
    if result is None:
        raise RuntimeError("a run without an end of its own has stopped")
    return result


def simulate_part(scenario: Scenario, *, ready: Ready | None = None, **how: Unpack[HowPart]) -> Result | None:
    """`run_part` of a scenario. `ready` is a drive to begin on."""
    measured = measure(scenario, ready=ready, **how)
    if measured is None:
        return None
    return Result(measured, None if ready is None else ready.how, scenario.overrides)


def measure(
    scenario: Scenario, *, ready: Ready | None = None, **how: Unpack[HowPart]
) -> _core.RunResult | None:
    """What `simulate_part` makes a result of."""
    _check_states(how)
    if ready is not None:
        how["drive"] = ready.drive
        how["load_state"] = ready.file or how.get("load_state")
    is_of_states = any(how.get(name) is not None for name in ("drive", "load_state", "save_state"))
    with _outputs(scenario, how):
        return _core.run(
            *scenario.texts(),
            overrides=scenario.settings(),
            seed=scenario.seed,
            checked=scenario.checked,
            base_dir=str(scenario.workload.folder),
            remarks=list(scenario.workload.notes),
            policies=_made_of(scenario) if is_of_states else "",
            **how,
        )


def _window(window: Sequence[int] | None, timeline: PathLike | None) -> tuple[int, int]:
    """That of a timeline. Raises `WordlineError` for one that is none, or that nothing is written of."""
    if window is None:
        return ALL_TIME
    if timeline is None:
        given, wanted = argument("window", window), argument("timeline", "FILE")
        raise _core.WordlineError(f"{given}: allowed: beside {wanted}")
    ends = [index(end) for end in window] if isinstance(window, tuple | list) else []
    numbers = [end for end in ends if end is not None]
    if not len(ends) == len(numbers) == 2 or not 0 <= numbers[0] < numbers[1] <= ALL_TIME[1]:
        allowed = "(FROM, TO), whole numbers of ns, FROM below TO"
        raise _core.WordlineError(f"{argument('window', window)}: allowed: {allowed}")
    return numbers[0], numbers[1]


def _check_states(how: HowPart) -> None:
    """Raises `WordlineError` for a state that isn't there, for a stop before the first request, and where
    only one is given of what a run that stops needs.
    """
    loaded, save_state, stop_after = how.get("load_state"), how.get("save_state"), how.get("stop_after")
    if loaded is not None and not Path(loaded).exists():
        raise _core.WordlineError(f"{argument('load_state', loaded)}: No such file or directory")
    if loaded is not None and not outputs.STATE.is_own(Path(loaded)):
        raise _core.WordlineError(f"{argument('load_state', loaded)}: allowed: {outputs.STATE.name}")
    if save_state is not None and stop_after is None:
        given, wanted = argument("save_state", save_state), argument("stop_after", "N")
        raise _core.WordlineError(f"{given}: allowed: beside {wanted}, the requests before the run stops")
    if stop_after is not None and save_state is None:
        given, wanted = argument("stop_after", stop_after), argument("save_state", "FILE")
        raise _core.WordlineError(f"{given}: allowed: beside {wanted}, where the run that stops is written")
    if stop_after is not None and stop_after < 1:
        raise _core.WordlineError(f"{argument('stop_after', stop_after)}: allowed: 1 request or more")


def check(scenario: Scenario, **how: Unpack[HowPart]) -> None:
    """Raises `WordlineError` for what `simulate_part` would refuse of how a run is carried out."""
    _check_states(how)
    taken = _files_read(scenario, how)
    for option, path, form in _files_written(how):
        taken.append(outputs.check(option, path, form, taken))


@contextlib.contextmanager
def _outputs(scenario: Scenario, how: HowPart) -> Iterator[None]:
    """Checks the files that a run writes, and makes their folders."""
    written = _files_written(how)
    # What is read is told by the workload's description, which is read for it.
    taken = _files_read(scenario, how) if written else []
    with contextlib.ExitStack() as left:
        for option, path, form in written:
            taken.append(left.enter_context(outputs.output(option, path, form, taken)))
        yield


def _files_read(scenario: Scenario, how: HowPart) -> list[Path]:
    loaded = how.get("load_state")
    return [*reads.of_scenario(scenario), *([] if loaded is None else [Path(loaded)])]


def _files_written(how: HowPart) -> list[tuple[str, PathLike, outputs.Form]]:
    """Each with the option that names it and its form."""
    timeline = how.get("timeline")
    wanted = [
        (argument("request_log"), how.get("request_log"), outputs.LOG),
        (argument("timeline"), None if timeline is None else timeline[0], outputs.TIMELINE),
        (argument("save_state"), how.get("save_state"), outputs.STATE),
    ]
    return [(option, path, form) for option, path, form in wanted if path is not None]


def run_part(
    device: Given | Scenario = DEFAULT_DEVICE,
    scheme: Given | None = None,
    workload: Given | None = None,
    *,
    seed: int | None = None,
    checked: bool | None = None,
    overrides: Overrides | None = None,
    progress: Progress | None = None,
    load_state: PathLike | None = None,
    save_state: PathLike | None = None,
    stop_after: int | None = None,
    policies: Mapping[str, object] | None = None,
    **more: object,
) -> Result | None:
    """A part of a run: from its beginning or from a saved state, to its end or to `stop_after` requests.

    What is run is given as to `run`. `load_state` is a file of a run that stopped, or of a prepared drive. A
    run that stops, when so many of its requests have entered the drive, is written to `save_state`, and there
    is no result yet: `None`. The result at the end is that of a run that never stopped. Everything else must
    be as it was when the state was saved.
    """
    scenario = scenario_of(
        device, scheme, workload, overrides=joined(overrides, more), seed=seed, checked=checked
    )
    with with_policies(scenario, policies) as scenario:
        return simulate_part(
            scenario,
            progress=progress,
            load_state=load_state,
            save_state=save_state,
            stop_after=stop_after,
        )


def prepare(
    device: Given | Scenario = DEFAULT_DEVICE,
    scheme: Given | None = None,
    workload: Given | None = None,
    *,
    seed: int | None = None,
    checked: bool | None = None,
    overrides: Overrides | None = None,
    progress: Progress | None = None,
    policies: Mapping[str, object] | None = None,
    **more: object,
) -> Drive:
    """Prepares a drive once, for any number of runs: as `run` would, from the `start` of the workload.

    `run(..., drive=drive)` begins on a copy of it, so that runs don't influence each other; device, scheme,
    `workload.start`, seed and `checked` must be the same. `drive.save(path)` writes it to a file,
    `drive.fork()` copies it.
    """
    scenario = scenario_of(
        device, scheme, workload, overrides=joined(overrides, more), seed=seed, checked=checked
    )
    with handed_over(policies) as own:
        return prepare_drive(scenario.changed(overrides=own), progress)


def prepare_drive(scenario: Scenario, progress: Progress | None) -> Drive:
    """`prepare` of a scenario."""
    return _core.prepare(
        *scenario.texts(),
        overrides=scenario.settings(),
        seed=scenario.seed,
        checked=scenario.checked,
        base_dir=str(scenario.workload.folder),
        policies=_made_of(scenario),
        progress=progress,
    )


def load_drive(
    path: PathLike,
    device: Given | Scenario = DEFAULT_DEVICE,
    scheme: Given | None = None,
    workload: Given | None = None,
    *,
    seed: int | None = None,
    checked: bool | None = None,
    overrides: Overrides | None = None,
    policies: Mapping[str, object] | None = None,
    **more: object,
) -> Drive:
    """The prepared drive of a file; the rest must be as it was when the drive was prepared."""
    scenario = scenario_of(
        device, scheme, workload, overrides=joined(overrides, more), seed=seed, checked=checked
    )
    with handed_over(policies) as own:
        scenario = scenario.changed(overrides=own)
        return _core.load_drive(
            path,
            *scenario.texts(),
            overrides=scenario.settings(),
            seed=scenario.seed,
            checked=scenario.checked,
            base_dir=str(scenario.workload.folder),
            policies=_made_of(scenario),
        )


def _made_of(scenario: Scenario) -> str:
    """What policies in Python are made of: the hashes of their files, as text. Empty without any, and where
    they are in no file.
    """
    own = [pair for pair in scenario.settings() if pair[0].startswith("scheme.")]
    described = tomllib.loads(_core.resolve("scheme", scenario.texts()[1], own))
    try:
        found = sources(described.get("custom", {}))
    except _core.WordlineError:
        return ""
    return json.dumps(found, sort_keys=True) if found else ""


def check_prepare(scenario: Scenario) -> None:
    """Raises `WordlineError` for what `prepare_drive` would refuse before the drive is made."""
    _core.check_prepare(
        *scenario.texts(), overrides=scenario.settings(), seed=scenario.seed, checked=scenario.checked
    )


def resolved(scenario: Scenario, whole_drive: bool = True) -> dict[str, Any]:
    """What a scenario comes to: its descriptions with every default filled in, and what follows from them,
    as `logical_bytes`. Raises `WordlineError` for what can be refused before the first request.

    Without `whole_drive` no drive is made for a try.
    """
    text = _core.check(
        *scenario.texts(),
        overrides=scenario.settings(),
        seed=scenario.seed,
        checked=scenario.checked,
        base_dir=str(scenario.workload.folder),
        whole_drive=whole_drive,
    )
    whole: dict[str, Any] = json.loads(text)
    return whole


def resolve(
    kind: Kind,
    name_or_path: Given,
    overrides: Mapping[str, object] | None = None,
    *,
    device: Given | None = None,
) -> str:
    """The whole description of a device, a scheme or a workload, defaults filled in, as TOML.

    A device may bring defaults for schemes: with `device`, a scheme is shown as it is on that drive.
    """
    return resolve_text(kind, name_or_path, override_list(overrides or {}), device)


def resolve_text(
    kind: Kind, name_or_path: Given, overrides: list[tuple[str, str]], device: Given | None = None
) -> str:
    """`resolve` with overrides whose values are TOML."""
    description = schemes.described(name_or_path) if kind == "scheme" else load(kind, name_or_path)
    drive = load("device", device) if device is not None else None
    if kind == "workload":
        overrides = flows.expanded(description.text, overrides)
    return _core.resolve(
        kind,
        (description.label, description.text),
        overrides,
        device=(drive.label, drive.text) if drive else None,
    )


def trace_info(path: PathLike, **options: object) -> Record:
    """What a trace holds: requests, bytes, sizes, duration, addresses.

    Options are keys of a workload's `source`, such as `format="msr"` or `skip_bad_lines=True`.
    """
    overrides = override_list({f"workload.source.{key}": value for key, value in options.items()})
    return describe_trace(replay(path), overrides)


def describe_trace(
    trace: Description, overrides: list[tuple[str, str]], progress: Progress | None = None
) -> Record:
    """`trace_info` on a description, with overrides whose values are TOML."""
    text = _core.trace_info(
        (trace.label, trace.text), overrides, base_dir=str(trace.folder), progress=progress
    )
    data: dict[str, Any] = json.loads(text)
    return Record(data)
