"""Policies written in Python: the same choices give the same results, and what goes wrong is told."""

from __future__ import annotations

import importlib
import json
import re
import struct
import subprocess
import sys
import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import pytest
from conftest import Wordline

import wordline
from wordline.policies import Blocks, Guess, Load, Lookup, MapSizes, Planes, Program, Waiting

WRITES: dict[str, Any] = {
    **{f"device.geometry.{key}": 1 for key in ("channels", "ways", "planes")},
    "device.geometry.blocks": 64,
    "device.geometry.pages": 32,
    "device.capacity.overprovisioning": 0.2,
    "workload.source.requests": 4000,
    "workload.source.read_share": 0.3,
    "workload.start.layout": "in_order",
}
"""A drive of two dies whose garbage collection works."""


class Greedy:
    """As the built-in: fewest valid units, the lowest number of equals."""

    def choose(self, blocks: Blocks) -> int | None:
        found = blocks.candidates
        return int(found[blocks.valid[found].argmin()]) if found.size else None


class Oldest:
    """As the built-in `fifo`."""

    needs = ("full_order",)

    def choose(self, blocks: Blocks) -> int | None:
        return next(
            (int(index) for index in blocks.full_order if blocks.valid[index] <= blocks.most_valid), None
        )


class InOrder:
    """As the built-in scheduler `fifo`."""

    def next(self, waiting: list[Waiting], now_ns: int) -> str:  # noqa: ARG002
        return min(waiting, key=lambda one: one.order).name


class Turns:
    """Planes in turn; how far it is can be saved."""

    def __init__(self, start: int = 0) -> None:
        self.turn = start

    def place(self, program: Program, planes: Planes) -> int:
        assert program.cause in ("host", "write_back")
        self.turn = (self.turn + 1) % len(planes.room)
        return self.turn

    def save(self) -> bytes:
        return struct.pack("<I", self.turn)

    def restore(self, state: bytes) -> None:
        (self.turn,) = struct.unpack("<I", state)


class WholeMap:
    """All entries are in DRAM."""

    def find(self, lookup: Lookup) -> None:
        assert lookup.page < lookup.sizes.pages


