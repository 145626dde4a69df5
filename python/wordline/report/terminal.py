"""A result as tables that a person reads on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from wordline import intervals, labels, lifetime, notes, power
from wordline.figures import LEGEND, at, is_unsure, number, rounded, short, sure, to_three_digits
from wordline.names import KINDS, PERCENTILES, part_label
from wordline.report.trace import began, measured_times

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from wordline.seeds import Seeds

SMALLEST_SHARE = 0.01
"""Parts of the response time below this share, in the mean and in the tail, are folded into one line."""

BAR_WIDTH = 14

TEXT_WIDTH = 120
"""Width where no terminal gives one: files and pipes."""

UNITS = {"ns": (1e3, "µs"), "requests/s": (1.0, "per s"), "bytes/s": (1e6, "MB/s"), "pJ": (1e9, "mJ")}
"""What figures are divided by for a table, and their unit then."""


def render(data: Mapping[str, Any]) -> RenderableType:
    """The whole result of a run."""
    active = [kind for kind in KINDS if data[kind]["requests"]]
    parts: list[RenderableType] = [*_death(data), _title(data), Text(), _throughput(data, active)]
    if active:
        parts += [Text(), _latency(data, active)]
    # As fio prints them: flows of a group together, the others one by one.
    alone = [flow for flow in data.get("flows", []) if not flow.get("group")]
    for label, tenants in (("Group", data.get("groups")), ("Flow", alone), ("Stream", data.get("streams"))):
        if tenants:
            parts += [Text(), _tenants(label, tenants)]
    parts += [Text(), _flash(data)]
    life = lifetime.of(data)
    if life is not None:
        parts += [Text(), _facts(life.told())]
    if any(is_unsure(*found) for found in _intervals(data)):
        parts += [Text(), Text(LEGEND, style="dim")]
    for kind in active:
        parts += [Text(), _blame(kind, data[kind]["blame"])]
    parts += [Text(), _speed(data)]
    return Group(*parts)


def _death(data: Mapping[str, Any], label: str = "") -> list[RenderableType]:
    """That the drive died goes before all else."""
    found = notes.died(data["notes"])
    return [] if found is None else [Text(f"{label}{found}", style="bold red")]


def _intervals(data: Mapping[str, Any]) -> Iterator[tuple[float, float | None]]:
    """Every figure that has an interval, and how far that reaches."""
    for path in data.get("intervals", {}).get("figures", {}):
        value, found = at(data, path), intervals.of_result(data, path)
        if value is not None and found is not None:
            yield value, found.reach(value)


def render_seeds(results: Seeds) -> RenderableType:
    """The main figures over several seeds."""
    table = _grid("Mean of seeds", "", "± 95%", "of mean", "least", "most")
    for row in results.summary().values():
        scale, unit = UNITS.get(row.unit, (1.0, row.unit))
        name = (
            row.metric.replace(".latency_ns.", " latency ")
            .replace("_bytes_per_s", "")
            .replace(".", " ")
            .replace("p99_9", "p99.9")
        )
        mean, *ends = (_three_digits(value / scale) for value in (row.mean, row.min, row.max))
        relative = f"{row.ci95 / row.mean:.2%}" if row.ci95 is not None and row.mean else ""
        half = "unknown" if row.ci95 is None else rounded(row.ci95 / scale, len(mean.partition(".")[2]))
        told = sure(mean, row.mean, row.ci95)
        table.add_row(f"{name}, {unit}" if unit else name, told, half, relative, *ends)
    first = next(iter(results.values()))
    title = Text(labels.title(first), style="bold")
    title.append(f"   seeds {', '.join(str(seed) for seed in results)}", style="dim")
    for note in results.notes():
        title.append(f"\nnote: {note.text()}", style="yellow")
    deaths = [line for seed, result in results.items() for line in _death(result, f"seed {seed}: ")]
    unsure = any(row.unsure for row in results.summary().values())
    legend = [Text(), Text(LEGEND, style="dim")] if unsure else []
    return Group(*deaths, title, Text(), table, *legend)


def _three_digits(value: float) -> str:
    """With three decimals; a small figure with three digits."""
    return f"{value:,.3f}" if value == 0 or abs(value) >= 0.1 else number(value)


def _grid(*headers: str) -> Table:
    """Numbers in columns: the first column is text, the others are aligned to the right."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for position, header in enumerate(headers):
        table.add_column(header, justify="right" if position else "left", no_wrap=True)
    return table


