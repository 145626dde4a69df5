"""Writes the JSON schemas of results: that of `result.json` out of the structures that the simulator
serializes it from, those of several runs out of the classes of the package.

    python scripts/result_schema.py

A field of Rust with its type and its comment becomes a property with its description. What can't be read is
an error, so the schema never says less than the code without a word. `FORM` grows when a reader of the old
form would fail with the new one: a field is gone, or means something else.
"""

from __future__ import annotations

import dataclasses
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordline.comparison.figures import DIRECTIONS, PARTS
from wordline.seeds import Metric

ROOT = Path(__file__).resolve().parent.parent

FOLDER = ROOT / "python" / "wordline" / "schemas"

FORM = 1

PREFERRED = ("observe", "py")
"""Crates whose structures are meant where several have one of a name: the last one first."""

Schema = dict[str, Any]

NUMBERS: dict[str, Schema] = {
    **{name: {"type": "integer", "minimum": 0} for name in ("u8", "u16", "u32", "u64", "u128", "usize")},
    # One that is no number, such as a mean of nothing, is null.
    "f64": {"type": ["number", "null"]},
    "bool": {"type": "boolean"},
    "String": {"type": "string"},
    "Value": {},
}
NUMBERS["&'static str"] = NUMBERS["String"]

ITEM = re.compile(
    r"((?:^[ \t]*#\[[^\n]*\n|^[ \t]*///[^\n]*\n)*)^(?:pub(?:\([a-z]+\))? )?(struct|enum) (\w+) \{\n(.*?)^\}",
    re.MULTILINE | re.DOTALL,
)
FIELD = re.compile(
    r"((?:^ +///[^\n]*\n|^ +#\[[^\n]*\n)*)^ +(?:pub(?:\(\w+\))? )?(\w+): ([^\n]+),$", re.MULTILINE
)
VARIANT = re.compile(r"^    (\w+),?$", re.MULTILINE)


@dataclass(frozen=True)
class Item:
    """A structure or an enumeration that is serialized."""

    kind: str
    head: str
    body: str


def items() -> dict[str, Item]:
    """All of them by name."""
    found: dict[str, Item] = {}
    ranks = {crate: rank for rank, crate in enumerate(PREFERRED)}
    for path in sorted(
        ROOT.glob("crates/*/src/**/*.rs"),
        key=lambda path: (ranks.get(path.relative_to(ROOT).parts[1], -1), path),
    ):
        for head, kind, name, body in ITEM.findall(path.read_text(encoding="utf-8")):
            if "Serialize" in head:
                found[name] = Item(kind, head, body)
    return found


class Generator:
    """The schemas of structures, each once."""

    def __init__(self) -> None:
        self.items = items()
        self.definitions: dict[str, Schema] = {}

    def of_type(self, text: str) -> Schema:
        """The schema of a type of Rust. Raises `LookupError` for one that isn't known."""
        kind = (
            text.strip().removeprefix("Box<").removesuffix(">") if text.startswith("Box<") else text.strip()
        )
        if kind in NUMBERS:
            return dict(NUMBERS[kind])
        if inner := re.fullmatch(r"Option<(.*)>", kind):
            return {"anyOf": [self.of_type(inner[1]), {"type": "null"}]}
        if inner := re.fullmatch(r"(?:Vec<(.*)>|\[(.*); *\w+\])", kind):
            return {"type": "array", "items": self.of_type(inner[1] or inner[2])}
        if inner := re.fullmatch(r"BTreeMap<[^,]*, (.*)>", kind):
            return {"type": "object", "additionalProperties": self.of_type(inner[1])}
        name = kind.rpartition("::")[2]
        if name not in self.items:
            raise LookupError(f"{text}: no such structure is serialized")
        if name not in self.definitions:
            # Before what is in it: a result holds results of its members.
            self.definitions[name] = {}
            self.definitions[name] = self._of_item(self.items[name])
        return {"$ref": f"#/$defs/{name}"}

    def _of_item(self, item: Item) -> Schema:
        if item.kind == "enum":
            return {"enum": [_snake(name) for name in VARIANT.findall(item.body)]} | _about(item.head)
        properties, required, whole = self._fields(item)
        schema = {"type": "object", "properties": properties, "required": required} | _about(item.head)
        return schema | ({"additionalProperties": False} if whole else {})

    def _fields(self, item: Item) -> tuple[dict[str, Schema], list[str], bool]:
        """Properties, those that are always there, and whether there are no others."""
        properties: dict[str, Schema] = {}
        required: list[str] = []
        whole = True
        for head, name, kind in FIELD.findall(item.body):
            if re.search(r"serde\(skip\)", head):
                continue
            if "flatten" in head:
                inner = self.items[kind.rpartition("::")[2]]
                more, needed, closed = self._fields(inner)
                properties |= more
                required += needed
                whole = whole and closed
                continue
            properties[name] = self.of_type(kind) | _about(head)
            if "skip_serializing_if" not in head:
                required.append(name)
        return properties, required, whole


def _about(head: str) -> Schema:
    lines = [line.strip().removeprefix("///").strip() for line in head.splitlines() if "///" in line]
    return {"description": " ".join(lines)} if lines else {}


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


NOTE: Schema = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("kind", "found", "reason", "remedy")},
    "required": ["kind", "found"],
}


def _document(name: str, about: str, schema: Schema) -> Schema:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:wordline:{name}:{FORM}",
        "title": f"Wordline: {name}",
        "description": f"{about} Form {FORM}.",
        **schema,
    }


def _object(properties: dict[str, Schema], optional: tuple[str, ...] = ()) -> Schema:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def result() -> Schema:
    """The schema of `result.json`."""
    made = Generator()
    properties, required, _ = made._fields(made.items["Report"])
    engine = made.of_type("EngineFigures")
    drive = {"type": "string", "description": "What `wordline run` did about a drive that it keeps."}
    made.definitions["EngineFigures"]["properties"]["drive"] = drive
    # A member of an array has a report of its own.
    made.definitions.setdefault("Report", made._of_item(made.items["Report"]))
    kinds = ("device", "scheme", "workload")
    config = _object({kind: {"type": "object", "required": ["name"]} for kind in kinds})
    whole: dict[str, Schema] = {
        "version": {"type": "string", "description": "Of the simulator."},
        "seed": {"type": "integer", "minimum": 0, "description": "Of every random stream."},
        "changed": {
            "type": "object",
            "description": "Keys that were set beside the descriptions, each with its value as TOML.",
            "additionalProperties": {"type": "string"},
        },
        "config": {"description": "Device, scheme and workload with every default filled in."} | config,
        "engine": engine,
        "notes": {
            "type": "array",
            "description": "What keeps the result from being what it is taken for.",
            "items": NOTE,
        },
        **properties,
    }
    optional = ("changed", *(name for name in properties if name not in required))
    schema = _object(whole, optional)
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
            "description": "Figures over seeds, by their path in the result of one.",
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