class CachesPages:
    """The translation pages that were used last; what changed is written as it gives way."""

    def __init__(self, pages: int = 4) -> None:
        self.pages = pages
        self.cached: dict[int, bool] = {}
        self.flows: set[int | None] = set()
        self.loads = 0

    def find(self, lookup: Lookup) -> Load | None:
        page = lookup.translation_page
        if page not in self.cached:
            return Load(page)
        self.cached[page] = self.cached.pop(page) or lookup.write
        return None

    def loaded(self, translation_page: int, lookup: Lookup) -> list[tuple[int, bool]]:
        assert translation_page == lookup.translation_page < lookup.sizes.translation_pages
        self.flows.add(lookup.flow)
        assert lookup.pages >= 1
        if translation_page in self.cached:
            return []  # Once for each page that waited for it.
        self.loads += 1
        self.cached[translation_page] = False
        if len(self.cached) <= self.pages:
            return []
        oldest = next(iter(self.cached))
        return [(oldest, True)] if self.cached.pop(oldest) else []

    def updated(self, page: int, old: int | None, new: int | None, cause: str, sizes: MapSizes) -> None:  # noqa: ARG002
        if page // sizes.entries_per_page in self.cached:
            self.cached[page // sizes.entries_per_page] = True


class PagesOfOwnSizes:
    """Translation pages of four entries among the first 256 pages, of 1024 behind them."""

    def __init__(self) -> None:
        self.cached: set[int] = set()

    def page_of(self, page: int) -> int:
        return page // 4 if page < 256 else 64 + (page - 256) // 1024

    def find(self, lookup: Lookup) -> Load | None:
        page = self.page_of(lookup.page)
        return None if page in self.cached else Load(page)

    def loaded(self, translation_page: int, lookup: Lookup) -> list[tuple[int, bool]]:
        assert translation_page == self.page_of(lookup.page) < lookup.sizes.translation_pages
        self.cached.add(translation_page)
        return []


class Guesses:
    """Always right but for every tenth time, when it says the place beside."""

    def __init__(self) -> None:
        self.asked = 0
        self.wrong: list[tuple[int, int, int | None]] = []

    def find(self, lookup: Lookup) -> Guess | None:
        self.asked += 1
        if lookup.place is None or lookup.write:
            return None
        return Guess(lookup.place ^ (self.asked % 10 == 0))

    def wrong_guess(self, page: int, guessed: int, found: int | None) -> None:
        self.wrong.append((page, guessed, found))


class Astray:
    def find(self, lookup: Lookup) -> Load:
        return Load(lookup.sizes.translation_pages)


class Mumbles:
    def find(self, lookup: Lookup) -> str:
        return f"somewhere about {lookup.page}"


class Stumbles:
    def choose(self, blocks: Blocks) -> int | None:
        return 1 // int(blocks.first * 0)


class Beyond:
    def choose(self, blocks: Blocks) -> int:
        return len(blocks.valid)


class Holds:
    """What is not full may not be collected."""

    def choose(self, blocks: Blocks) -> int:
        return int(blocks.full.argmin())


def run(**options: Any) -> wordline.Result:
    overrides = WRITES | options.pop("more", {})
    return wordline.run("mqsim", workload="mixed-70-30-8k-qd16", checked=True, overrides=overrides, **options)


def measured(result: wordline.Result) -> dict[str, Any]:
    """All that the drive did."""
    return {
        key: value
        for key, value in result.to_dict().items()
        if key not in ("changed", "config", "engine", "notes")
    }


@pytest.mark.parametrize(
    ("slot", "policy", "built_in"),
    [
        ("gc", Greedy, {"scheme.gc.policy": "greedy"}),
        ("gc", Oldest, {"scheme.gc.policy": "fifo"}),
        ("scheduler", InOrder, {"scheme.scheduler.policy": "fifo"}),
    ],
)
def test_the_same_choices_give_the_same_results(slot: str, policy: type, built_in: dict[str, str]) -> None:
    ours = run(policies={slot: policy})
    assert measured(ours) == measured(run(more=built_in))
    assert ours.flash.erases > 0
    assert ours.config.scheme.custom[f"python_{slot}"]["class"] == f"test_policies:{policy.__name__}"


def test_a_policy_decides() -> None:
    assert measured(run(policies={"gc": Oldest})) != measured(run(policies={"gc": Greedy}))


def test_programs_go_where_the_placement_says() -> None:
    result = run(policies={"placement": Turns}, more={"workload.source.read_share": 0.0})
    busy = [die.busy_ns.host_program for die in result.dies]
    assert len(busy) == 2
    assert max(busy) - min(busy) <= 0.05 * max(busy)


def test_write_points_are_those_that_the_separation_names() -> None:
    asked: list[int] = []

    class Halves:
        def write_point(self, page: int, stream: int, points: int) -> int:  # noqa: ARG002
            asked.append(points)
            return page % points

    more = {"scheme.blocks.host_write_points": 2}
    run(policies={"separation": Halves}, more=more)
    assert set(asked) == {2}


def test_a_map_of_ones_own_that_knows_all_is_the_whole_map() -> None:
    own = measured(run(policies={"mapping": WholeMap}))
    mapping = own.pop("mapping")
    assert mapping["policy"] == "python_mapping"
    assert mapping["misses"] == 0 < mapping["hits"]
    built_in = measured(run())
    assert {key: own[key] for key in ("read", "write", "flash", "gc", "dies")} == {
        key: built_in[key] for key in ("read", "write", "flash", "gc", "dies")
    }


def test_a_map_of_ones_own_reads_what_it_asks_for_and_writes_what_gives_way() -> None:
    on_flash = {"scheme.mapping.policy": "demand", "scheme.mapping.translation_page_bytes": 512}
    policy = CachesPages()
    result = run(policies={"mapping": policy}, more=on_flash)
    counters = result.mapping
    # Pages that are with the controller still need no read.
    assert counters.misses >= counters.loads > 100
    assert policy.loads >= counters.loads
    assert policy.flows == {None, 0}  # preparation and write-backs have none
    assert result.flash.by_class.map_read.operations >= counters.loads
    assert counters.write_backs > 100
    larger = CachesPages(pages=64)
    run(policies={"mapping": larger}, more=on_flash)
    assert larger.loads < policy.loads / 2


def test_a_map_of_ones_own_may_have_pages_of_any_size_and_as_many_as_its_entry_bytes_give() -> None:
    policy = PagesOfOwnSizes()
    more: dict[str, Any] = {"scheme.mapping.policy": "demand", "scheme.mapping.stored_at_start": "all"}
    sizes = {"scheme.mapping.translation_page_bytes": 512, "scheme.mapping.translation_entry_bytes": 16}
    counters = run(policies={"mapping": policy}, more=more | sizes).mapping
    plain = run(more=more).mapping
    assert counters.translation_pages > max(policy.cached) > plain.translation_pages


def test_guesses_of_a_map_of_ones_own_are_read_and_it_is_told_of_wrong_ones() -> None:
    policy = Guesses()
    counters = run(policies={"mapping": policy}).mapping
    assert len(policy.wrong) == counters.guesses_wrong > 50
    assert counters.guesses_right > 5 * counters.guesses_wrong


def test_what_a_policy_raises_ends_the_run_with_its_own_line() -> None:
    told = r"test_policies\.py:\d+: Stumbles\.choose\(\): ZeroDivisionError: "
    with pytest.raises(wordline.WordlineError, match=told) as raised:
        run(policies={"gc": Stumbles})
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
    assert measured(run(policies={"gc": Greedy})) == measured(run())


@pytest.mark.parametrize(
    ("slots", "message"),
    [
        ({"gc": Beyond}, r"choose\(\) = 64: allowed: the number of a superblock of the domain, 0 to 63"),
        ({"gc": Holds}, r"choose\(\) = \d+: allowed: a superblock that is full \(`blocks.full`\)"),
        ({"gc": "mine:Mine"}, r"policies: gc = 'mine:Mine': allowed: a class or an object with `choose`"),
        ({"gc": None}, r"policies: gc = None: allowed: a class or an object with `choose`"),
        ({"gc": InOrder}, r"a class with the method `choose`, for the slot gc"),
        (
            {"reclaim": Greedy},
            "policies: reclaim: allowed: gc, placement, scheduler, separation, mapping, system",
        ),
        ({"mapping": Astray}, r"find\(\) = 0: allowed: the number of a translation page \(there is none\)"),
        ({"mapping": Mumbles}, r"find\(\) = 'somewhere about \d+': allowed: None .*, Load or Guess"),
    ],
)
def test_what_is_not_allowed_is_told(slots: dict[str, type], message: str) -> None:
    with pytest.raises(wordline.WordlineError, match=message):
        run(policies=slots)


def test_an_object_is_taken_as_it_is_and_a_class_anew() -> None:
    turns = Turns()
    run(policies={"placement": turns})
    assert turns.turn != 0


def test_a_state_is_saved_with_a_run_that_stops(tmp_path: Path) -> None:
    more: dict[str, Any] = {
        "device": "mqsim",
        "workload": "mixed-70-30-8k-qd16",
        "overrides": WRITES | {"scheme.custom.python_placement.class": "test_policies:Turns"},
    }
    wordline.run_part(**more, save_state=tmp_path / "half", stop_after=1500)
    rest = wordline.run_part(**more, load_state=tmp_path / "half")
    assert rest is not None
    assert measured(rest) == measured(wordline.run(**more))


def test_a_prepared_drive_is_shared() -> None:
    how: dict[str, Any] = {
        **{"device": "mqsim", "workload": "mixed-70-30-8k-qd16"},
        **{"overrides": WRITES, "policies": {"gc": Greedy}},
    }
    drive = wordline.prepare(**how)
    assert measured(wordline.run(**how, drive=drive)) == measured(wordline.run(**how))


def test_runs_in_threads_keep_their_policies_apart() -> None:
    kinds = [Greedy, Oldest, Stumbles, Greedy]

    def one(kind: type) -> dict[str, Any] | str:
        try:
            return measured(run(policies={"gc": kind}))
        except wordline.WordlineError as error:
            return type(error.__cause__).__name__

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(one, kinds)) == [one(kind) for kind in kinds]


