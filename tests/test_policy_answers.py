"""What goes wrong with a policy in Python, and what its class says of itself, is told with the line."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from test_policies import Greedy, InOrder, Turns, WholeMap, run

import wordline
from wordline.policies import METHODS, Blocks, Load, Lookup, Planes, Program, Waiting

WHERE_ASKED: dict[str, object] = {
    "scheme.blocks.host_write_points": 2,
    "scheme.reclaim": {"policy": "block", "threshold": 5},
}
"""What some methods need to be asked."""


def line_of(method: Callable[..., object]) -> str:
    """As messages name it."""
    code = method.__code__
    return f"{re.escape(code.co_filename)}:{code.co_firstlineno}: "


def answering(method: str, answer: object) -> type:
    return type("Answers", (WholeMap,), {method: lambda *_: answer})


@pytest.mark.parametrize(
    ("slot", "method", "answer", "allowed"),
    [
        ("gc", "choose", 64, "the number of a superblock of the domain, 0 to 63"),
        ("gc", "choose", True, "the number of a superblock of the domain, 0 to 63"),
        ("gc", "choose", "x", "the number of a superblock of the domain, 0 to 63"),
        ("gc", "choose", np.zeros(2), "the number of a superblock of the domain, 0 to 63"),
        ("placement", "place", 2, "the number of a plane, 0 to 1"),
        (
            "placement",
            "place",
            None,
            "the number of a plane, 0 to 1; None is no answer: each program",
        ),
        ("scheduler", "next", "sleep", r"what waits, \w+, \w+"),
        (
            "scheduler",
            "next",
            None,
            r"what waits, .*; None is no answer: a die doesn't rest",
        ),
        ("separation", "write_point", None, "the number of a write point, .*; None is no answer: each page"),
        ("mapping", "find", 3, r"None \(its entry is in DRAM\), Load or Guess"),
        ("mapping", "updated", 3, "None, or a list of translation pages"),
    ],
)
def test_a_wrong_answer_is_told_with_the_line_of_the_method(
    slot: str, method: str, answer: object, allowed: str
) -> None:
    policy = answering(method, answer)
    shown = re.escape(f"Answers.{method}() = {answer!r}: allowed: ")
    with pytest.raises(wordline.WordlineError, match="^" + line_of(vars(policy)[method]) + shown + allowed):
        run(policies={slot: policy}, more={"scheme.blocks.host_write_points": 2})


HOT = {"scheme.blocks.host_write_points": 2, "scheme.separation.separate_hot_moves": True}
"""Moved pages are hot or not."""


@pytest.mark.parametrize("answer", ["no", 0, np.zeros(1)])
def test_what_is_neither_true_nor_false_says_of_no_page_whether_it_is_hot(answer: object) -> None:
    points = {"write_point": lambda *_: 0, "is_hot": lambda *_: answer}
    told = line_of(points["is_hot"]) + re.escape(
        f"Answers.is_hot() = {answer!r}: allowed: True or False, or None"
    )
    with pytest.raises(wordline.WordlineError, match="^" + told):
        run(policies={"separation": type("Answers", (), points)}, more=HOT)


@pytest.mark.parametrize("answer", [None, True, np.False_])
def test_whether_a_page_is_hot_may_be_said_by_numpy_or_not_at_all(answer: object) -> None:
    points = {"write_point": lambda *_: 0, "is_hot": lambda *_: answer}
    run(policies={"separation": type("Answers", (), points)}, more=HOT)


ON_FLASH = {"scheme.mapping.policy": "demand", "scheme.mapping.translation_page_bytes": 512}


@pytest.mark.parametrize("whole", ["no", 1])
def test_that_all_entries_of_a_page_are_in_dram_is_said_with_true_or_false(whole: object) -> None:
    policy = answering("updated", [(0, whole)])
    told = re.escape(f"Answers.updated() = (0, …) = {whole!r}: allowed: True or False")
    with pytest.raises(wordline.WordlineError, match=line_of(vars(policy)["updated"]) + told):
        run(policies={"mapping": policy}, more=ON_FLASH)


def test_a_translation_page_that_is_not_there_is_told_with_the_line_of_erased() -> None:
    policy = answering("erased", [10**6])
    told = re.escape("Answers.erased() = 1000000: allowed: the number of a translation page, 0 to ")
    with pytest.raises(wordline.WordlineError, match="^" + line_of(vars(policy)["erased"]) + told):
        run(policies={"mapping": policy}, more=ON_FLASH)


class Fullest:
    """Of which nothing is won."""

    def choose(self, blocks: Blocks) -> int | None:
        full = np.flatnonzero(blocks.full)
        return int(full[blocks.valid[full].argmax()]) if full.size else None


@pytest.mark.parametrize("preparing", [0.0, 1.0], ids=["in the run", "as the drive is prepared"])
@pytest.mark.parametrize(
    ("policy", "answer"),
    [(answering("choose", None), "None"), (Fullest, "a superblock of which nothing is won")],
)
def test_a_choice_of_victims_that_wins_nothing_ends_a_run_short_of_space_with_its_line(
    policy: type, answer: str, preparing: float
) -> None:
    told = line_of(vars(policy)["choose"]) + re.escape(f"after {policy.__name__}.choose() = {answer}")
    with pytest.raises(
        wordline.WordlineError, match="^" + told + ".*wait for free space that no collection can win"
    ):
        run(policies={"gc": policy}, more={"workload.start.overwrite": preparing})


class NoneAtFirst(Greedy):
    """It has none when it is asked first, and victims later, all of them too full."""

    def __init__(self) -> None:
        self.asked = 0

    def choose(self, blocks: Blocks) -> int | None:
        self.asked += 1
        return None if self.asked == 1 else super().choose(blocks)


def test_a_none_behind_which_there_were_victims_ends_nothing() -> None:
    policy = NoneAtFirst()
    run(policies={"gc": policy})
    assert policy.asked > 10


ANSWERS: tuple[object, ...] = (
    None,
    "x",
    1.5,
    -1,
    2**70,
    [None],
    {"a": 1},
    object(),
    np.zeros(3),
    float("nan"),
)
"""Of every kind; none is right for a method that must answer, and few are for one that may."""

ASKED = [(slot, method) for slot, methods in METHODS.items() for method in methods]


@pytest.mark.parametrize(("slot", "method"), ASKED)
def test_an_answer_of_any_kind_of_any_slot_is_taken_or_told_with_class_and_line(
    slot: str, method: str
) -> None:
    taken = []
    for answer in ANSWERS:
        kind = type("Answers", (), {method: lambda *_, answer=answer: answer})
        try:
            run(policies={slot: kind}, more=WHERE_ASKED)
            taken.append(answer)
        except wordline.WordlineError as error:
            told = "^" + line_of(vars(kind)[method]) + rf"(after )?Answers\.{method}\(\)"
            assert re.match(told, str(error)), error
    # Nothing but None, and where it isn't asked here, anything.
    never_asked = slot == "system" and len(taken) == len(ANSWERS)
    assert never_asked or taken == [None] * len(taken)


def test_counts_of_views_do_not_wrap() -> None:
    class Looks(Greedy):
        lowest = 0
        needs = ("full_order", "last_change")

        def choose(self, blocks: Blocks) -> int | None:
            self.lowest = min(self.lowest, int((blocks.valid - blocks.most_valid).min()))
            assert (blocks.erases - blocks.erases.max()).max() == 0
            assert (blocks.changed - blocks.clock).max() <= 0
            assert not blocks.valid.flags.writeable
            return super().choose(blocks)

    class Places(Turns):
        lowest = 0

        def place(self, program: Program, planes: Planes) -> int:
            differences = planes.outstanding - planes.outstanding.max()
            self.lowest = min(self.lowest, int(differences.min()))
            assert differences.max() == 0 >= (planes.held - planes.held.max()).min()
            return super().place(program, planes)

    victims, placement = Looks(), Places()
    run(policies={"gc": victims, "placement": placement})
    assert -1000 < victims.lowest < 0
    assert -1000 < placement.lowest < 0


def test_a_line_of_the_policy_is_told_for_what_a_library_raises() -> None:
    class Inverts(Greedy):
        def choose(self, blocks: Blocks) -> int | None:
            np.linalg.inv(np.zeros((2, 2)))
            return super().choose(blocks)

    line = Inverts.choose.__code__.co_firstlineno + 1
    with pytest.raises(
        wordline.WordlineError, match=rf"answers\.py:{line}: Inverts\.choose\(\): LinAlgError: "
    ):
        run(policies={"gc": Inverts})


def test_a_method_that_takes_other_arguments_is_told_with_its_line() -> None:
    class Takes:
        def choose(self) -> None: ...

    with pytest.raises(
        wordline.WordlineError, match=line_of(Takes.choose) + r"Takes\.choose\(\): TypeError: "
    ):
        run(policies={"gc": Takes})


def test_an_interrupt_while_a_policy_is_asked_stays_one() -> None:
    class Interrupted:
        def choose(self, blocks: Blocks) -> int | None:
            raise KeyboardInterrupt(blocks.first)

    with pytest.raises(KeyboardInterrupt):
        run(policies={"gc": Interrupted})


@pytest.mark.parametrize(
    ("slot", "base", "attributes", "message"),
    [
        ("gc", Greedy, {"needs": ("past",)}, "needs 'past': allowed: full_order, last_change"),
        ("gc", Greedy, {"needs": "full_order"}, "needs = 'full_order': allowed: a tuple of names"),
        ("placement", Turns, {"places_moves": "no"}, "places_moves = 'no': allowed: True or False"),
        ("scheduler", InOrder, {"suspends": ["gc"]}, "suspends 'gc': allowed: host_program, "),
        ("scheduler", InOrder, {"suspends": ["host_read"]}, "suspends 'host_read': allowed: host_program, "),
        ("scheduler", InOrder, {"suspends": 3}, "suspends = 3: allowed: a tuple of names"),
        ("scheduler", InOrder, {"longest_suspension_ns": -1}, "longest_suspension_ns -1: allowed: 0 to"),
        ("mapping", WholeMap, {"memory_bytes": 1.5}, "memory_bytes 1.5: allowed: a whole number"),
        ("mapping", WholeMap, {"memory_bytes": np.arange(2)}, r"memory_bytes array\(\[0, 1\]\): allowed"),
    ],
)
def test_what_a_class_says_of_itself_is_checked(
    slot: str, base: type, attributes: dict[str, object], message: str
) -> None:
    with pytest.raises(wordline.WordlineError, match=r"test_policy_answers.*: Says\." + message):
        run(policies={slot: type("Says", (base,), attributes)})


def test_a_constructor_that_raises_is_told_with_its_line() -> None:
    class Broken(Greedy):
        def __init__(self) -> None:
            raise ValueError("window")

    with pytest.raises(wordline.WordlineError, match=r"can be made: .*answers\.py:\d+: ValueError: window"):
        run(policies={"gc": Broken})


def test_a_scheduler_is_asked_where_there_is_a_choice() -> None:
    class Counts(InOrder):
        def __init__(self) -> None:
            self.fewest = 99

        def next(self, waiting: list[Waiting], now_ns: int) -> str:
            self.fewest = min(self.fewest, len(waiting))
            assert all(one.waited_ns <= now_ns for one in waiting)
            return super().next(waiting, now_ns)

    policy = Counts()
    run(policies={"scheduler": policy})
    assert policy.fewest == 2


class Forgetful:
    """Asks for a page of the map again and again."""

    def find(self, lookup: Lookup) -> Load:
        return Load(lookup.translation_page)


def test_a_map_that_asks_again_for_what_was_loaded_is_told_with_the_line_of_its_method() -> None:
    told = rf"{line_of(Forgetful.find)}after Forgetful.find\(\) for a page that was loaded: .* again"
    with pytest.raises(wordline.WordlineError, match=told):
        run(policies={"mapping": Forgetful}, more={"scheme.mapping.policy": "demand"})
