"""The summary page of a reproduction: what was reproduced, what in direction only, what not, and why."""

from __future__ import annotations

import re
import string
from collections import Counter
from html import escape
from typing import TYPE_CHECKING

from wordline import markdown
from wordline.charts.images import themed
from wordline.figures import fitting, short
from wordline.files import write_text
from wordline.report.page import legend, page, table
from wordline.repro import own_lines
from wordline.repro.many import tables
from wordline.repro.verdict import VERDICTS, Verdict

if TYPE_CHECKING:
    from wordline.repro.numbers import Number
    from wordline.repro.reproduction import Reproduction, Shown

SIGNS: dict[Verdict, str] = {
    "reproduced": "✓",
    "direction": "≈",
    "not reproduced": "✗",
    "contradicted": "‼",
    "not comparable": "·",
    "not exercised": "○",
    "not run": "–",
}

RULE = (
    "Reproduced: within 2 points of a printed ratio (not more than a third of it) or within 20% "
    "of any number (or within the bound that a closed form names), and of a printed limit on its right side; "
    "a speed-up is judged by its gain. Direction: a change of the printed sign, from a third to three times "
    "as large, by more than the 95% interval over seeds where there are several. Of a table of many numbers "
    "whose order isn't the printed one by more than chance none is in direction, nor a printed nothing "
    "reproduced. Contradicted: a change of the other sign by more than the interval and 2 points, or of more "
    "than 5 points where none (at most 5%) is printed. "
    "Equal figures are in no order. Not comparable: the same by construction. Not exercised: what the number "
    "is about didn't happen in the run, and the run was a quick one, or it would be reproduced or in "
    "direction. Numbers of one run give one mark, the worst. In brackets: not counted, for the reason that "
    "is given."
)


def write(found: Reproduction) -> None:
    """Writes `summary.html` and `summary.md`."""
    for name, text in (("summary.html", as_html(found)), ("summary.md", as_markdown(found))):
        write_text(found.folder / name, text)


def counted(found: Reproduction) -> str:
    """`12 reproduced, 1 direction only`."""
    names: dict[Verdict, str] = {"direction": "in direction only"}
    counts = found.counts
    parts = [f"{counts[name]} {names.get(name, name)}" for name in VERDICTS if name in counts]
    uncounted = sum(bool(number.uncounted) for number in found.numbers)
    rest = f" ({uncounted} more aren't counted)" if uncounted else ""
    return f"{sum(counts.values())} marks: {', '.join(parts)}{rest}" if parts else "no numbers"


def _scale(found: Reproduction) -> str:
    which = {"quick": "Quick", "mixed": "Some exhibits are quick"}.get(found.scale)
    return f"{which}: the work is scaled down, and so is what the numbers can show. " if which else ""


def run_of(shown: Shown) -> str:
    """How an exhibit was run."""
    seeds = f"{shown.seeds} seeds" if shown.seeds > 1 else "1 seed"
    of = f", exhibit file {shown.digest}" if shown.digest else ""
    return f"{shown.scale}, {seeds}, version {shown.version}, build {shown.build}{of}"


MANY = 4
"""Exhibits from which on a sentence that all of them have is said once."""


def _sentences(about: str) -> list[str]:
    return re.split(r"(?<=\.) (?=[A-Z])", about)


def _said_of_many(found: Reproduction) -> dict[str, str]:
    """Sentences about many exhibits, and the letter under which each is said."""
    counts = Counter(one for shown in found.shown for one in dict.fromkeys(_sentences(shown.exhibit.about)))
    many = [sentence for sentence, count in counts.items() if count >= MANY]
    return dict(zip(many, string.ascii_lowercase, strict=False))


def _about(shown: Shown, letters: dict[str, str]) -> str:
    """What is said of an exhibit, with letters for what is said of many."""
    sentences = _sentences(shown.exhibit.about)
    return " ".join(f"({letters[one]})" if one in letters else one for one in sentences)


def as_markdown(found: Reproduction) -> str:
    """For reading anywhere."""
    lines = ["# Reproduction", "", f"{_scale(found)}{counted(found)}.", "", RULE, ""]
    letters = _said_of_many(found)
    lines += [f"({letter}) {sentence}\n" for sentence, letter in letters.items()]
    for shown in found.shown:
        exhibit = shown.exhibit
        lines += [f"## {exhibit.paper} {exhibit.name}: {exhibit.title}", "", _about(shown, letters), ""]
        lines += [f"Not run: {shown.reason}.", ""] if shown.reason else [f"Run: {run_of(shown)}.", ""]
        lines += [f"Failed: {error}" for error in shown.errors]
        lines += [f"![{exhibit.title}]({_link(found, shown)})", ""] if _link(found, shown) else []
        lines += _number_lines(_numbers_of(found, shown), exhibit.targets_are) or own_lines.as_markdown(shown)
        lines += [f"Table: {one.told()}.\n" for one in tables(_numbers_of(found, shown))]
    rest = _rest(found)
    if rest:
        lines += ["## Printed numbers without an exhibit", "", *_number_lines(rest)]
    return "\n".join(lines).rstrip() + "\n"