def _title(data: Mapping[str, Any]) -> Text:
    text = Text(labels.title(data), style="bold")
    text.append(f"   seed {data['seed']}", style="dim")
    if data["checked"]:
        checked = data["checked"]
        verified = f"{checked['reads_verified']:,} reads verified, {checked['pages_audited']:,} pages audited"
        text.append(f"\nchecked: {verified}", style="green")
    for trace in data.get("traces", ()):
        if trace["start"] is not None:
            text.append(f"\n{began(trace)}", style="dim")
    for note in data["notes"]:
        text.append(f"\nnote: {notes.text(note)}", style="yellow")
    for ideal in data["drive"].get("not_physical", []):
        text.append(f"\nnot physical: {ideal} (no such drive can be built)", style="yellow")
    return text


def _reach(data: Mapping[str, Any], path: str, value: float) -> float | None:
    """How far the ends of a figure's interval lie from it; `None` where that is unknown."""
    found = intervals.of_result(data, path)
    return None if found is None else found.reach(value)


def _about(data: Mapping[str, Any], path: str, value: float, places: int) -> str:
    """The same as text, with the decimals of the figure; empty where that is unknown."""
    found = _reach(data, path, value)
    return "" if found is None else f"±{rounded(found, places)}"


def _sure(data: Mapping[str, Any], path: str, value: float, text: str) -> str:
    """The text of a figure, or that it is none."""
    return sure(text, value, _reach(data, path, value))


def _throughput(data: Mapping[str, Any], active: list[str]) -> RenderableType:
    table = _grid("Requests", "count", "IOPS", "MB/s")
    for kind in active:
        row = data[kind]
        path, iops = f"{kind}.iops", row["iops"]
        if data["window"]["start_ns"] == data["window"]["end_ns"]:
            # What takes no time has no rate.
            table.add_row(kind, f"{row['requests']:,}", "–", "–" if row["bytes"] else "")
            continue
        table.add_row(
            kind,
            f"{row['requests']:,}",
            _sure(data, path, iops, f"{iops:,.0f} {_about(data, path, iops, 0)}".rstrip()),
            _sure(data, f"{kind}.bandwidth_bytes_per_s", row["bandwidth_bytes_per_s"], _rate(row)),
        )
    if not table.row_count:
        return Text("No request arrived in the measured window.", style="yellow")
    return table


def _rate(row: Mapping[str, Any]) -> str:
    """Megabytes a second, of requests that have bytes."""
    return f"{row['bandwidth_bytes_per_s'] / 1e6:,.1f}" if row["bytes"] else ""


def _latency(data: Mapping[str, Any], active: list[str]) -> Table:
    table = _grid("Latency, µs", *PERCENTILES.values())
    for kind in active:
        latency = data[kind]["latency_ns"]
        cells = (
            _sure(data, f"{kind}.latency_ns.{key}", latency[key], _microseconds(latency[key]))
            for key in PERCENTILES
        )
        table.add_row(kind, *cells)
        about = [_about_latency(data, f"{kind}.latency_ns.{key}", latency[key]) for key in PERCENTILES]
        if any(about):
            table.add_row("± 95%", *about, style="dim")
        for label, measured in measured_times(data, kind):
            cells = (_microseconds(measured[key]) for key in PERCENTILES)
            table.add_row(f"  {label}", *cells, style="cyan")
    return table


