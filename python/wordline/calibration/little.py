"""What Little's law says against a measurement."""

from __future__ import annotations

from collections.abc import Sequence

from wordline.calibration.protocol import DIRECTIONS, Protocol, Run

UNDER_WAY = 1.1
"""Rate × mean response time (Little's law) may exceed what the threads can have under way by this factor."""


def shortly(doubts: Sequence[str]) -> tuple[str, ...]:
    """One doubt stands for all of its kind."""
    more = f" So do {len(doubts) - 1} other lines." if len(doubts) > 1 else ""
    return (doubts[0] + more,) if doubts else ()


def doubt(run: Run, protocol: Protocol) -> str | None:
    """What Little's law says against a run: more requests under way than threads may have. It is asked of the
    probe, and of the threads that write where their own mean was measured, since one's mean says nothing of
    the others.
    """
    of_probe = run.probe_per_s or _of_probe(run, protocol)
    asked = [("the probe", 1, {f"{name}_mean_us": of_probe[name] for name in DIRECTIONS})]
    if "writer_mean_us" in run.figures:
        rest = max(run.figures["writes_per_s"] - of_probe["write"], 0.0)
        asked.append(("the writing threads", protocol.writers, {"writer_mean_us": rest}))
    for who, threads, per_s in asked:
        under_way = sum(rate * run.figures[name] / 1e6 for name, rate in per_s.items())
        if under_way > UNDER_WAY * threads * protocol.depth:
            parts = [
                f"{rate:,.0f} a second of {name} = {run.figures[name]:,.0f}" for name, rate in per_s.items()
            ]
            return (
                f"{run.where}: of {who} {' and '.join(parts)} are {under_way:,.0f} under way "
                f"(Little's law), and {threads * protocol.depth} is the most: "
                "ns in the place of µs, or another protocol?"
            )
    return None


def _of_probe(run: Run, protocol: Protocol) -> dict[str, float]:
    """What the probe got, from what all threads did: writers and the probe each keep their share of reads."""
    writers, share = protocol.writer_read_share, protocol.probe_read_share
    if share in (0.0, 1.0) or writers == 1.0:
        return {"read": protocol.probe_per_s * share, "write": protocol.probe_per_s * (1 - share)}
    of_writers = writers / (1 - writers)
    per_read = 1 - of_writers * (1 - share) / share
    reads = run.figures["reads_per_s"] - of_writers * run.figures["writes_per_s"]
    most = protocol.probe_per_s * share
    # Writers that read as much as the probe does tell nothing apart.
    reads = min(max(reads / per_read, 0.0), most) if abs(per_read) > 0.1 else most
    return {"read": reads, "write": reads * (1 - share) / share}
