"""The house: what each crate and each module may depend on. A new edge fails here, and is a decision."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Dependencies point upwards in this list only.
ROOMS = {
    "base": set(),
    "config": {"base"},
    "trace": {"base", "config"},
    "flash": {"base", "config"},
    "ftl": {"base", "config", "flash"},
    "systems": {"base", "config", "flash", "ftl"},
    "observe": {"base", "config", "flash", "ftl", "systems"},
    "engine": {"base", "config", "flash", "ftl", "observe", "systems"},
    "drive": {"base", "config", "engine"},
    "build-name": set(),
    "py": {"base", "build-name", "drive", "engine", "trace"},
    "module": {"py"},
    "capi": {"drive"},
    "bench": {"base", "drive", "engine", "trace"},
}


def dependencies(crate: str) -> set[str]:
    manifest = tomllib.loads((ROOT / "crates" / crate / "Cargo.toml").read_text())
    named = manifest.get("dependencies", {}) | manifest.get("build-dependencies", {})
    return {name.removeprefix("wordline-") for name in named if name.startswith("wordline-")}


Module = tuple[str, ...]
"""Its path in its crate."""

# Where the tests begin that a file ends with.
TESTS = re.compile(r"#\[cfg\(test\)\]\s*(?:#\[[^\n]*\s*)*(?:pub\S* )?mod \w+ \{")


def code_of(crate: str) -> Iterator[tuple[Module, str]]:
    """The modules of a crate that have a file, each by its path, with its code: without comments and tests,
    and every path from `crate` on.
    """
    source = ROOT / "crates" / crate / "src"
    for file in sorted(source.rglob("*.rs")):
        if file.stem in ("lib", "tests", "shapes", "forged", "older") or "tests" in file.parts:
            continue
        path = file.relative_to(source).with_suffix("").parts
        path = path[:-1] if path[-1] == "mod" else path
        code = TESTS.split(file.read_text())[0]
        code = re.sub(r"//.*", "", code)
        for above in range(len(path), 0, -1):
            named = "::".join(("crate", *path[: len(path) - above]))
            code = re.sub(rf"\b(?<!super::)(?:super::){{{above}}}(?!super)", f"{named}::", code)
        yield path, code


def modules(crate: str) -> dict[str, set[str]]:
    """By module of the top level, the other ones that its code names, tests left out."""
    edges: dict[str, set[str]] = defaultdict(set)
    for path, code in code_of(crate):
        edges[path[0]] |= set(re.findall(r"\bcrate::(\w+)::", code)) - {path[0]}
    return edges


def _apart(group: re.Match[str]) -> str:
    return " ".join(f"crate{group[1]}::{item.strip()}" for item in group[2].split(","))


def files(crate: str) -> dict[Module, set[Module]]:
    """By file, the others that its code names; neither what it is part of nor its own parts."""
    code = dict(code_of(crate))
    edges: dict[Module, set[Module]] = defaultdict(set)
    for path, text in code.items():
        grouped = re.sub(r"\bcrate([\w:]*)::\{([^{}]*)\}", _apart, text)
        for named in re.findall(r"\bcrate((?:::[a-z_0-9]+)+)", grouped):
            parts = tuple(named.split("::")[1:])
            while parts and parts not in code:
                parts = parts[:-1]
            if parts and parts != path[: len(parts)] and path != parts[: len(path)]:
                edges[path].add(parts)
    return edges


def test_every_crate_depends_on_what_the_house_allows() -> None:
    crates = {folder.parent.name for folder in (ROOT / "crates").glob("*/Cargo.toml")}
    assert crates == set(ROOMS)
    for crate, allowed in ROOMS.items():
        assert dependencies(crate) == allowed, crate


def test_a_build_is_named_by_the_sources_of_every_crate_in_it() -> None:
    within, before = {"py"}, set[str]()
    while within != before:
        before = set(within)
        within |= {other for crate in before for other in ROOMS[crate]}
    named = set(re.findall(r"\.\./([\w-]+)/src", (ROOT / "crates/py/build.rs").read_text()))
    assert named == within - {"py", "build-name"}


@pytest.mark.parametrize("crate", sorted(ROOMS))
def test_no_modules_of_a_crate_import_each_other_in_a_circle(crate: str) -> None:
    edges = modules(crate)
    while leaves := {module for module in edges if not edges[module] & set(edges)}:
        for leaf in leaves:
            del edges[leaf]
    assert not edges, dict(edges)


# What one does there ends in another and in time in itself: an erase in a program, that in a collection.
MUTUAL = {"flash": "work", "ftl": "work"}


@pytest.mark.parametrize("crate", sorted(set(ROOMS) - {"module"}))
def test_no_files_of_a_crate_use_each_other_in_a_circle(crate: str) -> None:
    def is_mutual(path: Module) -> bool:
        return path[0] == MUTUAL.get(crate)

    edges = {
        path: {other for other in named if not (is_mutual(path) and is_mutual(other))}
        for path, named in files(crate).items()
    }
    TopologicalSorter(edges).prepare()


def test_the_flash_knows_no_page_of_the_host_and_nobodys_request() -> None:
    for file in (ROOT / "crates/flash").rglob("*.rs"):
        code = re.sub(r"//.*", "", file.read_text())
        assert not re.search(r"\bLpa\b|\w*[Rr]equest|logical", code), file


def test_the_drive_has_ten_parts_at_most() -> None:
    source = (ROOT / "crates/engine/src/device/mod.rs").read_text()
    fields = source.split("pub struct Device {")[1].split("\n}")[0]
    assert 0 < len(re.findall(r"^    \w+: ", fields, re.MULTILINE)) <= 10


def test_the_drive_that_joins_the_parts_has_eight_hundred_lines_at_most() -> None:
    own = (ROOT / "crates/engine/src/device").glob("*.rs")
    assert 300 < sum(len(file.read_text().splitlines()) for file in own) <= 800


def test_the_tables_of_the_translation_layer_are_its_own() -> None:
    source = (ROOT / "crates/ftl/src/work/ftl.rs").read_text()
    fields = source.split("pub struct Ftl {")[1].split("\n}")[0]
    assert len(re.findall(r"^    pub\(crate\) \w+: ", fields, re.MULTILINE)) > 30
    assert not re.search(r"^    pub \w+: ", fields, re.MULTILINE)


def check_fields_are_of_the_folder(file: str, name: str, least: int) -> None:
    source = (ROOT / "crates/engine/src" / file).read_text()
    fields = source.split(f"struct {name} {{")[1].split("\n}")[0]
    assert len(re.findall(r"^    pub\(super\) \w+: ", fields, re.MULTILINE)) >= least
    assert not re.search(r"^    pub(\(crate\))? \w+: ", fields, re.MULTILINE)


def test_the_state_of_the_data_cache_is_its_own() -> None:
    check_fields_are_of_the_folder("cache/state.rs", "CacheState", 19)
    check_fields_are_of_the_folder("cache/state.rs", "Cache", 2)


def test_the_data_cache_knows_neither_the_drive_nor_its_flash_nor_its_map() -> None:
    for file in (ROOT / "crates/engine/src/cache").rglob("*.rs"):
        code = re.sub(r"//.*", "", file.read_text())
        assert not re.search(r"\b(Device|Front|Flash|Ftl|Above\w*)\b", code), file


def test_the_state_of_the_front_is_its_own() -> None:
    check_fields_are_of_the_folder("front/state.rs", "Front", 10)
    check_fields_are_of_the_folder("front/requests.rs", "Request", 11)


def test_the_front_knows_neither_the_drive_nor_its_flash_nor_its_map_nor_its_cache() -> None:
    for file in (ROOT / "crates/engine/src/front").rglob("*.rs"):
        code = re.sub(r"//.*", "", file.read_text())
        assert not re.search(r"\b(Device|Flash|Ftl|Above\w*|\w*Cache|Controller|OpId)\b", code), file


def test_the_cores_know_neither_the_drive_nor_its_flash_nor_its_map() -> None:
    for file in (ROOT / "crates/engine/src/cores").rglob("*.rs"):
        code = re.sub(r"//.*", "", file.read_text())
        assert not re.search(r"\b(Device|Front|Flash|Ftl|Above\w*|\w*Cache)\b", code), file


def test_observers_change_nothing() -> None:
    changes = re.compile(r"&mut (Flash|Ftl|Front|Systems)\b|\b(flash|ftl|systems|front)_mut\b")
    for file in (ROOT / "crates/engine/src/observers").rglob("*.rs"):
        assert not changes.search(re.sub(r"//.*", "", file.read_text())), file


def test_the_state_of_systems_at_work_is_their_own() -> None:
    check_fields_are_of_the_folder("../../systems/src/work/state.rs", "Systems", 12)


def test_systems_at_work_see_the_drive_as_systems_do() -> None:
    for file in (ROOT / "crates/systems/src/work").rglob("*.rs"):
        code = re.sub(r"//.*", "", file.read_text())
        assert not re.search(r"\b(Device|Front|Flash|Ftl|Above\w*|\w*Cache)\b", code), file


def test_the_translation_layer_knows_no_die_channel_or_event_of_the_flash() -> None:
    own = re.compile(r"flash(_mut)?\(\)\.(dies|channels|events)\b|nand::channel|wordline_base::events")
    for file in (ROOT / "crates/ftl").rglob("*.rs"):
        assert not own.search(re.sub(r"//.*", "", file.read_text())), file


def test_every_place_of_the_index_is_there() -> None:
    """`docs/architecture.md` says where a thing is decided, and what follows."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    index = page.partition("## Where is it decided")[2].partition("\n## ")[0]
    rows = [re.findall(r"`([^`]+)`", row) for row in index.splitlines() if "`" in row]
    assert len(rows) >= 5
    for row in rows:
        folder = ROOT
        for place in row:
            path = ROOT / "crates" / place if "/" in place else folder / place
            assert path.exists(), place
            folder = path.parent if path.is_file() else folder


def lines_of_tests(folder: Path) -> tuple[int, int]:
    """Lines of tests beside the code of a folder, and all lines there."""
    tests = lines = 0
    for file in folder.rglob("*.rs"):
        text = file.read_text()
        beside = file.stem == "tests" or "tests" in file.relative_to(folder).parts
        code = "" if beside else TESTS.split(text)[0]
        lines += text.count("\n")
        tests += text.count("\n") - code.count("\n")
    return tests, lines


@pytest.mark.parametrize(("folder", "least"), [("ftl/src/work", 10_000), ("flash/src/work", 2_500)])
def test_what_happens_in_layer_and_flash_has_tests_beside_its_code(folder: str, least: int) -> None:
    tests, lines = lines_of_tests(ROOT / "crates" / folder)
    assert lines > least
    assert tests >= 0.15 * lines, f"{tests} of {lines} lines"