class Numbered(Turns):
    """Notes with which seeds it places."""

    seeds: ClassVar[set[int]] = set()

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        self.seed = seed

    def place(self, program: Program, planes: Planes) -> int:
        self.seeds.add(self.seed)
        return super().place(program, planes)


def test_each_of_several_seeds_has_a_policy_of_its_own() -> None:
    found = wordline.run_seeds(
        "mqsim",
        workload="mixed-70-30-8k-qd16",
        seeds=[4, 9],
        jobs=1,
        checked=True,
        overrides=WRITES,
        policies={"placement": Numbered},
    )
    assert Numbered.seeds == {4, 9}
    for seed, result in found.items():
        assert measured(result) == measured(run(seed=seed, policies={"placement": Numbered}))


MINE = """
class Mine:
    def __init__(self, most=1.0, seed=0):
        self.most, self.seed = most, seed

    def choose(self, blocks):
        found = [i for i in blocks.candidates if blocks.valid[i] <= self.most * blocks.capacity]
        found = found or list(blocks.candidates)
        return found[0] if found else None
"""


def test_schemes_name_a_class_of_the_current_folder(
    wordline: Wordline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE)
    small = [text for key, value in WRITES.items() for text in ("--set", f"{key}={json.dumps(value)}")]
    schemes = "baseline,custom.python_gc={class='mine:Mine'},custom.python_gc={class='mine:Mine',most=0.5}"
    run = (
        "compare",
        "--device",
        "mqsim",
        "--workload",
        "mixed-70-30-8k-qd16",
        *small,
        "--schemes",
        schemes,
        "--out",
        "rows",
        "--json",
    )
    assert "mine:Mine" in json.dumps(wordline(*run).json())
    clash = wordline(
        "compare",
        "--device",
        "mqsim",
        *small,
        "--schemes",
        "gc.policy=fifo+custom.python_gc={class='mine:Mine'}",
    )
    assert "both fill the slot `victims`" in clash.error()


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ("{}", 'a class of Python, "module:Class"'),
        ("{class='nowhere:Mine'}", "a class that can be imported: No module named 'nowhere'"),
        ("{class='mine:Yours'}", "a class that can be imported: module 'mine' has no attribute 'Yours'"),
        ("{class='mine:Mine',least=1}", "parameters that Mine takes: "),
        ("{class='mine:Mine',seed=77}", "without the key seed = 77, as Mine is given the seed of the run"),
        ("{class='broken:Mine'}", "a module without errors: "),
    ],
)
def test_a_class_that_is_not_there_is_told(
    wordline: Wordline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "broken.py").write_text("1 / 0\n")
    told = wordline("run", "--device", "mqsim", "--set", f"scheme.custom.python_gc={named}").error()
    assert message in told, told
    assert "scheme.custom.python_gc" in told