def _tenants(label: str, tenants: list[Mapping[str, Any]]) -> Table:
    table = _grid(label, "requests", "IOPS", "MB/s", "mean, µs", "p50", "p99", "p99.9", "max", "at the host")
    for tenant in tenants:
        name = str(tenant["name"] if "name" in tenant else tenant["stream"])
        for kind, several in KINDS.items():
            row = tenant[kind]
            if not row["requests"]:
                continue
            latency, mean = row["latency_ns"], row["blame"]["mean"]
            waited = mean["total_ns"]["admission"] / max(mean["response_total_ns"], 1)
            table.add_row(
                f"{name} {several}",
                f"{row['requests']:,}",
                f"{row['iops']:,.0f}",
                _rate(row),
                *(_microseconds(latency[key]) for key in ("mean", "p50", "p99", "p99_9", "max")),
                f"{waited:.1%}",
            )
    return table


def _about_latency(data: Mapping[str, Any], path: str, value: float) -> str:
    """How far the ends of a latency's interval lie from it, µs; empty where that is unknown."""
    found = _reach(data, path, value)
    return "" if found is None else rounded(found / 1000, _places(value))


def _microseconds(nanoseconds: float) -> str:
    return f"{nanoseconds / 1000:,.{_places(nanoseconds)}f}"


def _places(nanoseconds: float) -> int:
    """The decimals of a time in µs."""
    return 1 if nanoseconds < 1_000_000 else 0


def _flash(data: Mapping[str, Any]) -> Table:
    flash, collection = data["flash"], data["gc"]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    operations = ", ".join(
        f"{flash[key]:,} {words}"
        for key, words in (
            ("reads", "pages read"),
            ("programs", "programmed"),
            ("erases", "blocks erased"),
        )
    )
    table.add_row("Flash", f"{operations} in {flash['transactions']:,} transactions")
    details = [
        f"{flash[key]:,} {label}"
        for key, label in (("multi_plane", "multi-plane"), ("suspensions", "suspensions"))
        if flash[key]
    ]
    if details:
        table.add_row("", ", ".join(details))
    if data["waf"] is not None:
        causes = (
            f"{cause} {to_three_digits(share)}" for cause, share in data["waf_by_cause"].items() if share
        )
        waf = f"{data['waf']:.3f} {_about(data, 'waf', data['waf'], 3)}".rstrip()
        by_cause = ", ".join(causes)
        text = f"{waf} ({by_cause})" if by_cause else waf
        table.add_row("WAF", _sure(data, "waf", data["waf"], text))
    if collection["victims"]:
        moved, stalled = collection["moved_units"], collection["stalled_units"]
        wait = f", {stalled:,} host writes waited for a free block" if stalled else ""
        size = data["config"]["device"]["geometry"]["mapping_unit_bytes"]
        unit = f"{size // 1024} KiB" if size % 1024 == 0 else f"{size} bytes"
        table.add_row("GC", f"{collection['victims']:,} victims, {moved:,} units of {unit} moved{wait}")
    if "cpu" in data:
        table.add_row("CPU", _cpu(data))
    if data["energy"]:
        energy = data["energy"]
        parts = (*energy["by_operation_pj"].items(), *energy.get("beside_flash", {}).items())
        told = (f"{name.removesuffix('_pj')} {pj / 1e9:,.3f}" for name, pj in parts if pj)
        table.add_row("Energy", f"{power.joules(data) * 1e3:,.3f} mJ ({', '.join(told)})")
        used = power.of(data)
        if used is not None:
            table.add_row("Power", used.told())
    if data["samples"] and data["samples"]["samples"]:
        table.add_row("Samples", _samples(data["samples"]))
    return table


