"""A profile and the workload that plays it, as TOML."""

from __future__ import annotations

from profiles.collision import STRIPE
from profiles.interference import LATEST
from profiles.shape import Published, sizes
from profiles.shuffler import FLASH_PAGE, PLANES, UNEVENNESS


def text_of(profile: Published) -> str:
    """The profile as TOML."""

    def listed(mean: float) -> str:
        each = profile.lengths or sizes(mean)
        return ", ".join(f"{{ bytes = {size}, weight = {weight} }}" for size, weight in each)

    space = sum(page_class.bytes for page_class in profile.classes)
    lines = [
        "# Written by scripts/published.py from published figures; docs/generators.md says what is assumed.",
        *(f"# {line}" for line in profile.comments),
        "form = 1",
        f'name = "{profile.name}"',
        f'fit_for = "{profile.fit_for}"',
        f'source = "{profile.source}"',
        f"trace_files = [{', '.join(chr(34) + name + chr(34) for name in profile.trace_files)}]",
        f"space_bytes = {space}",
        "",
        "[summary]",
        f"requests = {profile.requests}",
        f"read_share = {profile.read_share}",
        f"mean_read_bytes = {profile.read_bytes:.1f}",
        f"mean_write_bytes = {profile.write_bytes:.1f}",
        "",
        "[model]",
        f"read_share = {profile.read_share}",
        f"read_sizes = [{listed(profile.read_bytes)}]",
        f"write_sizes = [{listed(profile.write_bytes)}]",
        f"burst_requests = {profile.burst_requests}",
        f"burst_gap_ns = {profile.burst_gap_ns:.1f}",
        f"idle_gap_ns = {profile.idle_gap_ns:.1f}",
    ]
    for page_class in profile.classes:
        lines += [
            "",
            "[[model.class]]",
            f'name = "{page_class.name}"',
            f"bytes = {page_class.bytes}",
            f"reads = {page_class.reads:.6f}",
            f"writes = {page_class.writes:.6f}",
            f'walk = "{page_class.walk}"',
        ]
        if page_class.theta is not None:
            lines.append(f"theta = {page_class.theta}")
        if page_class.turns is not None:
            lines.append(f"turns = {page_class.turns}")
        if page_class.soon > 0.0:
            lines.append(f"recent = {{ share = {page_class.soon}, reads = {LATEST} }}")
    for burst in profile.bursts:
        lines += [
            "",
            "[[model.burst]]",
            f'name = "{burst.name}"',
            f'op = "{burst.op}"',
            f'class = "{burst.page_class}"',
            f"share = {burst.share:.6f}",
            f"requests = {burst.requests}",
            f"gap_ns = {burst.gap_ns}",
        ]
        if burst.aligned > 0.0:
            lines.append(f"aligned = {{ bytes = {STRIPE}, share = {burst.aligned:.4f} }}")
        if burst.again is not None:
            again = burst.again
            skew = f", theta = {again.theta}" if again.theta else ""
            lines.append(f"again = {{ sequences = {again.sequences}, times = {again.times:g}{skew} }}")
    if profile.skewed:
        lines += ["", "[model.skew]", f"bytes = {FLASH_PAGE}", f"of = {PLANES}", "excess = 0.0"]
    return "\n".join(lines) + "\n"


def workload_of(profile: Published) -> str:
    """The workload that plays it, as TOML."""
    skew = UNEVENNESS.get(profile.name)
    more = "" if skew is None else f"\nskew = {skew} # scripts/skew.py: g of Baseline is 0.35"
    # Pages that a skewed twin doesn't come to are part of the printed footprint, and have their places.
    occupancy = "span" if profile.skewed else "footprint"
    return f"""# Written by scripts/published.py. The profile says what it is fit for and where it comes from.
name = "{profile.name}"
description = "{profile.description}"

[source]
kind = "twin"
path = "../profiles/{profile.name}.toml"{more}

[host]
arrivals = "open"

[start]
occupancy = "{occupancy}"
"""
