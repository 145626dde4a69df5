"""What people call the fields of a result."""

from __future__ import annotations

from collections.abc import Sequence

KINDS = {"read": "reads", "write": "writes", "trim": "trims", "flush": "flushes"}
"""Kinds of requests that a result tells apart, and what several of them are called."""

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

TAILS = (
    ("p50", 0.5), ("p90", 0.1), ("p95", 0.05), ("p97", 0.03), ("p98", 0.02), ("p99", 0.01), ("p99_5", 0.005),
    ("p99_9", 0.001), ("p99_99", 0.0001),
)  # fmt: skip
"""Percentiles, and the share of requests that take longer."""

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
    "chip": "wait for the turn of its chip or plane",
    "moving": "wait for the move of its page",
}

ABOUT = {
    "link": "waiting for the host link and moving on it, both ways",
    "admission": "waiting at the host, since the drive holds as many requests as it may",
    "space": "waiting until garbage collection frees a block",
    "command": "command and address cycles on the channel",
    "cell": "the cell array at work for this request: reading, programming",
    "transfer": "its data on the channel",
    "suspend": "suspending and resuming its own program",
    "conflict": "waiting until another write of a part of the same page is done",
    "retry": "reading the page again after bit errors",
    "decode": "decoding its data",
    "cpu": "the firmware's work for it on a core of the controller",
    "cpu_wait": "waiting for a core of the controller",
    "buffer": "waiting for room in the data cache",
    "cache": "its data moving to or from the cache's DRAM",
    "write_back": "a flush or a write with FUA: until what is on its way from the cache is programmed",
    "gate": "its die rests because its gate is closed",
    "xor": "joining the pages of its stripe",
    "translation": "waiting for its page of the map",
    "misprediction": "reading at a place that was guessed wrongly, waits included",
    "chip": "its die rests until it is its chip's turn",
    "moving": "waiting until its page has been moved out of what is being emptied",
}
"""What a part of the response time is."""

DOING = {
    "link": "the host link",
    "admission": "waiting at the host",
    "space": "waiting for a free block",
    "command": "moving on the channel",
    "cell": "the cell array's work",
    "transfer": "moving on the channel",
    "suspend": "suspending and resuming",
    "conflict": "waiting for another write",
    "retry": "reading again after errors",
    "decode": "decoding",
    "cpu": "the firmware's work",
    "cpu_wait": "waiting for a core",
    "buffer": "waiting for room in the cache",
    "cache": "moving to or from the cache",
    "write_back": "waiting for write-backs",
    "gate": "waiting for a gate",
    "xor": "joining a stripe's pages",
    "translation": "waiting for the map",
    "misprediction": "reading at wrong guesses",
    "chip": "waiting for a turn",
    "moving": "waiting for a move",
}
"""What a request does in a part of the response time; in several parts it may do the same."""

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


def about_part(key: str) -> str:
    """What a part of the response time is, in a sentence."""
    for prefix, resource in (("die_wait.", "its die"), ("channel_wait.", "its channel")):
        if key.startswith(prefix):
            cause = key.removeprefix(prefix)
            work = CLASSES.get(cause, cause.replace("_", " "))
            return f"waiting while {resource} was busy with {work}"
    return ABOUT.get(key, "")


def doing(key: str) -> str:
    """What a request does in a part of the response time, in a few words."""
    for prefix, several in (("die_wait.", "dies"), ("channel_wait.", "channels")):
        if key.startswith(prefix):
            return f"waiting for {several}"
    return DOING.get(key, part_label(key))


def endings(paths: Sequence[str]) -> dict[str, str]:
    """Dotted paths by their last words, as many as tell them apart: `gc.policy` beside `scheduler.policy`."""
    found = {}
    for path in paths:
        words = path.split(".")
        kept = next(
            kept
            for kept in range(1, len(words) + 1)
            if kept == len(words)
            or all(other == path or other.split(".")[-kept:] != words[-kept:] for other in paths)
        )
        found[path] = ".".join(words[-kept:])
    return found
