"""The fitted drive as a preset: the text of the description with the values in their places, each with what
it rests on.
"""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from wordline.calibration.fit import Value
from wordline.calibration.measured import Measured
from wordline.presets import toml_string, toml_value

_HEADER = re.compile(r"^\s*\[([^\[\]]+)\]\s*(#.*)?$")
_KEY = re.compile(r"^\s*([A-Za-z0-9_.\-]+)\s*=")
_INLINE = re.compile(r"^(\s*[A-Za-z0-9_.\-]+\s*=\s*\{)([^{}\[\]\"'#]*)(\}.*)$")
"""A table of numbers on one line: what is before, in and behind the braces."""

OTHERS = "# the others:"
"""Before a comment on a table of which a value was changed."""

STATES = {
    "determined": "determined",
    "roughly": "determined roughly",
    "undetermined": "undetermined: others in the interval do as well",
    "chosen": "the best of the choices",
}


def preset(
    text: str, values: Sequence[Value], settings: Sequence[tuple[str, str]], measured: Measured, about: str
) -> str:
    """The description of the fitted drive. `settings` are overrides of every run, `about` lines go before
    all.
    """
    changes: list[tuple[str, str, str]] = [(path, value, "set for the fit") for path, value in settings]
    changes += [
        (one.free.path, _number(one.free.setting(one.value)), f"fitted: {measured.source}{_interval(one)}")
        for one in values
    ]
    # A value that was set to begin with, and then fitted, stands once.
    changes = list({path: (path, value, comment) for path, value, comment in changes}.values())
    lines = text.splitlines()
    lines = _put(lines, ["name"], toml_string(measured.name), None)
    if measured.name and "description" in tomllib.loads(text):
        was = str(tomllib.loads(text)["description"])
        own = "fitted to" if values else "nearer than a fit to"
        described = toml_string(f"{was}; {own} measurements of {measured.name}")
        lines = _put(lines, ["description"], described, None)
    for path, value, comment in changes:
        lines = _put(lines, _place(path), value, comment)
    head = [f"# {line}".rstrip() for line in about.splitlines()]
    made = "\n".join([*head, *lines]) + "\n"
    wanted = _changed(
        text, [("device.name", toml_string(measured.name)), *((path, value) for path, value, _ in changes)]
    )
    found = _loads(made)
    if found is None or {**found, "description": ""} != {**wanted, "description": ""}:
        # A description in a form that can't be edited line by line is written anew, comments in front.
        import tomli_w

        comments = [f"# {path} = {value}: {comment}" for path, value, comment in changes]
        made = "\n".join([*head, *comments, ""]) + tomli_w.dumps(wanted)
    return made


def _place(path: str) -> list[str]:
    """Where a path stands in the file of a device: its own tables at the top, those of the firmware below
    `scheme`.
    """
    kind, *rest = path.split(".")
    return rest if kind == "device" else [kind, *rest]


def _interval(one: Value) -> str:
    if one.low is None or one.high is None:
        return f"; {STATES[one.state]}"
    return f"; 95% interval {_number(_short(one.low))} to {_number(_short(one.high))}, {STATES[one.state]}"


def _short(value: float) -> float | int:
    rounded = float(f"{value:.4g}")
    return int(rounded) if abs(rounded) >= 1000 else rounded


