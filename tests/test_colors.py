"""Colors of charts can be told apart, whatever the eyes, on white and on a dark screen."""

from __future__ import annotations

import itertools

import pytest
from color_vision import VISIONS, contrast, nearest

from wordline.charts import colors

OKABE_ITO = ("#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7")

LEAST = 0.08
"""Distance in OKLab of any two colors of a chart. Of the seven colors of Okabe and Ito, which are made for
all eyes, the nearest are 0.076 apart; a difference that can just be seen is 0.02.
"""

LEAST_CONTRAST = 1.5
"""Of a bar with the page."""

PAPERS = ("#ffffff", "#14181d")


def all_slots() -> list[str]:
    return [*colors._SLOTS.values(), colors.OTHER]


def test_the_measure_is_the_one_that_the_threshold_was_read_off() -> None:
    assert min(nearest(OKABE_ITO, vision)[0] for vision in VISIONS) == pytest.approx(0.076, abs=0.001)
    assert nearest(("#000000", "#ffffff"), "normal")[0] == pytest.approx(1.0, abs=1e-3)
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("vision", VISIONS)
def test_any_two_parts_of_a_response_time_can_be_told_apart(vision: str) -> None:
    distance, one, other = nearest(all_slots(), vision)
    assert distance >= LEAST, (one, other)


@pytest.mark.parametrize("vision", VISIONS)
def test_any_two_series_can_be_told_apart(vision: str) -> None:
    distance, one, other = nearest(colors.SERIES, vision)
    assert distance >= LEAST, (one, other)


@pytest.mark.parametrize("paper", PAPERS)
def test_colors_stand_out_from_the_page(paper: str) -> None:
    for color in (*all_slots(), *colors.SERIES):
        assert contrast(color, paper) >= LEAST_CONTRAST, color


def test_parts_of_a_page_never_share_a_color() -> None:
    names = [*colors.PARTS, "die_wait.unheard_of", "unheard_of"]
    for few in itertools.chain(
        itertools.combinations(names, 2), (names[first : first + 10] for first in range(len(names) - 9))
    ):
        assert len(set(colors.of_parts(few).values())) == len(few), few
    # Those that are named first keep theirs, whatever else is there.
    kept = colors.of_parts(["suspend", "cpu_wait", "cell"])
    assert kept["cpu_wait"] == colors.PARTS["cpu_wait"] and kept["cell"] == colors.PARTS["cell"]
    assert kept["suspend"] != kept["cpu_wait"]
    assert colors.of_parts(["suspend"])["suspend"] == colors.PARTS["suspend"]


def test_more_parts_than_there_are_colors_have_one_each() -> None:
    assert len(colors.of_parts(map(str, range(40)))) == 40
