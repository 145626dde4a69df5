"""Schemes by name, by file, by `key=value`, and combined with `+` where their slots allow it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordline import _core
from wordline._core import WordlineError
from wordline.files import is_file
from wordline.presets import Description, Given, load, toml_key, toml_string, toml_value
from wordline.toml_files import parse

JOIN = "+"

SEPARATOR = ","


def described(name_or_path: Given) -> Description:
    """The description of a scheme wherever one is given: what `scheme` takes, a file's path, or keys."""
    if isinstance(name_or_path, str):
        return scheme(name_or_path).description
    return load("scheme", name_or_path)


@dataclass(frozen=True)
class Named:
    """A scheme and what the user called it."""

    name: str
    description: Description


def split(texts: list[str]) -> list[str]:
    """Names out of comma-separated lists. Commas within brackets, braces and quotes don't separate."""
    found = []
    for text in texts:
        part, depth, quote = "", 0, ""
        for sign in text:
            if quote:
                quote = "" if sign == quote else quote
            elif sign in "'\"":
                quote = sign
            depth += (sign in "[{") - (sign in "]}")
            if sign == SEPARATOR and depth <= 0 and not quote:
                found.append(part.strip())
                part = ""
            else:
                part += sign
        found.append(part.strip())
    return [name for name in found if name]


def scheme(text: str) -> Named:
    """The scheme that a text names: a preset, a file, `key=value`, or several of these joined by `+`.

    A `key=value` takes the place of what presets and files have for its key. Raises `WordlineError` where two
    parts fill the same slot differently, or two presets, or two `key=value`, set one key to different
    values; the message names slot or key.
    """
    if is_file(text):
        return Named(Path(text).stem, load("scheme", text))
    parts = [part.strip() for part in text.split(JOIN)]
    if text and not all(parts):
        raise WordlineError(
            f"scheme {text}: allowed: names joined by {JOIN}, such as baseline{JOIN}scheduler.policy=fifo"
        )
    if len(parts) == 1 and "=" not in text:
        return Named(Path(text).stem if text.endswith(".toml") else text, load("scheme", text))
    one = [_single(part) for part in parts]
    slip = None
    for name, part in zip(parts, one, strict=True):
        # Each on its own first: a slip there is told with its own file and line.
        try:
            _resolved(part)
        except WordlineError as error:
            if "=" not in name:
                raise
            # A key may need what another part sets.
            slip = slip or error
    found = _combined(text, parts, one)
    if slip is not None:
        try:
            _resolved(found)
        except WordlineError:
            raise slip from None
    return Named(text, found)


def _resolved(part: Description) -> None:
    """Raises `WordlineError` where a description can't be."""
    _core.resolve("scheme", (part.label, part.text), [])


def _single(text: str) -> Description:
    key, equals, value = text.partition("=")
    if not equals:
        return load("scheme", text)
    key = key.strip().removeprefix("scheme.")
    words = f"name = {toml_string(text)}\n"
    return Description(label=text, text=f"{words}{key} = {_as_toml(value.strip())}\n", folder=Path.cwd())


def _as_toml(text: str) -> str:
    """The text where it reads as a TOML value, else as a TOML string: `fifo` means `"fifo"`."""
    try:
        parse(f"x = {text}")
    except WordlineError:
        return toml_string(text)
    return text


def _combined(text: str, names: list[str], parts: list[Description]) -> Description:
    leaves = [dict(_leaves(parse(part.text))) for part in parts]
    for (first, a), (second, b) in itertools.combinations(zip(names, leaves, strict=True), 2):
        _check_slots(text, (first, a), (second, b))
        for key in a.keys() & b.keys() - {("name",), ("description",)}:
            if a[key] != b[key] and ("=" in first) == ("=" in second):
                path = ".".join(key)
                values = f"{toml_value(a[key])} in {first} and {toml_value(b[key])} in {second}"
                raise WordlineError(f"scheme = {text}: scheme.{path} is {values}: allowed: one value")
    lines = [f"name = {toml_string(text)}"]
    # Keys behind what presets and files have for them.
    ordered = sorted(zip(names, leaves, strict=True), key=lambda each: "=" in each[0])
    merged = {key: value for _, part in ordered for key, value in part.items()}
    lines += [
        f"{'.'.join(map(toml_key, key))} = {toml_value(value)}"
        for key, value in merged.items()
        if key not in {("name",), ("description",)}
    ]
    return Description(label=text, text="\n".join(lines) + "\n", folder=parts[0].folder)


def _leaves(tree: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in tree.items():
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key), value


Leaves = dict[tuple[str, ...], Any]


def _check_slots(text: str, first: tuple[str, Leaves], second: tuple[str, Leaves]) -> None:
    """Two schemes exclude each other if parts of theirs, not the same, fill one slot."""
    from wordline.combinations import parts

    known = [(part, dict(_leaves(parse(part.keys)))) for part in parts()]
    here = [part for part, keys in known if _has(first[1], keys)]
    there = [part for part, keys in known if _has(second[1], keys)]
    for a, b in itertools.product(here, there):
        slot = a.excludes(b) if a.name != b.name else None
        if slot is not None:
            who = f"{first[0]} ({a.name}) and {second[0]} ({b.name})"
            raise WordlineError(
                f"scheme = {text}: {who} both fill the slot `{slot}`: allowed: one part for a slot"
            )


def _has(scheme: Leaves, part: Leaves) -> bool:
    """Whether a scheme has a part: it names the same policy, or sets the key that switches the part on.

    A part's other keys are only the values with which it is tried.
    """
    switches = {key: value for key, value in part.items() if key[-1] in ("policy", "enabled")}
    if switches:
        return all(scheme.get(key) == value for key, value in switches.items())
    key, value = next(iter(part.items()))
    if value == {}:
        # A policy of a user's own: its table may hold parameters.
        return any(path[: len(key)] == key for path in scheme)
    return key in scheme and (not isinstance(value, str) or scheme[key] == value)
