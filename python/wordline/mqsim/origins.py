"""Which of MQSim's keys stand behind Wordline's own, so that errors name those that a user can change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wordline._core import WordlineError
from wordline.mqsim.device import Drive
from wordline.mqsim.keys import DEVICE, FLASH, HOST, SYNTHETIC, TRACE
from wordline.mqsim.kinds import Key
from wordline.mqsim.values import Values
from wordline.mqsim.workload import Flow

MESSAGE = re.compile(
    r"(?:[^ ]+: )?(?P<path>(?:device|scheme|workload)\.[\w.\[\]]+) = (?P<rest>.*)", re.DOTALL
)
"""An error of the engine about a value."""

NAMED = re.compile(r"`((?:device|scheme|workload|host|flow|source)\.[\w.]+)`")
"""A key of Wordline's in what a key of MQSim's becomes."""

FLOW = re.compile(r"workload\.flow\[(\d+)\]\.")


@dataclass(frozen=True)
class Origins:
    """The parameter sets that a scenario comes from."""

    drive: Drive
    flows: tuple[Flow, ...]

    def reworded(self, error: WordlineError) -> WordlineError:
        """The error with MQSim's keys, their file and line in the place of ours, where they are known."""
        found = MESSAGE.fullmatch(str(error))
        if found is None:
            return error
        path, rest = found["path"], found["rest"]
        behind = list(self._behind(path))
        if not behind:
            return error
        values, first = behind[0]
        keys = ", ".join(f"{key.name} = {values.shown(key.name)}" for values, key in behind)
        return WordlineError(f"{values.place(first.name)}: {keys}: {path} = {rest}")

    def _behind(self, path: str) -> Iterator[tuple[Values, Key]]:
        """The keys that become `path`, or the longest part of it that any becomes."""
        sets: Sequence[tuple[Values, Sequence[Key]]] = [
            (self.drive.host, HOST),
            (self.drive.device, DEVICE),
            (self.drive.flash, FLASH),
            *((flow.values, TRACE if flow.is_trace else SYNTHETIC) for flow in self.flows),
        ]
        if (found := FLOW.match(path)) and int(found[1]) < len(self.flows):
            flow = self.flows[int(found[1])]
            sets = [(flow.values, TRACE if flow.is_trace else SYNTHETIC)]
            path = "flow." + path[found.end() :]
        path = re.sub(r"\[\d+\]", "", path).removeprefix("workload.host.").removeprefix("flow.source.")
        spellings = {path, f"host.{path}", f"source.{path}"}
        best = 0
        matches: list[tuple[int, Values, Key]] = []
        for values, keys in sets:
            for key in keys:
                if key.effect == "no effect" or not values.has(key.name):
                    continue
                for name in NAMED.findall(key.meaning):
                    if any(path == name or path.startswith(f"{name}.") for path in spellings):
                        matches.append((len(name), values, key))
                        best = max(best, len(name))
        return ((values, key) for length, values, key in matches if length == best)
