"""A result in the form of MQSim's result file: its elements and attributes, with the right figures in them.

Times are microseconds, as in MQSim, but not cut to whole ones. Figures that MQSim doesn't have stand behind
its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from wordline._core import __version__
from wordline.mqsim.convert import IoScenario
from wordline.result import Result

Fields = dict[str, object]

PERCENTILES = {"p50": "P50", "p90": "P90", "p95": "P95", "p99": "P99", "p99_9": "P99.9", "p99_99": "P99.99"}
DIRECTIONS = {"read": "Read", "write": "Write"}
QUEUES = {
    "User_Read": "host_read",
    "User_Write": "host_program",
    "Mapping_Read": "map_read",
    "Mapping_Write": "map_program",
    "GC_Read": "internal_read",
    "GC_Write": "internal_program",
    "GC_Erase": "internal_erase",
}
"""MQSim's queues of a chip, and what they are called here."""


WAITS = ("chip", "gate", "conflict", "suspend")
"""Parts of a response time that MQSim counts as waiting, beside those for dies and channels."""


class _Writer:
    """XML with tabs, as MQSim writes it."""

    def __init__(self) -> None:
        # The comment tells it from a file that MQSim wrote.
        self.lines = ['<?xml version="1.0" encoding="us-ascii"?>', f"<!-- Wordline {__version__} -->"]
        self.depth = 0

    def open(self, tag: str) -> None:
        self.lines.append("\t" * self.depth + f"<{tag}>")
        self.depth += 1

    def close(self, tag: str) -> None:
        self.depth -= 1
        self.lines.append("\t" * self.depth + f"</{tag}>")

    def values(self, fields: Fields) -> None:
        for name, value in fields.items():
            self.lines.append("\t" * self.depth + f"<{name}>{escape(_text(value))}</{name}>")

    def leaf(self, tag: str, fields: Fields) -> None:
        attributes = "".join(f" {name}={quoteattr(_text(value))}" for name, value in fields.items())
        self.lines.append("\t" * self.depth + f"<{tag}{attributes}/>")


def _text(value: object) -> str:
    return f"{value:.6f}" if isinstance(value, float) else str(value)


def document(scenario: IoScenario, result: Result) -> bytes:
    """The text of `<workload>_scenario_N.xml`."""
    data: Mapping[str, Any] = result.to_dict()
    writer = _Writer()
    writer.open("MQSim_Results")
    writer.open("Host")
    for name, flow in zip(scenario.flows, _flows(data), strict=True):
        writer.open("Host.IO_Flow")
        writer.values(_flow(name, flow, _seconds(data)))
        writer.close("Host.IO_Flow")
    writer.close("Host")
    writer.open("SSDDevice")
    writer.open("SSDDevice.HostInterface")
    writer.values({"Name": "SSDDevice.HostInterface"})
    flows = _flows(data)
    for number, flow in enumerate(flows):
        times = _times_of_pages(flow) if len(flows) > 1 else _times_of_commands(data)
        writer.open("SSDDevice.IO_Stream")
        writer.values(_stream(number, times))
        writer.close("SSDDevice.IO_Stream")
    writer.close("SSDDevice.HostInterface")
    writer.leaf("SSDDevice.FTL", _ftl(data))
    _queues(writer, data)
    for place, chip in _chips(data):
        writer.leaf("SSDDevice.FlashChips", _chip(place, chip, _seconds(data) * 1e9))
    writer.close("SSDDevice")
    writer.close("MQSim_Results")
    # What isn't ASCII, as in the name of a trace, goes as a reference.
    return ("\n".join(writer.lines) + "\n").encode("ascii", "xmlcharrefreplace")


