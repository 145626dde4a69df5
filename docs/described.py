"""The pages of keys and of results, from the doc comments of the Rust sources."""

from __future__ import annotations

from collections.abc import Iterator

from rust_docs import Field, Item, Sources, Variant, inner, listed

from wordline import notes
from wordline.columns import COLUMNS
from wordline.names import ABOUT

DESCRIBED = ("config", "trace")

FORM_OF = "The form of this file: the `$id` of its JSON schema."

CHANGED = "Keys that were set beside the descriptions (`--set`, overrides), each with its value as TOML."
"""The part of `result.json` that the package adds to what the simulator writes."""

RESULTS = ("base", "config", "flash", "ftl", "systems", "observe", "engine", "py")

ROOTS = {
    "device": ("DeviceConfig", "A drive: `--device`, `presets/devices/`."),
    "scheme": ("SchemeConfig", "The firmware's policies: `--scheme`, `presets/schemes/`."),
    "workload": ("WorkloadConfig", "Requests and what is measured: `--workload`, `presets/workloads/`."),
    "profile": ("Profile", "What `wordline trace fit` writes and a [twin](../twins.md) plays."),
}

SHOWN = 4
"""Places of a table of figures that its heading names."""


def keys() -> str:
    """Every key of a description, with its default and the words that it takes."""
    sources = Sources(*DESCRIBED)
    lines = [
        "# Keys",
        "",
        "From the sources. Each key can be set for one run: `--set device.geometry.blocks=256`.",
        "[Configuration](configuration.md) shows presets with every default filled in.",
        "",
    ]
    for root, (name, about) in ROOTS.items():
        lines += [f"## `{root}`", "", about, ""]
        lines += [*_tables(sources, sources.need(name), root, {}), ""]
    return "\n".join(lines)


def _tables(sources: Sources, item: Item, path: str, told: dict[str, str]) -> Iterator[str]:
    """The table of a struct, and those of the structs in it: each where it comes first."""
    told[item.name] = path
    yield from _table(sources, item.fields, item, told)
    for found in item.fields:
        below = sources.find(inner(found.type), item.path)
        if below is None or not _is_public(found):
            continue
        named = f"{path}.{found.name}"
        if below.name in told:
            continue
        if below.fields:
            yield from ("", f"### `{named}`", "", below.doc, "")
            yield from _tables(sources, below, named, told)
        elif any(variant.holds or variant.fields for variant in below.variants):
            told[below.name] = named
            for variant in below.variants:
                yield from _variant(sources, below, variant, named, told)


def _variant(
    sources: Sources, item: Item, variant: Variant, path: str, told: dict[str, str]
) -> Iterator[str]:
    """The table of a variant that holds keys."""
    held = sources.find(inner(variant.holds), item.path) if variant.holds else None
    if held is not None and held.fields:
        yield from ("", f"### `{path}`{_kind(item, variant)}", "", held.doc, "")
        yield from _tables(sources, held, path, told)
    elif variant.fields:
        yield from ("", f"### `{path}`{_kind(item, variant)}", "", variant.doc, "")
        yield from _table(sources, variant.fields, item, told)


def _kind(item: Item, variant: Variant) -> str:
    return f', `kind = "{variant.name}"`' if "(tag = " in item.attributes else ""


def _table(sources: Sources, fields: list[Field], item: Item, told: dict[str, str]) -> Iterator[str]:
    yield from ("| key | default | meaning |", "|---|---|---|")
    for found in fields:
        if not _is_public(found):
            continue
        below = sources.find(inner(found.type), item.path)
        words = _words(below) if below is not None else ""
        if below is not None and below.name in told:
            words = f" Keys as of `{told[below.name]}`."
        default = found.default
        if default == "" and below is not None and below.variants:
            default = next(
                (f'"{_as_written(below, one.name)}"' for one in below.variants if one.is_default), ""
            )
        needed = "needed" if _is_read_as_written(item) else ""
        shown = {"left out": "left out", "": "", None: needed}.get(default, f"`{default}`")
        yield f"| `{found.name}` | {shown} | {_cell(found.doc)}{words} |"