def _number(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        return toml_value([*value]) if isinstance(value, list) else toml_value(value)
    return f"{value:_}"


def _put(lines: list[str], place: list[str], value: str, comment: str | None) -> list[str]:
    """The lines with this value at this place: in its line, in its table, or in a new table behind the
    others.
    """
    text = f"{place[-1]} = {value}" + (f" # {comment}" if comment else "")
    section: list[str] = []
    end: int | None = 0 if len(place) == 1 else None
    for number, line in enumerate(lines):
        header = _HEADER.match(line)
        if header:
            section = [part.strip().strip('"') for part in header[1].split(".")]
            if section == place[:-1]:
                end = number + 1
            continue
        key = _KEY.match(line)
        if key is None:
            continue
        if [*section, *key[1].split(".")] == place:
            last = _end(lines, number)
            # What stands above a value is what the old one rests on.
            first = _own_comment(lines, number) if comment else number
            return [
                *lines[:first],
                f"{key[1]} = {value}" + (f" # {comment}" if comment else ""),
                *lines[last:],
            ]
        if [*section, *key[1].split(".")] == place[:-1] and (inline := _in_braces(line, place[-1], value)):
            return _noted(lines, number, place, inline, comment)
        if section == place[:-1] and end is not None:
            end = _end(lines, number)
    if end is not None:
        return [*lines[:end], text, *lines[end:]]
    return [*lines, "", f"[{'.'.join(place[:-1])}]", text]


def _own_comment(lines: Sequence[str], number: int) -> int:
    """The first of the lines of comment right above a line."""
    while number > 0 and lines[number - 1].lstrip().startswith("#"):
        number -= 1
    return number


def _noted(
    lines: list[str], number: int, place: Sequence[str], inline: str, comment: str | None
) -> list[str]:
    """The lines with a table on one line changed, its new value noted above. What was said of the table is
    said of its other values, as far as there are any.
    """
    if not comment:
        return [*lines[:number], inline, *lines[number + 1 :]]
    first, table = _own_comment(lines, number), place[-2]
    above = lines[first:number]
    notes = [line for line in above if line.startswith(f"# {table}.")]
    notes = [*(line for line in notes if not line.startswith(f"# {table}.{place[-1]}:"))]
    notes.append(f"# {table}.{place[-1]}: {comment}")
    known = {line.partition(":")[0].removeprefix(f"# {table}.") for line in notes}
    found = _INLINE.match(inline)
    keys = {part.partition("=")[0].strip() for part in (found[2] if found else "").split(",")}
    said = [line for line in above if not line.startswith(f"# {table}.")]
    body, _, behind = inline.partition("} #")
    body = body if not behind else body + "}"
    if keys <= known:
        return [*lines[:first], *notes, body, *lines[number + 1 :]]
    if said and not said[0].startswith(OTHERS):
        said[0] = f"{OTHERS} {said[0].lstrip('# ')}"
    if behind and not behind.startswith(OTHERS.removeprefix("#")):
        behind = f"{OTHERS.removeprefix('#')} {behind.strip()}"
    body += f" #{behind}" if behind else ""
    return [*lines[:first], *said, *notes, body, *lines[number + 1 :]]


def _in_braces(line: str, key: str, value: str) -> str | None:
    """The line of a table with this value in it; `None` if it isn't a table of numbers on one line."""
    found = _INLINE.match(line)
    if found is None:
        return None
    pairs = [part.split("=") for part in found[2].split(",") if part.strip()]
    own = {pair[0].strip(): pair[-1].strip() for pair in pairs}
    own[key] = value
    return f"{found[1]} {', '.join(f'{name} = {one}' for name, one in own.items())} {found[3]}"


def _end(lines: Sequence[str], start: int) -> int:
    """The line behind a value that begins in line `start`: a list may take several."""
    for end in range(start + 1, len(lines) + 1):
        if _loads("\n".join(lines[start:end])) is not None:
            return end
    return start + 1


def _loads(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _changed(text: str, changes: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The description as data, changed."""
    data = copy.deepcopy(tomllib.loads(text))
    for path, value in changes:
        *tables, key = _place(path)
        inner: Any = data
        for table in tables:
            inner = inner.setdefault(table, {})
        inner[key] = _parsed(value)
    return data


def _parsed(value: str) -> Any:
    found: Mapping[str, Any] | None = _loads(f"value = {value}")
    # What isn't TOML is taken as a word, as --set takes it.
    return value if found is None else found["value"]
