"""Writes the JSON schemas of results: that of `result.json` out of the structures that the simulator
serializes it from, those of several runs out of the classes of the package.

    python scripts/result_schema.py

A field of Rust with its type and its comment becomes a property with its description. What can't be read is
an error, so the schema never says less than the code without a word.
"""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from pathlib import Path
from typing import Any

from wordline.comparison.figures import DIRECTIONS, PARTS
from wordline.presets import FORM, schema_id
from wordline.seeds import Metric

ROOT = Path(__file__).resolve().parent.parent

sys.path.insert(0, str(ROOT / "docs"))

from described import CHANGED, FORM_OF  # noqa: E402
from rust_docs import Field, Item, Sources  # noqa: E402

FOLDER = ROOT / "python" / "wordline" / "schemas"

CRATES = ("base", "config", "flash", "ftl", "systems", "observe", "trace", "engine", "drive", "py")
"""Those whose structures a result holds."""

Schema = dict[str, Any]

PLAIN: dict[str, Schema] = {
    **{name: {"type": "integer", "minimum": 0} for name in ("u8", "u16", "u32", "u64", "u128", "usize")},
    # One that is no number, such as a mean of nothing, is null.
    "f64": {"type": ["number", "null"]},
    "bool": {"type": "boolean"},
    "String": {"type": "string"},
    "Value": {},
}
for text in ("&'static str", "PathBuf"):
    PLAIN[text] = PLAIN["String"]


class Generator:
    """The schemas of structures, each once."""

    def __init__(self) -> None:
        self.sources = Sources(*CRATES)
        self.definitions: dict[str, Schema] = {}

    def of_type(self, text: str, near: Path) -> Schema:
        """The schema of a type of Rust, as a file names it. Raises `LookupError` for one that isn't known."""
        kind = (
            text.strip().removeprefix("Box<").removesuffix(">") if text.startswith("Box<") else text.strip()
        )
        if kind in PLAIN:
            return dict(PLAIN[kind])
        if inner := re.fullmatch(r"Option<(.*)>", kind):
            return {"anyOf": [self.of_type(inner[1], near), {"type": "null"}]}
        if inner := re.fullmatch(r"(?:Vec<(.*)>|\[(.*); *\w+\])", kind):
            return {"type": "array", "items": self.of_type(inner[1] or inner[2], near)}
        if inner := re.fullmatch(r"BTreeMap<[^,]*, (.*)>", kind):
            return {"type": "object", "additionalProperties": self.of_type(inner[1], near)}
        item = self.sources.find(kind.removeprefix("&'a ").rpartition("::")[2], near)
        if item is None:
            raise LookupError(f"{text}: no such structure is serialized")
        if item.name not in self.definitions:
            # Before what is in it: a result holds results of its members.
            self.definitions[item.name] = {}
            self.definitions[item.name] = self._of_item(item)
        return {"$ref": f"#/$defs/{item.name}"}

    def _of_item(self, item: Item) -> Schema:
        if item.variants:
            return {"enum": [variant.name for variant in item.variants]} | _about(item)
        properties, required, whole = self.fields(item)
        schema = {"type": "object", "properties": properties, "required": required} | _about(item)
        return schema | ({"additionalProperties": False} if whole else {})

    def fields(self, item: Item) -> tuple[dict[str, Schema], list[str], bool]:
        """Properties, those that are always there, and whether there are no others."""
        properties: dict[str, Schema] = {}
        required: list[str] = []
        whole = True
        for field in item.fields:
            if "serde(skip)" in field.attributes:
                continue
            if "flatten" in field.attributes:
                inner = self.sources.need(field.type.removeprefix("&'a ").rpartition("::")[2])
                more, needed, closed = self.fields(inner)
                properties |= more
                required += needed
                whole = whole and closed
                continue
            given = GIVEN.get((item.name, field.name))
            properties[field.name] = (given or self.of_type(field.type, item.path)) | _about(field)
            if "skip_serializing_if" not in field.attributes:
                required.append(field.name)
        return properties, required, whole


def _about(found: Field | Item) -> Schema:
    return {"description": re.sub(r"\s+", " ", found.doc)} if found.doc else {}


NOTE: Schema = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("kind", "found", "reason", "remedy")},
    "required": ["kind", "found"],
}


