"""Draws the timelines of docs/collision.md and docs/hotr.md from two small runs.

Usage: scripts/timelines.py FOLDER, with `wordline` and perfetto installed. FOLDER is docs/img.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as messages  # type: ignore[import-untyped]

import wordline
from wordline.charts.axis import Axis
from wordline.charts.images import save
from wordline.charts.specs import SCHEMA, Chart

COLORS = {"host read": "#1f77b4", "host program": "#b5651d", "copy program": "#2a9d6f"}

SECTORS = 32
"""Sectors of 16 KiB."""

Request = tuple[int, int, int]
"""Time, ns; page; 1 for a read, 0 for a write."""


def run(device: str, scheme: str, requests: Iterable[Request], sectors: int, **settings: object) -> Path:
    """Runs these requests and returns the trace of the run."""
    folder = Path(tempfile.mkdtemp())
    lines = [f"{time} 0 {page * sectors} {sectors} {kind}\n" for time, page, kind in sorted(requests)]
    (folder / "requests.trace").write_text("".join(lines))
    (folder / "workload.toml").write_text(
        'name = "drawn"\nsource = { kind = "trace", path = "requests.trace" }\n'
        'host.arrivals = "open"\nstart.occupancy = "all"\n'
    )
    path = folder / "run.pftrace"
    overrides = {key.replace("__", "."): value for key, value in settings.items()}
    wordline.run(device, scheme, folder / "workload.toml", overrides=overrides, timeline=path)
    return path


def slices(path: Path) -> dict[str, list[tuple[int, int, str]]]:
    """Begin, end and name of what each die does."""
    trace = messages.Trace()
    trace.ParseFromString(path.read_bytes())
    names: dict[int, str] = {}
    found: dict[str, list[tuple[int, int, str]]] = {}
    begun: dict[int, Any] = {}
    for packet in trace.packet:
        if packet.HasField("track_descriptor"):
            names[packet.track_descriptor.uuid] = packet.track_descriptor.name
            continue
        event = packet.track_event
        if event.type == event.TYPE_SLICE_BEGIN:
            begun[event.track_uuid] = packet
        elif event.type == event.TYPE_SLICE_END:
            first = begun.pop(event.track_uuid)
            one = (first.timestamp, packet.timestamp, first.track_event.name)
            found.setdefault(names[event.track_uuid], []).append(one)
    return {name: of_die for name, of_die in found.items() if " die " in name}


def draw(title: str, path: Path, marks: list[tuple[float, str]], picture: Path) -> None:
    """A row for each die that did something; `marks` are times in ns with words."""
    rows = slices(path)
    bars = [
        {"d": die, "b": begin, "e": end, "n": name}
        for die, of_die in sorted(rows.items())
        for begin, end, name in of_die
    ]
    names = [name for name in COLORS if any(bar["n"] == name for bar in bars)]
    time = Axis("time", "time").channel("b")
    color = {
        "field": "n",
        "type": "nominal",
        "title": None,
        "scale": {"domain": names, "range": [COLORS[name] for name in names]},
        "legend": {"orient": "bottom", "symbolType": "square"},
    }
    across = {"field": "t", "type": "quantitative"}
    layers = [
        {"data": {"values": bars}, "mark": "bar", "encoding": {
            "y": {"field": "d", "type": "nominal", "title": None, "scale": {"padding": 0.4}},
            "x": time, "x2": {"field": "e"}, "color": color,
        }},
        {"mark": {"type": "rule", "strokeDash": [2, 2]}, "encoding": {"x": across}},
        {"mark": {"type": "text", "align": "left", "dx": 3, "y": -6},
         "encoding": {"x": across, "text": {"field": "w"}}},
    ]  # fmt: skip
    body = {
        "$schema": SCHEMA,
        "height": 46 * len(rows),
        "data": {"values": [{"t": at, "w": words} for at, words in marks]},
        "layer": layers,
    }
    save(Chart(title, body), picture, width=560)


def main(folder: Path) -> None:
    """Both pictures."""
    # Pages 0 and 32 are on one die of the sixteen.
    pairs = [(time * 1_000_000, page, 1) for time in range(3) for page in (0, 32)]
    small = {"device__geometry__blocks": 64, "device__capacity__overprovisioning": 0.2}
    path = run("collision", "collision", pairs, SECTORS, **small)
    rounds = [(0.0, "the pair collides"), (1e6, "it collides again"), (2e6, "two dies")]
    draw("A pair of pages, read together", path, rounds, folder / "collision-timeline.png")
    # Page 0 and a page that is written are on one die; the last chip is the staging space.
    step = 2_500_000
    written = 2 * 4 * 19 * 100
    blocked = [(time * step, written, 0) for time in range(3)] + [
        (time * step + 200_000, 0, 1) for time in range(3)
    ]
    path = run("hotr-tlc", "hotr", blocked, 8, device__geometry__blocks=128)
    words = ["blocked: known", "blocked: staged", "redirected"]
    marks = [(float(time * step + 200_000), words[time]) for time in range(3)]
    draw("A page, read while its die programs", path, marks, folder / "hotr-timeline.png")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
