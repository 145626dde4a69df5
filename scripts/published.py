"""Profiles of the papers' workloads whose traces nobody may pass on, from published figures alone.

    python scripts/published.py TARGETS

TARGETS is a folder with `workloads.csv` and `msr_volumes.csv`. Writes `presets/profiles/NAME.toml` and
`presets/workloads/NAME.toml`, and twins of recordings beside the exhibits of papers/000. What the figures
don't say is assumed, alike for all, and written down in docs/generators.md. Bursts and loads of the twins of
papers/000, papers/002 and papers/004 are read from `scripts/fitted-*.toml`, which scripts/fit_baselines.py
finds; no result of a scheme goes into a profile.
"""

from __future__ import annotations

import csv
import sys
import tomllib
from pathlib import Path
from typing import Any

from profiles.collision import collision_volumes, of_collisions, of_recording
from profiles.counts import of_counts
from profiles.dominance import LONG_SHARE, of_dominance, pacp_shares
from profiles.interference import interference_counts, of_interference
from profiles.shape import SIZE, WEEK_NS, Published
from profiles.shuffler import ALIBABA, VDI, of_pages
from profiles.written import text_of, workload_of

ROOT = Path(__file__).resolve().parent.parent
PRESETS = ROOT / "presets"
EXHIBITS = ROOT / "python" / "wordline" / "repro" / "exhibits"
RECORDED = EXHIBITS / "collision"
"""Where twins of recordings stand, beside the exhibit that holds them against these."""
BURSTS = EXHIBITS / "pacp"
"""Where twins of papers/002 with other bursts stand, beside the exhibit that shows what these decide."""
BUFFERED = EXHIBITS / "hotr"
"""Where twins of papers/004 stand whose bursts are fitted on a drive that buffers writes."""


def fitted(paper: str) -> list[dict[str, Any]]:
    """What scripts/fit_baselines.py found."""
    path = Path(__file__).parent / f"fitted-{paper}.toml"
    found: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["fit"]
    return found


def all_profiles(targets: Path) -> list[Published]:
    """Every profile that the tables of this folder give."""
    with (targets / "workloads.csv").open(encoding="utf-8") as file:
        rows = {row["workload"]: row for row in csv.DictReader(file)}
    with (targets / "msr_volumes.csv").open(encoding="utf-8") as file:
        volumes = list(csv.DictReader(file))
    out = []
    for name, row in rows.items():
        if row["system"] == "shuffler":
            files = [VDI[name]] if name in VDI else [ALIBABA[name]] if name in ALIBABA else []
            kind = "synthetic of papers/001" if not files else "stands for " + files[0]
            out.append(
                of_pages(row, f"Twin of {name}, papers/001 table 2 ({kind})", "papers/001, table 2", files)
            )
    loads = {fit["workload"]: fit for fit in fitted("hotr")}
    out += [of_interference(counts, loads[counts.name]) for counts in interference_counts(targets)]
    for row in volumes:
        volume, requests = row["volume"], int(row["requests"])
        out.append(
            of_counts(
                f"msr-{volume}",
                f"MSR Cambridge {volume}: {requests:,} requests, "
                f"{float(row['read_ratio']):.1%} reads; counts only",
                row["source"],
                requests,
                float(row["read_ratio"]),
                SIZE,
                requests / (WEEK_NS / 1e9),
                [volume, f"msr_{volume}", f"msr-{volume}"],
            )
        )
    (bursts,) = fitted("pacp")
    counts = {profile.name: profile for profile in out}
    for name, share in pacp_shares(targets).items():
        out.append(_of_pacp(counts[f"msr-{name}"], f"pacp-{name}", share, float(bursts["burst"]), LONG_SHARE))
    fits = {fit["volume"]: fit for fit in fitted("collision")}
    out += [of_collisions(volume, fits[volume.name]) for volume in collision_volumes(targets)]
    return out


def _of_pacp(found: Published, name: str, share: float, burst: float, long_share: float) -> Published:
    volume = found.name.removeprefix("msr-")
    about = (
        f"Twin of MSR Cambridge {volume} as papers/002 has it: {found.requests:,} requests, "
        f"{share:.1%} reads, pages by dominance"
    )
    return of_dominance(found, name, about, share, burst, long_share)


def with_other_bursts(targets: Path) -> list[Published]:
    """Twins of papers/002 at the same rate in bursts of 8, 64 and 512, none of them long."""
    counts = {profile.name: profile for profile in all_profiles(targets)}
    shares = pacp_shares(targets)
    return [
        _of_pacp(counts[f"msr-{name}"], f"bursts-{burst}-{name}", shares[name], float(burst), 0.0)
        for name in ("hm_1", "src1_2", "hm_0")
        for burst in (8, 64, 512)
    ]


def with_bursts_of_a_buffer(targets: Path) -> list[Published]:
    """Twins of papers/004 whose bursts block as many reads as printed where 64 MiB buffer the writes."""
    fits = {fit["workload"]: fit for fit in fitted("hotr-buffered")}
    found = [of_interference(counts, fits[counts.name]) for counts in interference_counts(targets)]
    for profile in found:
        profile.name, profile.trace_files = f"buffered-{profile.name}", []
        profile.comments.insert(0, "For a drive that buffers writes in 64 MiB of DRAM.")
    return found


def places(targets: Path) -> list[tuple[Path, list[Published]]]:
    """What is written where."""
    return [
        (PRESETS, all_profiles(targets)),
        (RECORDED, recorded()),
        (BURSTS, with_other_bursts(targets)),
        (BUFFERED, with_bursts_of_a_buffer(targets)),
    ]


def recorded() -> list[Published]:
    """Twins of recordings, made as those of papers/000's volumes."""
    return [of_recording(fit) for fit in fitted("recordings")]


def main() -> None:
    """Writes all profiles and workloads."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for place, profiles in places(Path(sys.argv[1])):
        for profile in profiles:
            for folder, text in (("profiles", text_of(profile)), ("workloads", workload_of(profile))):
                (place / folder).mkdir(exist_ok=True)
                (place / folder / f"{profile.name}.toml").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
