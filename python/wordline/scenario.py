"""What a run is of: drive, scheme, workload, and all else that decides its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from wordline import flows, schemes
from wordline._core import WordlineError
from wordline.policies._asked import yes_or_no
from wordline.policies.actions import index
from wordline.presets import (
    DEFAULT_DEVICE,
    DEFAULT_SCHEME,
    DEFAULT_WORKLOAD,
    Description,
    Given,
    load,
    toml_value,
)

Overrides: TypeAlias = Mapping[str, object] | Sequence[tuple[str, str]]
"""Values by dotted path, or pairs of dotted path and TOML value of which the later one holds."""

MOST_SEED = 2**64 - 1


@dataclass(frozen=True, init=False)
class Scenario:
    """A run, described: what decides its result, and nothing of how it is carried out.

    Device, scheme and workload are names of presets, paths of TOML files, or mappings of what would stand in
    such a file: `workload={"source": {"kind": "trace", "path": "web.csv"}}`. A scheme may also be
    `key=value`, or several joined by `+`, and a workload a job file of fio. Overrides are keyed by dotted
    path: `overrides={"device.geometry.blocks": 256}`; a flow stands there by its name:
    `workload.flow.reader.queue_depth`. Raises `WordlineError` for a description that can't be
    had and a seed that is none; what descriptions and overrides say is checked where they are run.

    `run`, `run_part`, `prepare`, `load_drive`, `run_seeds`, `compare` and `calibrate` take one in the place
    of the device, and their other arguments change it; `sweep`, `open_sweep` and `tune` begin with one. It is
    plain data: two that are made of the same are equal, and one can be sent to another process.
    """

    device: Description
    scheme: Description
    workload: Description
    overrides: tuple[tuple[str, str], ...]
    """Dotted path and TOML value; the later one holds."""
    seed: int
    """Of everything random, from 0 to 2⁶⁴ − 1."""
    checked: bool
    """Whether every read is verified, and the whole map audited at the end."""

    def __init__(
        self,
        device: Given = DEFAULT_DEVICE,
        scheme: Given = DEFAULT_SCHEME,
        workload: Given = DEFAULT_WORKLOAD,
        *,
        overrides: Overrides = (),
        seed: int = 1,
        checked: bool = False,
    ) -> None:
        # A frozen class is set like this.
        object.__setattr__(self, "device", load("device", device))
        object.__setattr__(self, "scheme", schemes.described(scheme))
        object.__setattr__(self, "workload", load("workload", workload))
        object.__setattr__(self, "overrides", tuple(override_list(overrides)))
        object.__setattr__(self, "seed", whole_seed(seed))
        object.__setattr__(self, "checked", yes_or_no("checked", checked))

    def changed(
        self,
        *,
        device: Given | None = None,
        scheme: Given | None = None,
        workload: Given | None = None,
        overrides: Overrides | None = None,
        seed: int | None = None,
        checked: bool | None = None,
    ) -> Scenario:
        """The same with what is given in the place of its own; overrides come after its own."""
        return Scenario(
            self.device if device is None else device,
            self.scheme if scheme is None else scheme,
            self.workload if workload is None else workload,
            overrides=(*self.overrides, *override_list(overrides or ())),
            seed=self.seed if seed is None else seed,
            checked=self.checked if checked is None else checked,
        )

    def settings(self) -> list[tuple[str, str]]:
        """The overrides as the core takes them: those of one flow, by its name, as one of all flows."""
        return flows.expanded(self.workload.text, self.overrides)

    def texts(self) -> tuple[tuple[str, str], tuple[str, str], tuple[str, str]]:
        """Label and text of each description, as the core takes them."""
        parts = (self.device, self.scheme, self.workload)
        first, second, third = ((part.label, part.text) for part in parts)
        return first, second, third


def scenario_of(
    device: Given | Scenario = DEFAULT_DEVICE,
    scheme: Given | None = None,
    workload: Given | None = None,
    *,
    overrides: Overrides | None = None,
    seed: int | None = None,
    checked: bool | None = None,
) -> Scenario:
    """The scenario of loose arguments: what isn't given is as in that in the place of the device, or else as
    in `Scenario()`.
    """
    base = device if isinstance(device, Scenario) else Scenario(device)
    return base.changed(scheme=scheme, workload=workload, overrides=overrides, seed=seed, checked=checked)


def begun_with(scenario: Scenario | None) -> Scenario:
    """What the runs of a study are, but for what it names. Raises `WordlineError` for what is no scenario."""
    if scenario is None:
        return Scenario()
    if not isinstance(scenario, Scenario):
        raise WordlineError(f"scenario = {scenario!r}: allowed: a wordline.Scenario")
    return scenario


def whole_seed(seed: object) -> int:
    """A seed; NumPy's integers are fine. Raises `WordlineError` for what is none."""
    number = index(seed)
    if number is None or not 0 <= number <= MOST_SEED:
        raise WordlineError(f"seed = {seed!r}: allowed: a whole number from 0 to {MOST_SEED}")
    return number


def override_list(overrides: Overrides) -> list[tuple[str, str]]:
    """Overrides as the core takes them: dotted path and TOML value."""
    if isinstance(overrides, Mapping) and all(isinstance(path, str) for path in overrides):
        return [(path, toml_value(value, path)) for path, value in overrides.items()]
    if isinstance(overrides, tuple | list) and all(_is_pair(item) for item in overrides):
        return list(overrides)
    raise WordlineError(f"overrides = {overrides!r}: allowed: a mapping of dotted paths to values")


def joined(overrides: Overrides | None, more: Mapping[str, object]) -> list[tuple[str, str]]:
    """Overrides, and after them those that are keyword arguments."""
    return [*override_list(overrides or ()), *override_list(more)]


def _is_pair(item: object) -> bool:
    return isinstance(item, tuple) and len(item) == 2 and all(isinstance(text, str) for text in item)
