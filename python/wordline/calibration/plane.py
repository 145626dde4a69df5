"""Designed experiments around a choice of values: the plane through the residuals, the step to its least, and
how far the data determine each value.

Around the choice the residuals are taken as linear in the free values (in shares of their ranges, ratios
where those are searched in ratios). A folded-over Hadamard design (G. E. P. Box, J. S. Hunter, W. G. Hunter,
"Statistics for Experimenters", 2nd ed., Wiley 2005, ch. 5 and 7) gives each slope from all of its runs, free
of pairwise interactions, and what the runs deviate from the plane is the noise of the slopes. The step is
that of Gauss and Newton, damped by this noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordline.calibration.problem import Tried
from wordline.calibration.space import Free

Array = NDArray[np.float64]

FARTHEST = 3.0
"""A step goes so many half-widths at most."""

DAMPING = 0.5
"""Of the noise of the slopes that holds a step back: with all of it values of little effect creep."""

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Plane:
    """Residuals around a choice of values: `r = at + slopes · d`, d in half-widths from the centre."""

    centre: Array
    """Shares of the ranges."""
    width: Array
    """Half-widths of the design."""
    at: Array
    slopes: Array
    noise: Array
    """What chance adds to slopesᵀ · slopes."""
    chance: float
    """Variance of the residuals around the plane, mean over them: chance of the simulation, and curvature."""


def design(numbers: Sequence[Free]) -> Array:
    """Rows of ±1: each value up in half of the runs, whatever any other is, and each row with its mirror
    image.
    """
    from scipy.linalg import hadamard

    if not numbers:
        return np.empty((0, 0))
    order = 2 ** math.ceil(math.log2(len(numbers) + 1))
    half = hadamard(order)[:, 1 : len(numbers) + 1].astype(float)
    return np.vstack([half, -half])


def plane_of(inside: Sequence[tuple[Array, Tried]], centre: Array, width: Array) -> Plane | None:
    """Least squares over what lies in the box; `None` if that is too little."""
    count = len(width)
    if len(inside) < count + 2:
        return None
    rows = np.array([np.concatenate([[1.0], (share - centre) / width]) for share, _ in inside])
    values = np.array([one.residuals for _, one in inside])
    if np.linalg.matrix_rank(rows) < count + 1:
        return None
    found, _, _, _ = np.linalg.lstsq(rows, values, rcond=None)
    freedom = len(inside) - count - 1
    variance = ((values - rows @ found) ** 2).sum(axis=0) / freedom
    spread = np.linalg.inv(rows.T @ rows)[1:, 1:]
    return Plane(centre, width, found[0], found[1:].T, variance.sum() * spread, float(variance.mean()))


def step_of(plane: Plane) -> Array:
    """Half-widths from the centre to the least residuals of the plane, damped by the noise of its slopes."""
    from scipy.optimize import lsq_linear

    low = np.maximum(-FARTHEST, -plane.centre / plane.width)
    high = np.minimum(FARTHEST, (1 - plane.centre) / plane.width)
    damping = DAMPING * np.diag(np.sqrt(np.maximum(np.diag(plane.noise), 1e-12)))
    slopes = np.vstack([plane.slopes, damping])
    aim = np.concatenate([-plane.at, np.zeros(len(plane.width))])
    return np.asarray(lsq_linear(slopes, aim, bounds=(low, np.maximum(high, low + 1e-9))).x)


def information(plane: Plane, scale: float) -> Array:
    """What the figures and the ranges say: products of the slopes by the variance of a residual, and the
    variance of a value that may lie anywhere in its range. Without the second a value of no effect would
    leave no other one its interval, since noise mixes their slopes.
    """
    return np.asarray(_known(plane, plane.slopes) / scale + _ranges(plane))


def _known(plane: Plane, slopes: Array) -> Array:
    """slopesᵀ · slopes, less what chance adds to it in 99 of 100 cases."""
    from scipy.stats import chi2

    count = len(plane.slopes)
    raw = slopes.T @ slopes - plane.noise * chi2.ppf(0.99, count) / count
    levels, axes = np.linalg.eigh((raw + raw.T) / 2)
    return np.asarray(axes @ np.diag(np.maximum(levels, 0.0)) @ axes.T)


def _ranges(plane: Plane) -> Array:
    """By the variance of a uniform distribution over each range."""
    return np.diag(12 * plane.width**2)


def scale_of(plane: Plane, best: Tried) -> float:
    """Variance of a residual: what the deviations say, or what it is if more, and that around the plane."""
    return max(1.0, _estimated(plane, best)) + plane.chance


def _estimated(plane: Plane, best: Tried) -> float:
    return sum(value**2 for value in best.residuals) / _freedom(plane, best)


def _freedom(plane: Plane, best: Tried) -> int:
    return max(len(best.residuals) - len(plane.width), 1)


def _quantile(plane: Plane, best: Tried) -> float:
    """Of Student's t where the variance of a residual is estimated from the residuals, else, where it is what
    the deviations say, of the normal distribution.
    """
    from scipy.stats import norm, t

    level = (1 + CONFIDENCE) / 2
    known = _estimated(plane, best) <= 1.0
    return float(norm.ppf(level) if known else t.ppf(level, _freedom(plane, best)))


def spread_of(plane: Plane, best: Tried, groups: Sequence[int]) -> Array:
    """Half of each 95% interval, in half-widths. The residuals of a group (one direction at one point) are
    independent or one and the same, whichever gives the wider interval.
    """
    scale = scale_of(plane, best)
    inverse = np.linalg.inv(information(plane, scale))
    sums = np.array([plane.slopes[np.array(groups) == group].sum(axis=0) for group in sorted(set(groups))])
    joint = inverse @ (_known(plane, sums) / scale + _ranges(plane)) @ inverse
    variance = np.maximum(np.diag(inverse), np.diag(joint))
    return np.asarray(_quantile(plane, best) * np.sqrt(variance))