def test_rows_are_keyed_by_the_source_of_the_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from wordline.policies import sources

    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "keyed.py").write_text(MINE)
    custom = {"python_gc": {"class": "keyed:Mine"}, "round_robin": {}}
    first = sources(custom)
    (tmp_path / "keyed.py").write_text(MINE + "\n# changed\n")
    assert first.keys() == {"python_gc"}
    # The class is still that of the file as it was.
    with pytest.raises(wordline.WordlineError, match=r"keyed\.py has changed since it was imported"):
        sources(custom)
    importlib.reload(sys.modules["keyed"])
    assert sources(custom) != first


IMPORTED = {
    "local_base/__init__.py": "",
    "local_base/constants.py": "LEAST = 1\n",
    "local_base/bases.py": "from .constants import LEAST\n\nclass Base:\n    least = LEAST\n",
    "local_unnamed/helper.py": "import json\n\ndef order(found):\n    return sorted(found)\n",
    "local_lazy.py": "def first(found):\n    return found[0]\n",
    "local_policy.py": """
import numpy as np
from local_base.bases import Base
from local_unnamed import helper

class Mine(Base):
    def choose(self, blocks):
        from local_lazy import first
        return first(helper.order(np.flatnonzero(blocks.full)))
""",
}
"""A policy with a base class in a package, constants, a folder without `__init__.py`, a late import."""