def _flows(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The flows; where there is one, the whole run is it."""
    flows: list[Mapping[str, Any]] = data.get("flows") or [data]
    return flows


def _seconds(data: Mapping[str, Any]) -> float:
    window = data["window"]
    return float(max(1, window["end_ns"] - window["start_ns"])) / 1e9


def _flow(name: str, flow: Mapping[str, Any], seconds: float) -> Fields:
    both = [flow[direction] for direction in DIRECTIONS]
    fields: Fields = {"Name": name}
    for label, key in (("Request_Count", "requests"), ("IOPS", "requests"), ("Bytes", "bytes")):
        figures = [part[key] for part in both]
        whole = (sum(figures), *figures)
        if label == "Request_Count":
            names = ("Request_Count", "Read_Request_Count", "Write_Request_Count")
            fields |= dict(zip(names, whole, strict=True))
        elif label == "IOPS":
            names = ("IOPS", "IOPS_Read", "IOPS_Write")
            fields |= {name: figure / seconds for name, figure in zip(names, whole, strict=True)}
        else:
            parts = ("", "_Read", "_Write")
            fields |= {f"Bytes_Transferred{p}": float(f) for p, f in zip(parts, whole, strict=True)}
            fields |= {f"Bandwidth{p}": f / seconds for p, f in zip(parts, whole, strict=True)}
    times = _times(both)
    for label in ("Device_Response_Time", "End_to_End_Request_Delay"):
        fields |= {label: times["mean"], f"Min_{label}": times["min"], f"Max_{label}": times["max"]}
    for direction, suffix in DIRECTIONS.items():
        fields |= _latencies(flow[direction]["latency_ns"], suffix)
    return fields


def _times(both: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Mean, least and most of both directions together, microseconds."""
    parts = [part for part in both if part["requests"]]
    count = sum(part["requests"] for part in parts)
    if not count:
        return {"mean": 0.0, "min": 0.0, "max": 0.0}
    latencies = [part["latency_ns"] for part in parts]
    total = sum(part["requests"] * part["latency_ns"]["mean"] for part in parts)
    return {
        "mean": total / count / 1e3,
        "min": min(latency["min"] for latency in latencies) / 1e3,
        "max": max(latency["max"] for latency in latencies) / 1e3,
    }


def _latencies(latency: Mapping[str, Any], suffix: str) -> Fields:
    def micros(key: str) -> float:
        return (latency.get(key) or 0) / 1e3

    label = f"Device_Response_Time_{suffix}"
    fields: Fields = {label: micros("mean"), f"Min_{label}": micros("min"), f"Max_{label}": micros("max")}
    return fields | {f"{name}_{label}": micros(key) for key, name in PERCENTILES.items()}


def _stream(number: int, times: Mapping[str, tuple[float, float, float]]) -> Fields:
    """Mean times by direction: execution, transfer and waiting, ns."""
    fields: Fields = {"Stream_ID": number}
    for direction, suffix in DIRECTIONS.items():
        execution, transfer, waiting = times[direction]
        whole = execution + transfer + waiting
        means = {"Turnaround": whole, "Execution": execution, "Transfer": transfer, "Waiting": waiting}
        fields |= {f"Average_{suffix}_Transaction_{k}_Time": v / 1e3 for k, v in means.items()}
    return fields


def _times_of_pages(flow: Mapping[str, Any]) -> dict[str, tuple[float, float, float]]:
    """Of the flash page of each request that ended last: one of several flows has no other record."""
    times = {}
    for direction in DIRECTIONS:
        mean = flow[direction]["blame"]["mean"]["mean_ns"]
        waits = (
            value
            for part, value in mean.items()
            if part.startswith(("die_wait", "channel_wait"))
            or part in ("chip", "gate", "conflict", "suspend")
        )
        transfer = mean.get("command", 0.0) + mean.get("transfer", 0.0)
        times[direction] = (mean.get("cell", 0.0), transfer, sum(waits))
    return times


def _times_of_commands(data: Mapping[str, Any]) -> dict[str, tuple[float, float, float]]:
    """Of all flash pages that were read and programmed for the host and its cache."""
    times = {}
    for direction, kind in (("read", "host_read"), ("write", "host_program")):
        queues = [chip["queues"][kind] for chip in data["chips"] if kind in chip["queues"]]
        done, served, cell, transfer, commands = (
            sum(queue[key] for queue in queues)
            for key in ("done", "served_ns", "cell_ns", "transfer_ns", "commands")
        )
        execution = cell / max(1, commands)
        moving = transfer / max(1, done)
        times[direction] = (execution, moving, max(0.0, served / max(1, done) - execution - moving))
    return times


def _ftl(data: Mapping[str, Any]) -> Fields:
    def total(kinds: Iterable[str], key: str) -> int:
        return sum(chip["queues"].get(kind, {}).get(key, 0) for chip in data["chips"] for kind in kinds)

    fields: Fields = {}
    copybacks = data["flash"].get("copybacks", 0)
    for name, kinds in (
        ("Read", ("host_read", "map_read", "internal_read")),
        ("Program", ("host_program", "map_program", "internal_program")),
        ("Erase", ("internal_erase",)),
    ):
        several = total(kinds, "multi_plane")
        fields[f"Issued_Flash_{name}_CMD"] = total(kinds, "commands") - several
        fields[f"Issued_Flash_Interleaved_{name}_CMD"] = 0
        fields[f"Issued_Flash_Multiplane_{name}_CMD"] = several
        if name != "Read":
            fields[f"Issued_Flash_Interleaved_Multiplane_{name}_CMD"] = 0
        if name != "Erase":
            fields[f"Issued_Flash_Copyback_{name}_CMD"] = copybacks
            fields[f"Issued_Flash_Multiplane_Copyback_{name}_CMD"] = 0
    programs = ("host_program", "map_program", "internal_program")
    fields["Issued_Flash_Suspend_Program_CMD"] = total(programs, "suspensions")
    fields["Issued_Flash_Suspend_Erase_CMD"] = total(("internal_erase",), "suspensions")
    fields["Issued_Flash_Read_CMD_For_Mapping"] = total(("map_read",), "commands")
    fields["Issued_Flash_Program_CMD_For_Mapping"] = total(("map_program",), "commands")
    fields |= _map_cache(data)
    moves = {"GC": data["gc"], "WL": data.get("other_moves", {}).get("wear_levelling", {})}
    for name, move in moves.items():
        victims = move.get("victims", 0)
        fields[f"Total_{name}_Executions"] = victims
        moved = move.get("moved_units", 0) / victims if victims else 0.0
        fields[f"Average_Page_Movement_For_{name}"] = moved
    return fields


def _map_cache(data: Mapping[str, Any]) -> Fields:
    """Looking pages up in the map: with all of it in DRAM every time is a hit."""
    mapping = data.get("mapping")
    operations = {kind: figures["operations"] for kind, figures in data["flash"]["by_class"].items()}
    lookups = {
        "read": operations.get("host_read", 0),
        "write": operations.get("host_program", 0) + operations.get("write_back_program", 0),
    }
    missed = {"read": 0, "write": 0}
    if mapping is not None:
        lookups, missed = map_figures(mapping)
    hits = {direction: lookups[direction] - missed[direction] for direction in lookups}
    fields: Fields = {}
    for label, figures in (("CMT_Hits", hits), ("CMT_Misses", missed)):
        fields[label] = sum(figures.values())
        fields |= {f"{label}_For_{DIRECTIONS[d]}": figures[d] for d in figures}
    fields["Total_CMT_Queries"] = sum(lookups.values())
    fields |= {f"Total_CMT_Queries_For_{DIRECTIONS[d]}s": lookups[d] for d in lookups}
    return fields


def map_figures(mapping: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, int]]:
    """Lookups and misses by direction, from the figures of address translation."""
    hits, misses = mapping["hits"], mapping["misses"]
    write_hits, missed_writes = mapping["hits_of_writes"], mapping["misses_of_writes"]
    lookups = {"read": hits - write_hits + misses - missed_writes, "write": write_hits + missed_writes}
    return lookups, {"read": misses - missed_writes, "write": missed_writes}


