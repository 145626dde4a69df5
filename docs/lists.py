"""The pages of exhibits, of policies in Python and of MQSim's keys, from what the modules list."""

from __future__ import annotations

import inspect

from described import pairs

from wordline.mqsim.keys import tables
from wordline.policies import about
from wordline.repro import keys
from wordline.repro.analyses import ANALYSES


def _first_sentences(doc: str) -> str:
    return " ".join(inspect.cleandoc(doc).split("\n\n")[0].split())


def exhibits() -> str:
    """The keys of an exhibit's file, and what a number may be."""
    analyses = {name: _first_sentences(made.__doc__ or "") for name, made in ANALYSES.items()}
    tables = {
        "Keys": pairs(keys.KEYS, "key"),
        "Keys of `[[number]]`": pairs(keys.NUMBER_KEYS, "key"),
        "Keys of `[[variant]]`": pairs(keys.VARIANT_KEYS, "key"),
        "Forms of a column": pairs(keys.FORMS, "form"),
        "Analyses of a number": pairs(analyses, "analysis"),
    }
    place = "`python/wordline/repro/exhibits/PAPER/`"
    lines = ["# Exhibits", "", f"TOML files in {place}, run by [`wordline repro`](../research.md#repro).", ""]
    for heading, rows in tables.items():
        lines += [f"## {heading}", "", *rows, ""]
    return "\n".join(lines)


def policies() -> str:
    """When a policy in Python is asked, and what it answers."""
    lines = [
        "# Policies in Python, by slot",
        "",
        "How to write one: [policies in Python](../policies-in-python.md).",
        "",
    ]
    lines += ["| key | method | asked | answer |", "|---|---|---|---|"]
    lines += [f"| `{key}` | {' | '.join(texts)} |" for key, texts in about.SLOTS.items()]
    lines += ["", "## What a class may have beside it", ""]
    for slot, attributes in about.ATTRIBUTES.items():
        lines += [f"### {slot.capitalize()}", "", *pairs(attributes, "attribute"), ""]
    lines += ["## Methods of a system", "", "| method | told | answer |", "|---|---|---|"]
    lines += [f"| `{method}` | {told} | {answer} |" for method, (told, answer) in about.SYSTEM.items()]
    return "\n".join([*lines, ""])


def mqsim_keys() -> str:
    """What each key of MQSim's two files becomes."""
    lines = [
        "# Keys of MQSim",
        "",
        "What [`wordline mqsim`](../mqsim.md) makes of each key. `flow.` is a flow of Wordline's",
        "[workload](../host.md), `source.` its [source](../workloads.md).",
        "",
    ]
    return "\n".join([*lines, tables()])