def key_of_local(folder: Path) -> str:
    """The key of the policy as a new session has it."""
    code = (
        "from wordline.policies import sources\nprint(sources({'python_gc': {'class': 'local_policy:Mine'}}))"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, capture_output=True, text=True)
    return ran.stdout


def test_rows_are_keyed_by_all_of_the_users_that_a_policy_imports(tmp_path: Path) -> None:
    for name, text in IMPORTED.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "local_base/other.py").write_text("")
    keys = [key_of_local(tmp_path)]
    for name, text in IMPORTED.items():
        (tmp_path / name).write_text(text + "\n# changed\n")
        keys.append(key_of_local(tmp_path))
    assert len(set(keys)) == 1 + len(IMPORTED)
    (tmp_path / "local_base/other.py").write_text("# imported by nothing\n")
    assert key_of_local(tmp_path) == keys[-1]


def test_what_a_policy_imports_may_not_change_within_a_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wordline.policies import sources

    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "kept_constants.py").write_text("MOST = 1\n")
    (tmp_path / "takes_constants.py").write_text("from kept_constants import MOST\n" + MINE)
    custom = {"python_gc": {"class": "takes_constants:Mine"}}
    sources(custom)
    (tmp_path / "kept_constants.py").write_text("MOST = 22\n")
    for module in ("kept_constants", "takes_constants"):
        with pytest.raises(
            wordline.WordlineError, match=r"python_gc: .*kept_constants\.py has changed since"
        ):
            sources(custom)
        importlib.reload(sys.modules[module])


def test_a_class_without_a_file_has_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    from wordline.policies import sources

    typed = types.ModuleType("typed")
    exec(MINE, typed.__dict__)  # noqa: S102 -- as in a notebook
    monkeypatch.setitem(sys.modules, "typed", typed)
    with pytest.raises(wordline.WordlineError, match=r"python_gc: a class in a file, .*, not in typed"):
        sources({"python_gc": {"class": "typed:Mine"}})


def test_the_reference_has_every_slot_and_every_method_of_a_system() -> None:
    from wordline.policies import METHODS, PREFIX, about

    assert about.SLOTS.keys() == {PREFIX + slot for slot in METHODS}
    assert {method.partition("(")[0] for method in about.SYSTEM} == set(METHODS["system"])
    for slot, methods in METHODS.items():
        if slot != "system":
            assert about.SLOTS[PREFIX + slot][0].startswith(f"`{methods[0]}(")


def test_the_example_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parent.parent / "docs" / "policies-in-python.md").read_text()
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    exec(compile(code, "example", "exec"), {})  # noqa: S102 -- the page's own example
    before, own = (line.split(" ", 1)[1] for line in capsys.readouterr().out.splitlines())
    assert before != own
