"""`wordline run --timeline`: a trace for the Perfetto viewer, decoded with the messages of its package, and
queried in the viewer's own trace processor.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL, Wordline, sets
from trace_processor import serve

import wordline as package

RUN: dict[str, Any] = {"device": "enterprise-tlc", "scheme": "suspend", "workload": "mixed-70-30-8k-qd16"}
SETTINGS = {
    "device.geometry.blocks": 24,
    "device.geometry.pages": 192,
    "device.geometry.channels": 2,
    "device.capacity.user_bytes": 2_000_000_000,
    "workload.source.requests": 3000,
    "workload.start.overwrite": 0.3,
    "workload.start.settle_requests": 0,
    "scheme.cache.policy": "none",
}


def decode(path: Path) -> Any:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as messages  # type: ignore[import-untyped]

    trace = messages.Trace()
    trace.ParseFromString(path.read_bytes())
    return trace


class Tracks:
    """The slices and counters of a trace by the names of its tracks."""

    def __init__(self, path: Path) -> None:
        self.names: dict[int, str] = {}
        self.parents: dict[int, int] = {}
        self.slices: dict[str, list[Any]] = defaultdict(list)
        self.counters: dict[str, list[tuple[int, int]]] = defaultdict(list)
        open_: dict[int, Any] = {}
        for packet in decode(path).packet:
            if packet.HasField("track_descriptor"):
                track = packet.track_descriptor
                assert track.parent_uuid in {0, *self.names}, "a parent is described before its children"
                self.names[track.uuid] = track.name
                self.parents[track.uuid] = track.parent_uuid
                continue
            event, name = packet.track_event, self.names[packet.track_event.track_uuid]
            if event.type == event.TYPE_SLICE_BEGIN:
                assert event.track_uuid not in open_
                open_[event.track_uuid] = packet
            elif event.type == event.TYPE_SLICE_END:
                begun = open_.pop(event.track_uuid)
                begun.track_event.flow_ids.extend(event.flow_ids)
                self.slices[name].append((begun.timestamp, packet.timestamp, begun.track_event))
            else:
                assert event.type == event.TYPE_COUNTER
                self.counters[name].append((packet.timestamp, event.counter_value))
        assert not open_


@cache
def decoded(path: Path) -> Tracks:
    return Tracks(path)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    path = tmp_path_factory.mktemp("timeline") / "run.pftrace"
    return package.run(**RUN, overrides=SETTINGS, timeline=path), path


def test_every_request_is_a_slice_of_its_response_time(run: tuple[Any, Path]) -> None:
    result, path = run
    slices = [one for name, found in decoded(path).slices.items() if name.startswith("row") for one in found]
    assert len(slices) == 3000
    reads = [end - begin for begin, end, event in slices if event.name == "read"]
    assert len(reads) == result.read.requests
    assert sum(reads) / len(reads) == pytest.approx(result.read.latency_ns.mean)
    assert max(reads) == result.read.latency_ns.max


def test_slices_of_dies_and_channels_add_up_to_their_busy_time(run: tuple[Any, Path]) -> None:
    result, path = run
    tracks, last = decoded(path), result["window"]["end_ns"]
    for number, die in enumerate(result["dies"]):
        name = f"channel {die['channel']} die {number % (len(result['dies']) // 2)}"
        busy: dict[str, int] = defaultdict(int)
        for begin, end, event in tracks.slices[name]:
            # Garbage collection goes on after the last answer, with which the window ends.
            busy[event.name.removesuffix(", resumed").replace(" ", "_")] += max(min(end, last) - begin, 0)
        assert {key: value for key, value in busy.items() if value} == {
            key: value for key, value in die["busy_ns"].items() if value
        }
    for number, channel in enumerate(result["channels"]):
        within = (one for one in tracks.slices[f"channel {number}"] if one[0] < last)
        assert sum(min(end, last) - begin for begin, end, _ in within) == sum(channel["busy_ns"].values())


def test_slices_of_a_track_do_not_overlap(run: tuple[Any, Path], tmp_path: Path) -> None:
    waiting: dict[str, Any] = {
        "workload.host": {"arrivals": "open", "max_outstanding": 2},
        "workload.source.interarrival": {"kind": "poisson", "iops": 40_000},
        "workload.source.requests": 500,
    }
    package.run(**RUN, overrides={**SETTINGS, **waiting}, timeline=tmp_path / "waiting.pftrace")
    both = (decoded(run[1]), decoded(tmp_path / "waiting.pftrace"))
    for name, found in (track for tracks in both for track in tracks.slices.items()):
        last = 0
        for begin, end, _ in found:
            assert last <= begin <= end, name
            last = end


def test_flows_lead_from_requests_to_their_operations(run: tuple[Any, Path]) -> None:
    tracks = decoded(run[1])
    requests = {
        flow: (b, e)
        for name, found in tracks.slices.items()
        if name.startswith("row")
        for b, e, v in found
        for flow in v.flow_ids
    }
    assert len(requests) == 3000
    served = set()
    for name, found in tracks.slices.items():
        if " die " not in name:
            continue
        for begin, _, event in found:
            assert bool(event.flow_ids) == event.name.startswith("host"), event.name
            for flow in event.flow_ids:
                served.add(flow)
                # A command of several planes lasts until the data of the last one have left.
                assert requests[flow][0] <= begin < requests[flow][1]
    assert served == set(requests)


def test_categories_are_causes_and_names_are_classes(run: tuple[Any, Path]) -> None:
    pairs = {
        (event.categories[0], event.name.removesuffix(", resumed"))
        for name, found in decoded(run[1]).slices.items()
        if "channel" in name
        for _, _, event in found
    }
    assert {("host", "host read"), ("host", "host program"), ("gc", "gc program")} <= pairs


def test_counters_tell_queues_and_requests_inside(run: tuple[Any, Path]) -> None:
    tracks = decoded(run[1])
    assert max(value for _, value in tracks.counters["requests inside"]) == 16
    assert tracks.counters["requests inside"][-1][1] == 0
    queues = {
        name: values for name, values in tracks.counters.items() if name.endswith("waiting and running")
    }
    assert len(queues) == len(run[0]["dies"])
    assert max(value for values in queues.values() for _, value in values) > 1


def test_watching_changes_no_result(run: tuple[Any, Path]) -> None:
    alone, watched = package.run(**RUN, overrides=SETTINGS).to_dict(), run[0].to_dict()
    del alone["engine"], watched["engine"]
    assert alone == watched


def test_a_window_holds_what_overlaps_it(wordline: Wordline, tmp_path: Path, run: tuple[Any, Path]) -> None:
    path = tmp_path / "part.pftrace"
    outcome = wordline(
        "run", "--device", RUN["device"], "--scheme", "suspend", "--workload", RUN["workload"],
        *sets(SETTINGS), "--timeline", path, "--window", "10ms..0.012s",
    )  # fmt: skip
    assert outcome.code == 0
    part, whole = decoded(path), decoded(run[1])
    for name, found in whole.slices.items():
        inside = [(b, e, v.name) for b, e, v in found if e >= 10_000_000 and b < 12_000_000]
        if not name.startswith("row"):
            assert [(b, e, v.name) for b, e, v in part.slices[name]] == inside
    assert 0 < sum(map(len, part.slices.values())) < sum(map(len, whole.slices.values()))


@pytest.mark.parametrize("window", ["1s", "2s..1s", "1..2", "a..b", "-1s..1s", "1s..1s"])
def test_a_window_that_is_none_is_refused(wordline: Wordline, tmp_path: Path, window: str) -> None:
    call = ("run", "--device", "mqsim", *sets(SMALL), "--timeline", tmp_path / "t", "--window", window)
    assert wordline(*call).error().startswith(f"--window {window}: allowed: FROM..TO")


def test_a_timeline_that_cannot_be_written_is_told_and_leaves_nothing(
    wordline: Wordline, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    assert (
        "file is not a folder"
        in wordline("run", "--device", "mqsim", *sets(SMALL), "--timeline", tmp_path / "file" / "t").error()
    )
    (tmp_path / "file").unlink()
    assert (
        "--window is for" in wordline("run", "--device", "mqsim", *sets(SMALL), "--window", "0s..1s").error()
    )
    bad = {**SMALL, "workload.source.region.bytes": 4096, "workload.window.warmup_requests": 100_000}
    assert (
        "nothing was measured"
        in wordline("run", "--device", "mqsim", *sets(bad), "--timeline", tmp_path / "t").error()
    )
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def processor(run: tuple[Any, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from perfetto.trace_processor import TraceProcessor  # type: ignore[import-untyped]

    profile = tmp_path_factory.mktemp("browser")
    with serve(profile) as address, TraceProcessor(remote=address, trace=str(run[1])) as loaded:
        yield loaded


def rows(processor: Any, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row.__dict__.values()) for row in processor.query(query)]


def test_the_trace_processor_finds_no_error(processor: Any) -> None:
    assert rows(processor, "select name from stats where name = 'parse_trace_duration_ns' and value > 0")
    errors = "select name, value from stats where severity in ('error', 'data_loss') and value > 0"
    assert rows(processor, errors) == []
    assert rows(processor, "select count(*) from slice where dur < 0") == [(0,)], "a slice was not ended"


def test_the_trace_processor_counts_the_requests(run: tuple[Any, Path], processor: Any) -> None:
    query = "select name, count(*), sum(dur), max(dur) from slice where category = 'request' group by name"
    found = {name: (number, total, longest) for name, number, total, longest in rows(processor, query)}
    for name, side in (("read", run[0].read), ("write", run[0].write)):
        number, total, longest = found.pop(name)
        assert (number, longest) == (side.requests, side.latency_ns.max)
        assert total / number == pytest.approx(side.latency_ns.mean)
    assert found == {}


def test_the_trace_processor_adds_up_dies_and_channels(run: tuple[Any, Path], processor: Any) -> None:
    result, last = run[0], run[0]["window"]["end_ns"]
    query = "select track.name, ts, ts + dur as until from slice join track on track.id = track_id"
    busy: dict[str, int] = defaultdict(int)
    for name, begin, end in rows(processor, query):
        if name.startswith("channel ") and begin < last:
            busy[name] += min(end, last) - begin
    told = {
        f"channel {die['channel']} die {number % (len(result['dies']) // 2)}": sum(die["busy_ns"].values())
        for number, die in enumerate(result["dies"])
    }
    for number, channel in enumerate(result["channels"]):
        told[f"channel {number}"] = sum(channel["busy_ns"].values())
    assert busy == told


def test_the_trace_processor_follows_requests_to_their_operations(
    run: tuple[Any, Path], processor: Any
) -> None:
    arrows = "from flow join slice source on source.id = slice_out join slice goal on goal.id = slice_in"
    # An arrow leads from a request to its first operation, and from each of them to the next.
    ends = rows(processor, f"select distinct source.category as begun, goal.category as ended {arrows}")
    assert {("request", "host")} <= set(ends) <= {("request", "host"), ("host", "host")}
    begun = f"select count(distinct slice_out) as number {arrows} where source.category = 'request'"
    assert rows(processor, begun) == [(3000,)]
    tracks = decoded(run[1]).slices.items()
    told = sum(len(event.flow_ids) for name, found in tracks if " die " in name for _, _, event in found)
    assert rows(processor, f"select count(*) as number {arrows}") == [(told,)]


def test_the_trace_processor_has_the_counters(run: tuple[Any, Path], processor: Any) -> None:
    query = """
        select counter_track.name, count(*), min(value), max(value)
        from counter join counter_track on counter_track.id = track_id group by counter_track.name
    """
    told = {
        name: (len(values), min(value for _, value in values), max(value for _, value in values))
        for name, values in decoded(run[1]).counters.items()
    }
    assert {name: rest for name, *rest in rows(processor, query)} == {k: list(v) for k, v in told.items()}
