"""The counter of words and sentences isn't fooled, so that a page that is too long is found and no other."""

from __future__ import annotations

import pytest
from prose import sentences, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One. Two three!", ["One.", "Two three!"]),
        (
            "As Yan et al. (2017) have it, e.g. here. Next.",
            ["As Yan et al. (2017) have it, e.g. here.", "Next."],
        ),
        ("N. Agrawal and W. G. Cochran. Next.", ["N. Agrawal and W. G. Cochran.", "Next."]),
        ("It took 1.5 s in version 0.1.0. Next.", ["It took 1.5 s in version 0.1.0.", "Next."]),
        ("See [the page. Of it](a.md#b). Next.", ["See the page.", "Of it.", "Next."]),
        ("Set `a. B. c` to 1. Next.", ["Set Code to 1.", "Next."]),
        ("One. `a` is two.", ["One.", "Code is two."]),
        ("(In brackets.) Next.", ["(In brackets.)", "Next."]),
        (
            "A list:\n\n- one thing\n- another\n  that goes on\n",
            ["A list:", "one thing", "another that goes on"],
        ),
        ("1. first\n2. second\n", ["first", "second"]),
        ("a line\nthat goes on.\n\nA paragraph", ["a line that goes on.", "A paragraph"]),
        ("# Heading. With dot\n\n| a. B | c |\n|---|---|\n\nText.", ["Text."]),
        ("```bash\nOne. Two.\n```\n\nText.", ["Text."]),
        ("Text:\n\n    x = 1. y = 2\n\n    z\n\nText.", ["Text:", "Text."]),
        ("Text\n    that goes on.", ["Text that goes on."]),
        ("- item\n\n    its paragraph.\n\nText\n\n    code. More", ["item", "its paragraph.", "Text"]),
        ("Text, of which: all.", ["Text, of which: all."]),
    ],
)
def test_sentences(text: str, found: list[str]) -> None:
    assert list(sentences(text)) == found


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("| a | b |\n|---|--:|\n| 1 | – |", 3),
        ("one [two three](http://a.b/c d) – four", 4),
        ("```toml\na = 1\n```", 3),
        ("<!-- not this -->\nthis", 1),
    ],
)
def test_words(text: str, count: int) -> None:
    assert words(text) == count
