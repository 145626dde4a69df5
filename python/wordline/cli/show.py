"""`wordline show …`: presets, what is in them, and which parts go together."""

from __future__ import annotations

import json
import math
import tomllib
from enum import StrEnum
from typing import Annotated

import typer

from wordline import simulation
from wordline.cli.common import JsonOption, NameArgument, SetOption, group, pairs_of, say, show
from wordline.presets import Given, Kind, load, names, schema
from wordline.scenario import Scenario


class Results(StrEnum):
    """Results whose JSON has a schema."""

    result = "result"
    seeds = "seeds"
    comparison = "comparison"


app = group("List presets, or print one with its defaults filled in.")


@app.command("devices")
def show_devices(as_json: JsonOption = False) -> None:
    """List the drives."""
    rows = []
    for name in names("device"):
        whole = simulation.resolved(Scenario(name), whole_drive=False)
        device, user = whole["device"], whole["logical_bytes"]
        geometry = device["geometry"]
        pages = math.prod(geometry[key] for key in ("channels", "ways", "dies", "planes", "blocks", "pages"))
        raw = pages * geometry["page_bytes"]
        rows.append(
            {
                "name": name,
                "cell": device["cell"]["technology"],
                "channels": geometry["channels"],
                "dies": math.prod(geometry[key] for key in ("channels", "ways", "dies")),
                "planes": geometry["planes"],
                "page_bytes": geometry["page_bytes"],
                "raw_bytes": raw,
                "user_bytes": user,
                "overprovisioning": 1 - user / raw,
                "rated_drive_writes_per_day": (device.get("rated") or {}).get("drive_writes_per_day"),
                "description": device["description"],
            }
        )
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for header in ("name", "cell"):
        table.add_column(header, no_wrap=True)
    for header in ("channels", "dies", "planes", "page", "raw GiB", "user GB", "spare", "DWPD"):
        table.add_column(header, justify="right", no_wrap=True)
    table.add_column("description")
    for row in rows:
        table.add_row(
            row["name"],
            row["cell"].upper(),
            *(str(row[key]) for key in ("channels", "dies", "planes")),
            f"{row['page_bytes'] // 1024} KiB",
            f"{row['raw_bytes'] / 2**30:,.0f}",
            f"{row['user_bytes'] / 1e9:,.0f}",
            f"{row['overprovisioning']:.1%}",
            _rating(row["rated_drive_writes_per_day"]),
            row["description"],
        )
    show(table)


def _rating(drive_writes_per_day: float | None) -> str:
    return "–" if drive_writes_per_day is None else f"{drive_writes_per_day:g}"


@app.command("schemes")
def show_schemes(as_json: JsonOption = False) -> None:
    """List the schemes."""
    _list("scheme", as_json)


@app.command("workloads")
def show_workloads(as_json: JsonOption = False) -> None:
    """List the workloads."""
    _list("workload", as_json)


@app.command("combinations")
def show_combinations(as_json: JsonOption = False) -> None:
    """Show which parts of a scheme go together."""
    from wordline import combinations

    if as_json:
        print(json.dumps(combinations.rows(), indent=2))
    else:
        show(combinations.matrix())


@app.command("schema")
def show_schema(
    kind: Annotated[Results, typer.Argument(help="Of which results.")] = Results.result,
) -> None:
    """Print the JSON schema of results: of one run, of several seeds, of a comparison."""
    print(schema(kind.value), end="")


def _list(kind: Kind, as_json: bool) -> None:
    rows = []
    for name in names(kind):
        resolved = tomllib.loads(simulation.resolve(kind, name))
        rows.append({"name": name, "description": resolved.get("description", "")})
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("name", no_wrap=True)
    table.add_column("description")
    for row in rows:
        table.add_row(row["name"], row["description"])
    show(table)


@app.command("device")
def show_device(name: NameArgument, overrides: SetOption = None, as_json: JsonOption = False) -> None:
    """Print a drive, defaults filled in, as TOML."""
    _show("device", name, overrides, as_json)


@app.command("scheme")
def show_scheme(
    name: NameArgument,
    device: Annotated[
        str | None, typer.Option("--device", "-d", help="Show the scheme with the defaults of this drive.")
    ] = None,
    overrides: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print a scheme, defaults filled in, as TOML."""
    _show("scheme", name, overrides, as_json, device)


@app.command("workload")
def show_workload(name: NameArgument, overrides: SetOption = None, as_json: JsonOption = False) -> None:
    """Print a workload, defaults filled in, as TOML; what a job file has beside it is told on stderr."""
    described = load("workload", name)
    say(described.notes)
    _show("workload", described, overrides, as_json)


def _show(
    kind: Kind, name: Given, overrides: list[str] | None, as_json: bool, device: str | None = None
) -> None:
    text = simulation.resolve_text(kind, name, pairs_of(kind, overrides), device)
    print(json.dumps(tomllib.loads(text), indent=2) if as_json else text.rstrip())
