"""`wordline show combinations`: the matrix of parts."""

import json
import tomllib

import pytest

from wordline import combinations
from wordline.cli import execute


def test_parts_exclude_each_other_by_slot_and_both_ways() -> None:
    known = {part.name: part for part in combinations.parts()}
    assert known["greedy"].excludes(known["random"]) == "victims"
    assert known["random"].excludes(known["greedy"]) == "victims"
    assert known["greedy"].excludes(known["dynamic"]) is None


def test_every_part_names_keys_of_a_scheme() -> None:
    for part in combinations.parts():
        assert tomllib.loads(part.keys), part.name
        # Systems of a user's own stand beside what fills slots.
        assert part.slots or part.name == "python_system", part.name


def test_the_matrix_is_printed_as_a_table_and_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["show", "combinations", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    greedy = next(row for row in rows if row["name"] == "greedy")
    assert greedy["excludes"]["fifo-victims"] == "victims"
    assert execute(["show", "combinations"]) == 0
    printed = capsys.readouterr().out
    assert "greedy" in printed and "victims" in printed and "·" in printed


def test_the_matrix_shows_every_pair_within_80_columns() -> None:
    known = combinations.parts()
    header, units, *lines = combinations.matrix().plain.splitlines()
    assert all(len(line) <= 80 for line in (header, units, *lines[: len(known)]))
    # Below "part" the label ends where the first column begins.
    wide = units.index("1")
    columns = [place for place in range(wide, len(units)) if units[place] != " "]
    assert len(columns) == len(known)
    for row, (line, part) in enumerate(zip(lines, known, strict=False)):
        for column, other in zip(columns, known, strict=True):
            sign = line.ljust(len(units))[column]
            assert (sign == "·") == (other is not part and part.excludes(other) is None), (row, other.name)
            assert sign.isupper() == (part.excludes(other) is not None and other is not part)