def _as_written(item: Item, variant: str) -> str:
    """A word as descriptions have it. Those with a form of their own are spelt in small letters."""
    return variant.lower() if "try_from" in item.attributes else variant


def _is_read_as_written(item: Item) -> bool:
    """Whether serde reads this very struct, so that its attributes tell which keys may be left out."""
    told = item.attributes
    return "Deserialize" in told and "try_from" not in told and "serde(default" not in told


def _is_public(found: Field) -> bool:
    return "serde(skip)" not in found.attributes


def _words(item: Item) -> str:
    """The words that a choice takes."""
    if not all(variant.name.islower() for variant in item.variants):
        return ""
    words = [f"`{one.name}` {_cell(one.doc).rstrip('.')}" for one in item.variants]
    return f"<br>{'; '.join(words)}" if words else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n\n", "<br>").replace("\n", " ")


def results() -> str:
    """Every figure of `result.json` and every column of the tables."""
    sources = Sources(*RESULTS)
    lines = [
        "# Results",
        "",
        "From the sources: `result.json`, and the columns of the tables. [Statistics](../statistics.md) has",
        "definitions.",
        "",
    ]
    places: dict[str, list[str]] = {}
    order: dict[str, Item] = {}
    _places(sources, sources.need("Document"), "", places, order)
    for item in order.values():
        where = places[item.name]
        named = ", ".join(f"`{place}`" if place else "`result.json`" for place in where[:SHOWN])
        more = ", …" if len(where) > SHOWN else ""
        lines += [f"## {named}{more}", "", item.doc, "", "| field | what |", "|---|---|"]
        for found in _flat(sources, item):
            lines.append(f"| `{found.name}` | {_cell(found.doc)} |")
        if where[0] == "":
            lines += [f"| `schema` | {FORM_OF} |", f"| `changed` | {CHANGED} |"]
        lines.append("")
    lines += ["## Parts of a response time", "", *pairs(ABOUT, "part"), ""]
    causes = {one.name: one.doc for one in sources.need("Cause").variants}
    lines += ["## Causes of operations", "", *pairs(causes, "cause"), ""]
    lines += ["## Classes of operations", "", *pairs(listed("base/src/class.rs"), "class"), ""]
    lines += ["## Kinds of notes", "", *pairs(notes.ABOUT, "kind"), ""]
    for name, columns in COLUMNS.items():
        lines += [f"## Table `{name}`", "", *pairs(columns, "column"), ""]
    return "\n".join(lines)


def pairs(about: dict[str, str], name: str) -> list[str]:
    """A table of two columns."""
    return [
        f"| {name} | what |",
        "|---|---|",
        *(f"| `{key}` | {_cell(text)} |" for key, text in about.items()),
    ]


def _flat(sources: Sources, item: Item) -> Iterator[Field]:
    """Fields as JSON has them: those of a struct that is laid flat in the place of it."""
    for found in item.fields:
        if not _is_public(found):
            continue
        below = sources.find(inner(found.type), item.path)
        if "flatten" in found.attributes and below is not None:
            yield from _flat(sources, below)
        else:
            yield found


def _places(
    sources: Sources, item: Item, path: str, places: dict[str, list[str]], order: dict[str, Item]
) -> None:
    """Where each struct stands in the result; its description has a page of its own."""
    if path.startswith("config") or len(places.setdefault(item.name, [])) > SHOWN:
        return
    places[item.name].append(path)
    order.setdefault(item.name, item)
    for found in _flat(sources, item):
        below = sources.find(inner(found.type), item.path)
        if below is None or not below.fields or below.name == "Report":
            continue
        many = "[]" if found.type.startswith("Vec<") else ".…" if found.type.startswith("BTreeMap<") else ""
        _places(sources, below, f"{path}.{found.name}{many}".lstrip("."), places, order)
