"""What a comparison has figures of, and which it shows."""

from __future__ import annotations

from typing import Literal

Direction = Literal["read", "write", "trim", "flush"]
Part = Literal["mean", "tail"]

DIRECTIONS: tuple[Direction, ...] = ("read", "write", "trim", "flush")
PARTS: tuple[Part, ...] = ("mean", "tail")

DEFAULT_METRICS = (
    "read.latency_ns.mean",
    "read.latency_ns.p99",
    "read.iops",
    "write.latency_ns.mean",
    "write.latency_ns.p99",
    "write.iops",
    "trim.latency_ns.mean",
    "trim.latency_ns.p99",
    "flush.latency_ns.mean",
    "flush.latency_ns.p99",
    "waf",
)

SAVED = "comparison.json"
"""The file by which the folder of a comparison is known."""
