"""Refuses response times that aren't in µs, by what the drive as it is described would have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wordline._core import WordlineError
from wordline.calibration.protocol import DIRECTIONS, Protocol, Run, simulated
from wordline.scenario import Scenario
from wordline.simulation import measure

FAR = 300.0
"""Times the described drive's median at rest. Nearly full queues make that of some loads, but not of the
lightest; ns in the place of µs make a thousand of what it has.
"""

LEAST_US = 10.0
"""A described drive without link or firmware answers in less."""

REQUESTS = 1000
"""Of the probe alone, on the described drive."""

AT_REST = (("workload.start.layout", "in_order"),)
"""Ready at once, whatever its scheme."""


def at_rest(scenario: Scenario, protocol: Protocol) -> dict[str, float]:
    """The figures of the probe alone on the drive as it is described."""
    offered = protocol.probe_per_s * (1 - protocol.probe_read_share)
    probe = scenario.changed(workload=protocol.workload(offered, REQUESTS), overrides=AT_REST)
    found = measure(probe)
    assert found is not None  # noqa: S101 -- a run without an end of its own
    return simulated(found.json())


def check(at_rest: Mapping[str, float], runs: Sequence[Run], device: str) -> None:
    """Raises `WordlineError` where the smallest median of the runs that weren't saturated is so far from that
    of the drive at rest.
    """
    unsaturated = [run for run in runs if not run.is_saturated]
    for column in (f"{direction}_p50_us" for direction in DIRECTIONS if unsaturated):
        run = min(unsaturated, key=lambda run: run.figures[column])
        own, value = max(at_rest[column], LEAST_US), run.figures[column]
        if value > FAR * own:
            raise WordlineError(
                f"{run.where}: {column} = {value:g}: {value / own:,.0f} times the {own:.3g} µs of "
                f"{device}: allowed: µs (in ns? divide by 1,000)"
            )