def _chips(data: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    ways = data["config"]["device"]["geometry"]["ways"]
    return [(f"@{number // ways}@{number % ways}", chip) for number, chip in enumerate(data["chips"])]


def _queues(writer: _Writer, data: Mapping[str, Any]) -> None:
    writer.open("SSDDevice.TSU")
    for name, kind in QUEUES.items():
        for place, chip in _chips(data):
            queue = chip["queues"].get(kind, {})
            writer.leaf(f"SSDDevice.TSU.{name}_TR_Queue", _queue(f"{name}_TR_Queue{place}", queue))
    writer.close("SSDDevice.TSU")


def _queue(name: str, queue: Mapping[str, Any]) -> Fields:
    return {
        "Name": name,
        "No_Of_Transactions_Enqueued": queue.get("entered", 0),
        "No_Of_Transactions_Dequeued": queue.get("left", 0),
        "Avg_Queue_Length": float(queue.get("mean_length", 0.0)),
        "Max_Queue_Length": queue.get("max_length", 0),
        "STDev_Queue_Length": float(queue.get("std_length", 0.0)),
        "Avg_Transaction_Waiting_Time": queue.get("mean_wait_ns", 0.0) / 1e3,
        "Max_Transaction_Waiting_Time": queue.get("max_wait_ns", 0) / 1e3,
    }


def _chip(place: str, chip: Mapping[str, Any], length_ns: float) -> Fields:
    array, transfer, both = (chip[key] / length_ns for key in ("array_ns", "transfer_ns", "both_ns"))
    return {
        "ID": place,
        "Fraction_of_Time_in_Execution": array,
        "Fraction_of_Time_in_DataXfer": transfer,
        "Fraction_of_Time_in_DataXfer_and_Execution": both,
        "Fraction_of_Time_Idle": max(0.0, 1.0 - array - transfer + both),
    }
