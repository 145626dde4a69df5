"""docs/mqsim.md names every key as it is declared. `WORDLINE_BLESS=1` writes its tables anew."""

from __future__ import annotations

import os
from pathlib import Path

from wordline.mqsim.keys import tables

PAGE = Path(__file__).parents[1] / "docs" / "mqsim.md"
START = "<!-- tables of python/wordline/mqsim/keys.py -->\n"
END = "<!-- end of tables -->\n"


def test_the_page_has_the_tables_of_the_declaration() -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(START)
    found, after = rest.split(END)
    wanted = f"\n{tables()}\n"
    if os.environ.get("WORDLINE_BLESS"):
        PAGE.write_text(f"{before}{START}{wanted}{END}{after}", encoding="utf-8")
        found = wanted
    assert found == wanted