def _document(name: str, about: str, schema: Schema) -> Schema:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": schema_id(name),
        "title": f"Wordline: {name}",
        "description": f"{about} Form {FORM}.",
        **schema,
        "properties": {
            "schema": {"const": schema_id(name), "description": FORM_OF},
            **schema["properties"],
        },
    }


def _object(properties: dict[str, Schema], optional: tuple[str, ...] = ()) -> Schema:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


NAMED: Schema = {"type": "object", "required": ["name"]}

CONFIG = _object(dict.fromkeys(("device", "scheme", "workload"), NAMED))

GIVEN: dict[tuple[str, str], Schema] = {("Document", "config"): CONFIG}
"""Fields of which no structure of Rust says what they hold."""


def result() -> Schema:
    """The schema of `result.json`."""
    made = Generator()
    document = made.sources.need("Document")
    properties, required, _ = made.fields(document)
    drive = {"type": "string", "description": "What `wordline run` did about a drive that it keeps."}
    made.definitions["EngineFigures"]["properties"]["drive"] = drive
    # A member of an array has a report of its own.
    made.of_type("Report", document.path)
    # What the package adds to what the simulator writes.
    properties["changed"] = {"type": "object", "description": CHANGED, "additionalProperties": TEXT}
    schema = _object(properties, tuple(name for name in properties if name not in required))
    schema["$defs"] = dict(sorted(made.definitions.items()))
    return _document("result", "result.json, and what `wordline run --json` prints.", schema)


NUMBER: Schema = {"type": ["number", "null"]}

TEXT: Schema = {"type": "string"}

SHARED: Schema = {
    "type": "array",
    "items": {"type": "object", "required": ["kind", "found"]},
    "description": "Notes, each with the runs that have it.",
}


def seeds() -> Schema:
    """The schema of `summary.json`."""
    kinds = {"str": TEXT, "int": {"type": "integer"}, "float": NUMBER, "bool": {"type": "boolean"}}
    row = {field.name: kinds.get(str(field.type), NUMBER) for field in dataclasses.fields(Metric)}
    whole: dict[str, Schema] = {
        "seeds": {"type": "array", "items": {"type": "integer", "minimum": 0}},
        "confidence": {"type": "number", "description": "Share of intervals that hold what they estimate."},
        "summary": {
            "type": "object",
            "description": "Figures over seeds, by their path in the result of one; `lifetime.…`, "
            "`energy.watts` and `energy.pj_per_bit` follow from it.",
            "additionalProperties": _object(row),
        },
        "notes": SHARED,
    }
    return _document(
        "seeds", "summary.json, and what `wordline run --seeds N --json` prints.", _object(whole)
    )


def comparison() -> Schema:
    """The schema of what `wordline compare --json` prints."""
    flag = {"type": ["boolean", "null"]}
    figure: dict[str, Schema] = {
        "value": NUMBER,
        "ratio": NUMBER,
        "ci95": NUMBER,
        "same": flag,
        "unsure": {"type": "boolean"},
    }
    times = {"type": "object", "additionalProperties": {"type": "number"}}
    blame = _object({kind: _object(dict.fromkeys(PARTS, times)) for kind in DIRECTIONS})
    entry: dict[str, Schema] = {
        "scheme": TEXT,
        "device": TEXT,
        "error": {"type": ["string", "null"]},
        "died": {"type": ["string", "null"]},
        "figures": {"type": "object", "additionalProperties": _object(figure)},
        "blame_ns": {"description": "Mean parts of response times, ns: of all requests, and from p99 on."}
        | blame,
    }
    workload: dict[str, Schema] = {
        "workload": TEXT,
        "schemes": {"type": "array", "items": _object(entry)},
        "notes": SHARED,
    }
    whole: dict[str, Schema] = {
        "device": TEXT,
        "normalised_to": {"type": "string", "description": "The scheme that ratios are to."},
        "workloads": {"type": "array", "items": _object(workload)},
    }
    return _document("comparison", "What `wordline compare --json` prints.", _object(whole))


def texts() -> dict[str, str]:
    """What the files hold, by their names."""
    made = {"result": result(), "seeds": seeds(), "comparison": comparison()}
    return {
        f"{name}.json": json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
        for name, schema in made.items()
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in texts().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
