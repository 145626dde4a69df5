"""Pages that are generated from the code: commands, keys with their defaults, figures of results, modules."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import described
import lists
import typer

from wordline import preset_names, resolve
from wordline.cli import app
from wordline.presets import Kind

MODULES = (
    "wordline",
    "wordline.scenario",
    "wordline.simulation",
    "wordline.result",
    "wordline.intervals",
    "wordline.notes",
    "wordline.seeds",
    "wordline.loading",
    "wordline.schemes",
    "wordline.policies",
    "wordline.policies.views",
    "wordline.policies.actions",
    "wordline.policies.mapping",
    "wordline.comparison.figures",
    "wordline.comparison.run",
    "wordline.sweeps.api",
    "wordline.study.runs",
    "wordline.study.store",
    "wordline.study.executors",
    "wordline.tuning.search",
    "wordline.calibration.api",
    "wordline.calibration.plan",
    "wordline.calibration.objective",
    "wordline.calibration.fit",
    "wordline.calibration.plane",
    "wordline.repro.run",
    "wordline.repro.verdict",
    "wordline.report.html",
    "wordline.report.folders",
    "wordline.report.differences",
    "wordline.charts.specs",
    "wordline.charts.lines",
    "wordline.charts.bars",
    "wordline.charts.grids",
    "wordline.charts.dots",
    "wordline.charts.images",
)


def write(folder: Path) -> list[Path]:
    """Writes the pages; returns their paths."""
    folder.mkdir(exist_ok=True)
    pages = {
        "commands.md": commands(),
        "keys.md": described.keys(),
        "configuration.md": configuration(),
        "results.md": described.results(),
        "policies.md": lists.policies(),
        "exhibits.md": lists.exhibits(),
        "mqsim-keys.md": lists.mqsim_keys(),
        "python.md": python(),
    }
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in pages]


def commands() -> str:
    """Every command of the command line."""
    root: Any = typer.main.get_command(app)
    lines = ["# Commands", ""]
    for names, command in _walk(root, ["wordline"]):
        lines += [f"## {' '.join(names)}", "", *_paragraphs(command.help), ""]
        rows = [_row(parameter) for parameter in command.params if not getattr(parameter, "hidden", False)]
        if rows:
            lines += ["| | what | default |", "|---|---|---|", *rows, ""]
    return "\n".join(lines)


def _walk(command: Any, names: list[str]) -> Iterator[tuple[list[str], Any]]:
    children = getattr(command, "commands", {})
    if not children:
        yield names, command
    for name in sorted(children):
        yield from _walk(children[name], [*names, name])


def _paragraphs(text: str | None) -> list[str]:
    return [line.strip() for line in (text or "").split("\n")]


def _row(parameter: Any) -> str:
    metavar = parameter.metavar or ("" if getattr(parameter, "is_flag", False) else parameter.name.upper())
    if parameter.param_type_name == "argument":
        name = f"`{metavar}`"
    else:
        name = f"`{', '.join(parameter.opts)}{' ' + metavar if metavar else ''}`"
    default = parameter.default
    shown = (
        ""
        if default is None or default is False or parameter.required or callable(default)
        else f"`{default}`"
    )
    text = (getattr(parameter, "help", None) or "").replace("|", "\\|")
    return f"| {name.replace('|', chr(92) + '|')} | {text} | {shown} |"


def configuration() -> str:
    """Every key of the three descriptions, as the code fills it in."""
    lines = [
        "# Configuration",
        "",
        "Presets with every default filled in, as `wordline show` prints them.",
        "",
    ]
    shown: tuple[tuple[Kind, str], ...] = (
        ("scheme", "baseline"),
        ("device", "enterprise-tlc"),
        ("workload", "mixed-70-30-8k-qd16"),
    )
    for kind, preset in shown:
        lines += [
            f"## {kind.capitalize()}: `{preset}`",
            "",
            "```toml",
            resolve(kind, preset).strip(),
            "```",
            "",
        ]
        lines += [f"Presets: {', '.join(f'`{name}`' for name in preset_names(kind))}.", ""]
    return "\n".join(lines)


def python() -> str:
    """The modules that programs use."""
    known = {
        name
        for _, name, _ in pkgutil.walk_packages(importlib.import_module("wordline").__path__, "wordline.")
    }
    lines = ["# Python", ""]
    for module in MODULES:
        if module != "wordline" and module not in known:
            raise LookupError(f"no module {module}")
        members = "" if module == "wordline" else ":members:\n"
        lines += [
            f"## {module}",
            "",
            "```{eval-rst}",
            f".. automodule:: {module}",
            f"   {members}".rstrip(),
            "```",
            "",
        ]
        if module == "wordline.policies":
            lines += ["```{eval-rst}", ".. autoclass:: wordline._core.DriveView", "   :members:", "```", ""]
    return "\n".join(lines)
