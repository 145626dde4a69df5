"""Errors that the tests of the flash or the oracle must notice: each can still be made.

Making them takes minutes: `scripts/mutate`.
"""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MUTATIONS = tomllib.loads((ROOT / "scripts/mutations.toml").read_text())["mutation"]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation["what"])
def test_each_error_can_be_made_at_one_place(mutation: dict[str, str]) -> None:
    assert (ROOT / mutation["file"]).read_text().count(mutation["from"]) == 1
    assert mutation["from"] != mutation["to"]
