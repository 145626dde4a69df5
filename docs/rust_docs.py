"""What the Rust sources say of keys and results: what serde reads or writes, with its doc comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CRATES = Path(__file__).parents[1] / "crates"

_ITEM = re.compile(r"^(?:pub(?:\([a-z]+\))? )?(struct|enum) (\w+)(?:<[^>]*>)? \{$")
_FIELD = re.compile(r"^\s+(?:pub(?:\([a-z]+\))? )?(\w+): (.+),$")
_VARIANT = re.compile(r"^    (\w+)(?:\((.+)\))?(?: = [^,]+)?,$")
_OPENED = re.compile(r"^    (\w+) \{$")
_LISTED = re.compile(r'^    \w+ = "([^"]+)".*,$')
_FUNCTION = re.compile(
    r"^(?:pub(?:\([a-z]+\))? )?(?:const )?fn (\w+)\(\) -> [^{]+\{\n\s*([^\n]+)\n\}$", re.MULTILINE
)


@dataclass
class Field:
    """A field of a struct."""

    name: str
    type: str
    doc: str
    attributes: str
    default: str | None
    """As TOML has it; `None` where it can't be left out."""


@dataclass
class Variant:
    """A variant of an enum: a word, or a table that begins with the word."""

    name: str
    doc: str
    holds: str | None = None
    """The struct that it holds."""
    fields: list[Field] = field(default_factory=list)
    is_default: bool = False


@dataclass
class Item:
    """A struct, or an enum."""

    name: str
    path: Path
    doc: str
    attributes: str
    fields: list[Field] = field(default_factory=list)
    variants: list[Variant] = field(default_factory=list)


class Sources:
    """The items of some crates."""

    def __init__(self, *crates: str) -> None:
        self.items: dict[str, list[Item]] = {}
        for crate in crates:
            for path in sorted((CRATES / crate / "src").rglob("*.rs")):
                for item in _items(path):
                    self.items.setdefault(item.name, []).append(item)

    def find(self, name: str, near: Path | None = None) -> Item | None:
        """The item of this name; of several the one whose file is nearest to `near`."""
        found = self.items.get(name, [])
        if len(found) <= 1 or near is None:
            return found[0] if found else None

        def shared(item: Item) -> int:
            parts = zip(item.path.parts, near.parts, strict=False)
            return next((depth for depth, (ours, its) in enumerate(parts) if ours != its), len(near.parts))

        best = sorted(found, key=shared, reverse=True)
        if shared(best[0]) == shared(best[1]):
            raise LookupError(f"{name}: {best[0].path} or {best[1].path}?")
        return best[0]

    def need(self, name: str) -> Item:
        """The item of this name, which is there."""
        found = self.find(name)
        if found is None:
            raise LookupError(f"no struct or enum {name} in the Rust sources")
        return found


def listed(path: str) -> dict[str, str]:
    """Name → doc comment of what a file lists as lines of a macro, each as `Word = "name"`."""
    lines = (CRATES / path).read_text(encoding="utf-8").split("\n")
    matches = ((number, _LISTED.match(line)) for number, line in enumerate(lines))
    return {match[1]: _above(lines, number)[0] for number, match in matches if match}


def inner(type_: str) -> str:
    """The last name of the type that `Option`, `Vec`, `Box` and maps hold."""
    while match := re.match(r"^(?:Option|Vec|Box|BTreeMap)<(?:\w+, )?(.+)>$", type_):
        type_ = match[1]
    return type_.removeprefix("&'a ").rpartition("::")[2]


def _items(path: Path) -> Iterator[Item]:
    text = path.read_text(encoding="utf-8")
    functions = dict(_FUNCTION.findall(text))
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if match := _ITEM.match(line):
            end = lines.index("}", number)
            doc, attributes = _above(lines, number)
            if "erialize" not in attributes:
                continue
            item = Item(match[2], path, doc, attributes)
            body = lines[number + 1 : end]
            if match[1] == "struct":
                item.fields = _fields(body, functions)
            else:
                item.variants = _variants(body, functions, attributes)
            yield item


def _above(lines: list[str], number: int) -> tuple[str, str]:
    """The doc comment and the attributes above a line."""
    doc: list[str] = []
    attributes: list[str] = []
    for line in reversed(lines[:number]):
        bare = line.strip()
        if bare.startswith("///"):
            doc.insert(0, bare[3:].strip())
        elif bare.startswith("#["):
            attributes.insert(0, bare)
        else:
            break
    paragraphs = "\n".join(doc).split("\n\n")
    return "\n\n".join(_joined(paragraph) for paragraph in paragraphs), " ".join(attributes)


def _joined(paragraph: str) -> str:
    """A paragraph in one line; items of a list keep their own."""
    return re.sub(r"\n(?!- |\d\. |\|)", " ", paragraph)


def _fields(body: list[str], functions: dict[str, str]) -> list[Field]:
    found = []
    for number, line in enumerate(body):
        match = _FIELD.match(line)
        if match and not line.strip().startswith("//"):
            doc, attributes = _above(body, number)
            name = _renamed(attributes) or match[1]
            found.append(Field(name, match[2], doc, attributes, _default(match[2], attributes, functions)))
    return found


def _variants(body: list[str], functions: dict[str, str], attributes: str) -> list[Variant]:
    found = []
    snake = "snake_case" in attributes or "lowercase" in attributes
    for number, line in enumerate(body):
        match = _VARIANT.match(line) or _OPENED.match(line)
        if match is None:
            continue
        doc, own = _above(body, number)
        name = _renamed(own) or (_snake(match[1]) if snake else match[1])
        variant = Variant(name, doc, is_default="#[default]" in own)
        if line.endswith("{"):
            variant.fields = _fields(body[number + 1 : body.index("    },", number)], functions)
        else:
            variant.holds = match[2]
        found.append(variant)
    return found


def _renamed(attributes: str) -> str | None:
    match = re.search(r'rename = "([^"]+)"', attributes)
    return match[1] if match else None


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _default(type_: str, attributes: str, functions: dict[str, str]) -> str | None:
    """What a field is when it is left out."""
    if match := re.search(r'default = "([\w:]+)"', attributes):
        return _as_toml(functions[match[1]]) if match[1] in functions else ""
    if type_.startswith("Option<"):
        return "left out"
    if "default" not in attributes:
        return None
    plain = {"bool": "false", "String": '""', "f64": "0.0"}
    if type_ in plain:
        return plain[type_]
    if re.fullmatch(r"[ui]\d+|usize", type_):
        return "0"
    return "[]" if type_.startswith("Vec<") else "{}" if type_.startswith("BTreeMap<") else ""


def _as_toml(expression: str) -> str:
    """A Rust expression as TOML has the value, where it is a number or a word."""
    plain = expression.strip()
    if match := re.fullmatch(r"(\d+) << (\d+)", plain):
        return f"{int(match[1]) << int(match[2]):_}"
    if re.fullmatch(r"[\d_.]+|true|false", plain):
        return plain
    if match := re.fullmatch(r"vec!\[([\d_, .]+)\]", plain):
        return f"[{match[1]}]"
    if match := re.fullmatch(r"\w+::(\w+)", plain):
        return f'"{_snake(match[1])}"'
    return ""