def _facts(rows: Iterable[tuple[str, str]]) -> Table:
    """Names and what they are."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for name, text in rows:
        table.add_row(name[0].upper() + name[1:], text)
    return table


def _cpu(data: Mapping[str, Any]) -> str:
    """How busy the controller's cores were, and with what."""
    cpu, window = data["cpu"], data["window"]["end_ns"] - data["window"]["start_ns"]
    busy = [core["busy_ns"] / window if window else 0.0 for core in cpu["cores"]]
    work = sum(cost["total_ns"] for cost in cpu["by_cost"].values())
    shares = (
        f"{name} {cost['total_ns'] / work:.0%}" for name, cost in cpu["by_cost"].items() if cost["count"]
    )
    cores = f"{len(busy)} core{'s' if len(busy) > 1 else ''}"
    return f"{cores}, busy {sum(busy) / len(busy):.1%} ({', '.join(shares)})"


def _samples(samples: Mapping[str, Any]) -> str:
    count = samples["samples"]
    commands = sum(int(value) * times for value, times in samples["outstanding"].items()) / count
    uneven = sum(times for value, times in samples["imbalance"].items() if int(value) >= 2) / count
    return f"{count:,}: {commands:,.1f} flash pages outstanding, dies two or more apart in {uneven:.1%}"


def _blame(kind: str, blame: Mapping[str, Any]) -> Table:
    mean, tail = _shares(blame["mean"]), _shares(blame["tail"])
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column(f"Where a {kind}'s time went", no_wrap=True)
    table.add_column("all", justify="right", no_wrap=True)
    table.add_column(_mean_response(blame["mean"]), no_wrap=True, width=BAR_WIDTH)
    table.add_column("≥ p99", justify="right", no_wrap=True)
    table.add_column(_mean_response(blame["tail"]), no_wrap=True, width=BAR_WIDTH)
    keys = sorted(mean.keys() | tail.keys(), key=lambda key: (-mean.get(key, 0.0), -tail.get(key, 0.0), key))
    small = [key for key in keys if max(mean.get(key, 0.0), tail.get(key, 0.0)) < SMALLEST_SHARE]
    # A single small part takes one line in any case: its own name says more.
    folded = small if len(small) > 1 else []
    for key in keys:
        if key not in folded:
            table.add_row(part_label(key), *_bar_cells(mean.get(key, 0.0)), *_bar_cells(tail.get(key, 0.0)))
    if folded:
        rest = [sum(shares.get(key, 0.0) for key in folded) for shares in (mean, tail)]
        label = f"{len(folded)} parts below {SMALLEST_SHARE:.0%}"
        table.add_row(label, *_bar_cells(rest[0]), *_bar_cells(rest[1]), style="dim")
    return table


def _shares(parts: Mapping[str, Any]) -> dict[str, float]:
    total = parts["response_total_ns"]
    return {key: value / total for key, value in parts["total_ns"].items() if value} if total else {}


def _mean_response(parts: Mapping[str, Any]) -> str:
    requests = parts["requests"]
    return f"{_microseconds(parts['response_total_ns'] / requests)} µs" if requests else "no request"


def _bar_cells(share: float) -> tuple[str, Text]:
    return f"{share:.1%}", Text(bar(share, BAR_WIDTH), style="cyan")


def bar(share: float, width: int) -> str:
    """A bar in eighths of a character; a share above nothing shows something."""
    eighths = round(share * width * 8)
    if share > 0:
        eighths = max(eighths, 1)
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (" ▏▎▍▌▋▊▉"[rest] if rest else "")


def _speed(data: Mapping[str, Any]) -> Text:
    engine, inside = data["engine"], data["flash"]["operations"]
    before = f", {inside:,} of them in the window" if inside < engine["flash_operations"] else ""
    return Text(
        f"{engine['simulated_ns'] / 1e9:,.3f} s of the drive's time in {_brief(engine['wall_s'])} s: "
        f"{engine['flash_operations']:,} flash operations{before}, "
        f"{_brief(engine['flash_operations_per_s'] / 1e6)} million a second",
        style="dim",
    )


def _brief(value: float) -> str:
    """With two decimals; a small one with two digits."""
    return f"{value:.2f}" if value >= 0.1 else short(float(f"{value:.2g}"))
