"""What `wordline.Drive` takes and gives, in Python's terms."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordline import schemes
from wordline._core import WordlineError
from wordline.presets import DEFAULT_DEVICE, Given, load, toml_key, toml_value
from wordline.result import Record
from wordline.scenario import override_list

OPS: tuple[str, ...] = ("read", "write", "write_fua", "trim", "flush")
"""The operations. Where they are numbers, each is its place."""

COMPLETION = np.dtype(
    [
        ("tag", np.uint64),
        ("arrival_ns", np.uint64),
        ("completion_ns", np.uint64),
        ("offset", np.uint64),
        ("length", np.uint64),
        ("stream", np.uint16),
        ("op", np.uint8),
    ]
)
"""A request that was answered: what was asked, when it arrived, and when the host had the answer."""

_NUMBERS = {name: number for number, name in enumerate(OPS)}

Text = tuple[str, str]


def described(
    device: Given | None,
    scheme: Given | None,
    start: Mapping[str, object] | None,
    overrides: Mapping[str, object] | None,
) -> tuple[Text, Text, str, list[tuple[str, str]]]:
    """The texts of a drive's descriptions, and changes of them."""
    drive = load("device", DEFAULT_DEVICE if device is None else device)
    firmware = schemes.described("baseline" if scheme is None else scheme)
    if not isinstance(start or {}, Mapping):
        raise WordlineError(
            f"start = {start!r}: allowed: a mapping of the keys of a workload's table `start`"
        )
    lines = (f"{toml_key(key)} = {toml_value(value, f'start.{key}')}" for key, value in (start or {}).items())
    texts = (drive.label, drive.text), (firmware.label, firmware.text), "\n".join(lines)
    return *texts, override_list(overrides or {})


def columns(
    time: ArrayLike,
    op: ArrayLike,
    offset: ArrayLike,
    length: ArrayLike,
    tag: ArrayLike | None,
    stream: ArrayLike | None,
) -> tuple[NDArray[np.uint64], ...]:
    """The properties of requests as columns of one length; what is given once is that of every request.

    Without tags a request has its place among these as its tag.
    """
    streams = 0 if stream is None else stream
    given = {"time": time, "op": _numbers_of(op), "offset": offset, "length": length, "stream": streams}
    found = {name: _whole(name, value) for name, value in given.items()}
    if tag is not None:
        found["tag"] = _whole("tag", tag)
    lengths = {name: column.size for name, column in found.items() if column.ndim > 0}
    count = max(lengths.values(), default=1)
    if len(set(lengths.values())) > 1:
        words = ", ".join(f"{name} {size}" for name, size in lengths.items())
        raise WordlineError(f"requests of different numbers: {words}: allowed: arrays of one length")
    found.setdefault("tag", np.arange(count, dtype=np.uint64))
    order = ("time", "op", "offset", "length", "tag", "stream")
    return tuple(np.ascontiguousarray(np.broadcast_to(found[name], (count,))) for name in order)


def _numbers_of(op: ArrayLike) -> ArrayLike:
    """Operations as numbers, where they are names."""
    _check_has_no_mask("op", op)
    named = np.asarray(op)
    if named.dtype.kind not in "UO":
        return op
    found, places = np.unique(named.astype(str), return_inverse=True)
    unknown = [str(name) for name in found if name not in _NUMBERS]
    if unknown:
        raise WordlineError(f"op = {unknown[0]}: allowed: {', '.join(OPS)}, or their places from 0")
    numbers = np.array([_NUMBERS[str(name)] for name in found], dtype=np.uint64)
    return numbers[places].reshape(named.shape)


def _check_has_no_mask(name: str, value: ArrayLike) -> None:
    """NumPy gives what is masked as if it were there."""
    if isinstance(value, np.ma.MaskedArray):
        raise WordlineError(f"{name}: a masked array: allowed: an array without a mask")


def _whole(name: str, value: ArrayLike) -> NDArray[np.uint64]:
    _check_has_no_mask(name, value)
    try:
        column = np.asarray(value)
        negative = column.dtype.kind != "u" and column.size > 0 and column.min() < 0
    except (TypeError, ValueError, OverflowError):
        column, negative = np.asarray("?"), False
    if column.ndim > 1 or column.dtype.kind not in "iu" or negative:
        allowed = f"whole numbers from 0 to {2**64 - 1}, in one dimension"
        if column.size == 0 and column.ndim == 1:
            return np.zeros(0, dtype=np.uint64)
        raise WordlineError(f"{name}: {column.dtype} in {column.ndim} dimensions: allowed: {allowed}")
    return column.astype(np.uint64)


def record(text: str) -> Record:
    """Statistics out of their JSON."""
    data: dict[str, Any] = json.loads(text)
    return Record(data)
