"""Schemes by name, by file, by `key=value`, and combined with `+` where their slots allow it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wordline import _core
from wordline._core import WordlineError
from wordline.files import is_file
from wordline.presets import Description, Given, load

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
    if not isinstance(text, str):
        allowed = f"the name of a preset, a file's path, key=value, or several joined by {JOIN}, as text"
        raise WordlineError(f"scheme = {text!r}: allowed: {allowed}")
    if is_file(text):
        return Named(Path(text).stem, load("scheme", text))
    parts = [part.strip() for part in text.split(JOIN)]
    if text and not all(parts):
        raise WordlineError(
            f"scheme {text}: allowed: names joined by {JOIN}, such as baseline{JOIN}scheduler.policy=fifo"
        )
    if len(parts) == 1 and "=" not in text:
        return Named(Path(text).stem if text.endswith(".toml") else text, load("scheme", text))
    known = [None if "=" in part else load("scheme", part) for part in parts]
    label, joined = _core.combined(
        text,
        [
            (part, None if found is None else (found.label, found.text))
            for part, found in zip(parts, known, strict=True)
        ],
    )
    folder = Path.cwd() if known[0] is None else known[0].folder
    return Named(text, Description(label=label, text=joined, folder=folder))
