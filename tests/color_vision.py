"""How far apart colors are: in OKLab (B. Ottosson, 2020), as eyes see them that lack a kind of cones (G. M.
Machado, M. M. Oliveira, L. A. F. Fernandes, "A Physiologically-based Model for Simulation of Color Vision
Deficiency", IEEE TVCG 15, 2009, severity 1).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy
import numpy.typing

Matrix = numpy.typing.NDArray[numpy.float64]

VISIONS: dict[str, Matrix] = {
    "normal": numpy.eye(3),
    "protanopia": numpy.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": numpy.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": numpy.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
"""From linear sRGB to linear sRGB."""

_CONES = numpy.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LAB = numpy.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def linear(color: str) -> Matrix:
    """Linear sRGB of `#rrggbb`."""
    signals = numpy.array([int(color[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return numpy.where(signals <= 0.04045, signals / 12.92, ((signals + 0.055) / 1.055) ** 2.4)


def lab(color: str, vision: str) -> Matrix:
    """OKLab of what eyes of this kind see."""
    seen = numpy.clip(VISIONS[vision] @ linear(color), 0.0, 1.0)
    return _LAB @ numpy.cbrt(_CONES @ seen)


def nearest(colors: Sequence[str], vision: str) -> tuple[float, str, str]:
    """The least distance of two of these colors, and which."""
    seen = {color: lab(color, vision) for color in colors}
    assert len(seen) == len(colors) > 1
    return min(
        (float(numpy.linalg.norm(seen[one] - seen[other])), one, other)
        for one, other in itertools.combinations(seen, 2)
    )


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG."""
    low, high = sorted(float(linear(color) @ [0.2126, 0.7152, 0.0722]) for color in (one, other))
    return (high + 0.05) / (low + 0.05)