def _number_lines(numbers: list[Number], targets_are: str = "printed") -> list[str]:
    if not numbers:
        return []
    head = ("number", targets_are, "ours", "difference", "verdict", "note")
    lines = ([_name(number), *_values(number), _verdict(number), _note(number)] for number in numbers)
    return markdown.table(head, lines, lambda place: 1 <= place <= 3)


def _name(number: Number) -> str:
    parts = [number.workload, number.metric, f"against {number.against}" if number.against else ""]
    return ", ".join(part for part in parts if part)


def _verdict(number: Number) -> str:
    text = f"{SIGNS[number.verdict]} {number.verdict}"
    return f"({text})" if number.uncounted else text


def _note(number: Number) -> str:
    shared = f"one mark with the others of {number.mark}" if number.mark else ""
    uncounted = f"not counted: {number.uncounted}" if number.uncounted else ""
    return "; ".join(part for part in (uncounted, shared, number.note) if part)


def _values(number: Number) -> list[str]:
    ours = _text(number.ours, number.unit)
    if number.interval is not None:
        ours += f" ± {_text(float(f'{number.interval:.2g}'), number.unit if number.unit in _FIGURES else '')}"
    return [_text(number.target, number.unit), ours, _difference(number)]


_FIGURES = {"bytes/s": "bandwidth_bytes_per_s", "ns": "time_ns"}
"""Units that a number's size chooses among its own of: by the figure that is written in the same."""


def _text(value: float | str | None, unit: str) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    return fitting(_FIGURES[unit], value) if unit in _FIGURES else f"{short(value)} {unit}".strip()


def _difference(number: Number) -> str:
    difference = number.difference
    if difference is None or isinstance(number.target, str):
        return ""
    if number.unit.startswith(("ratio", "points")):
        return f"{difference * 100:+.2f} points"
    return f"{difference / number.target:+.2%}" if number.target else f"{difference:+.4g}"


def _link(found: Reproduction, shown: Shown) -> str | None:
    picture = next((path for path in shown.files if path.suffix == ".svg"), None)
    return picture.relative_to(found.folder).as_posix() if picture else None


def _numbers_of(found: Reproduction, shown: Shown) -> list[Number]:
    exhibit = shown.exhibit
    return [n for n in found.numbers if (n.paper, n.exhibit) == (exhibit.paper, exhibit.name)]


def _rest(found: Reproduction) -> list[Number]:
    known = {(shown.exhibit.paper, shown.exhibit.name) for shown in found.shown}
    return [number for number in found.numbers if (number.paper, number.exhibit) not in known]


def as_html(found: Reproduction) -> str:
    """One self-contained page."""
    parts = [
        f'<p class="lead">{escape(_scale(found))}{escape(counted(found))}.</p>',
        f"<p>{escape(RULE)}</p>",
    ]
    letters = _said_of_many(found)
    parts += [f"<p>({letter}) {escape(sentence)}</p>" for sentence, letter in letters.items()]
    for shown in found.shown:
        exhibit = shown.exhibit
        parts.append(f"<section><h2>{escape(exhibit.title)}</h2>")
        ran = "" if shown.reason else f" Run: {run_of(shown)}."
        about = f"{exhibit.paper} · {exhibit.name}. {_about(shown, letters)}{ran}"
        parts.append(f'<p class="dim">{escape(about)}</p>')
        if shown.reason:
            parts.append(f'<p class="bad">Not run: {escape(shown.reason)}.</p>')
        parts += [f'<p class="bad">Failed: {escape(error)}</p>' for error in shown.errors]
        picture = next((path for path in shown.files if path.suffix == ".svg"), None)
        if picture is not None:
            text = picture.read_text(encoding="utf-8")
            parts.append(f'<figure class="exhibit">{themed(text[text.index("<svg") :])}</figure>')
        parts.append(_html_table(_numbers_of(found, shown), exhibit.targets_are) or _html_of_lines(shown))
        parts += [f'<p class="dim">Table: {escape(t.told())}.</p>' for t in tables(_numbers_of(found, shown))]
        parts.append("</section>")
    rest = _rest(found)
    if rest:
        parts += ["<section><h2>Printed numbers without an exhibit</h2>", _html_table(rest), "</section>"]
    return page("Reproduction", "".join(parts))


_CLASSES = {
    "reproduced": "good",
    "direction": "fair",
    "not reproduced": "bad",
    "contradicted": "bad",
    "not comparable": "dim",
    "not exercised": "dim",
    "not run": "dim",
}


def _html_of_lines(shown: Shown) -> str:
    own = own_lines.table_of(shown)
    return "" if own is None else table(own.head, own.body) + legend(own.body)


def _html_table(numbers: list[Number], targets_are: str = "printed") -> str:
    if not numbers:
        return ""
    head = "".join(
        f"<th>{name}</th>" for name in ("number", targets_are, "ours", "difference", "verdict", "note")
    )
    rows = []
    for number in numbers:
        values = "".join(f'<td class="n">{escape(text)}</td>' for text in _values(number))
        verdict = f'<td class="{_CLASSES[number.verdict]}">{_verdict(number)}</td>'
        rows.append(
            f"<tr><td>{escape(_name(number))}</td>{values}{verdict}<td>{escape(_note(number))}</td></tr>"
        )
    body = "".join(rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
