"""What people call the fields of a result."""

from __future__ import annotations

PERCENTILES = {
    "mean": "mean",
    "p50": "p50",
    "p90": "p90",
    "p95": "p95",
    "p99": "p99",
    "p99_9": "p99.9",
    "p99_99": "p99.99",
    "max": "max",
}

PARTS = {
    "link": "host link",
    "admission": "wait at the host",
    "space": "wait for a free block",
    "command": "commands on the channel",
    "cell": "cell array (tR, tPROG, tERASE)",
    "transfer": "data on the channel",
    "suspend": "suspend and resume",
    "cpu": "firmware on a core",
    "cpu_wait": "wait for a core",
    "translation": "wait for the map",
    "misprediction": "reading at a wrong guess",
    "chip": "wait for the turn of its chip",
}

CLASSES = {
    "host_read": "host reads",
    "host_program": "host programs",
    "gc_read": "GC reads",
    "gc_program": "GC programs",
    "gc_erase": "GC erases",
}


def part_label(key: str) -> str:
    """What a part of the response time is called in a table."""
    for prefix, resource in (("die_wait.", "die"), ("channel_wait.", "channel")):
        if key.startswith(prefix):
            cause = key.removeprefix(prefix)
            return f"{resource} busy with {CLASSES.get(cause, cause.replace('_', ' '))}"
    return PARTS.get(key, key.replace("_", " "))
