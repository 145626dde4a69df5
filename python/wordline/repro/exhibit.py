"""An exhibit of a paper: a TOML file that says what is run, tabulated, drawn and compared."""

from __future__ import annotations

import copy
import hashlib
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from wordline._core import WordlineError
from wordline.repro import described, real_drives
from wordline.repro.keys import JUDGED_BY, KEYS, NUMBER_KEYS, VARIANT_KEYS
from wordline.study.point import Point
from wordline.sweeps import file as sweep_file
from wordline.wording import argument, meant

EXHIBITS = Path(__file__).parent / "exhibits"

WORKLOADS = {"own": "the paper's own", "twin": "a twin of the paper's", "other": "another"}

TRACES = "{traces}"
"""Stands in a sweep for the folder that `--traces` names."""


FIRST_SEED = (1,)
"""What an exhibit is run with where no seeds are asked for: then its own sweep says."""

VALIDATION = "validation"
"""The folder of exhibits that are of no paper: what is known of a drive in closed form."""

TargetsAre: TypeAlias = Literal["printed", "closed form", "expected", "measured"]
"""Numbers of a paper, of a formula, what follows from the configuration without one, or of a real drive."""


@dataclass(frozen=True)
class Exhibit:
    """A table or figure of a paper."""

    paper: str
    name: str
    title: str
    about: str
    """What it shows, its source, and what the numbers depend on."""
    workload_is: str
    """`own`, `twin` or `other`: how its workload relates to the paper's."""
    columns: dict[str, str]
    """Columns of its CSV: a column of the rows, or `formula:NAME`."""
    figure: dict[str, Any] | None
    numbers: list[dict[str, Any]]
    needs: list[str]
    """Files below the folder of traces that it can't do without."""
    data: dict[str, Any]

    @property
    def table(self) -> str | None:
        """The file in the folder of measurements that it is held against."""
        found: str | None = self.data.get("measured", {}).get("table")
        return found

    @property
    def targets_are(self) -> TargetsAre:
        """What stands beside our numbers."""
        if "measured" in self.data:
            return "measured"
        if self.paper != VALIDATION:
            return "printed"
        given = [number.get("target") for number in self.numbers]
        return "closed form" if all(target in self.columns for target in given) else "expected"

    @property
    def digest(self) -> str:
        """Hash of what its values and its picture follow from: all of its file but what is only said, judged
        or scaled down, and the drives, schemes and workloads that it names. Pages of results name it.
        """
        valued = [{k: v for k, v in number.items() if k not in JUDGED_BY} for number in self.numbers]
        shown = {k: v for k, v in self.data.items() if k not in ("about", "quick", "number", "variant")}
        named = described.of(shown, EXHIBITS / self.paper)
        return hashlib.sha256(json.dumps([shown, valued, named], sort_keys=True).encode()).hexdigest()[:12]

    @property
    def left_out(self) -> dict[str, str]:
        """Schemes that can't be run on its drive, each with the reason."""
        found: dict[str, str] = self.data.get("left_out", {})
        return found

    def missing(self, traces: Path | None, drives: Path | None = None) -> str | None:
        """Why it can't be run here, if so. `drives` is the folder of measurements of real drives."""
        if self.table is not None and drives is None:
            return f"needs {argument('measured_folder', 'DIR', '--measured')} with {self.table}"
        if self.table is not None and drives is not None and not (drives / self.table).exists():
            return f"{drives} has no {self.table}"
        if not self.needs:
            return None
        if traces is None:
            return f"needs {argument('traces', 'DIR')} with {', '.join(self.needs)}"
        absent = [name for name in self.needs if not (traces / name).exists()]
        return f"{traces} has no {', '.join(absent)}" if absent else None

    def points(
        self,
        quick: bool,
        traces: Path | None,
        seeds: Sequence[int] = FIRST_SEED,
        drives: Path | None = None,
    ) -> list[Point]:
        """The runs behind it, each with all of these seeds."""
        if "load" in self.data and drives is not None:
            return real_drives.points(self.data["load"], drives, quick, seeds)
        described = self.data["sweep"]
        if quick:
            described = _laid_over(described, self.data.get("quick", {}))
        if tuple(seeds) != FIRST_SEED:
            described = {**described, "seeds": list(seeds)}
        if traces is not None:
            described = _with_traces(described, str(traces.resolve()))
        try:
            return sweep_file.parse(described, self.name, EXHIBITS / self.paper).points()
        except WordlineError as error:
            raise WordlineError(f"exhibit {self.paper}/{self.name}: {error}") from None


def _laid_over(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Tables are merged, all else of `over` replaces what is under it. An axis or setting is replaced as a
    whole.
    """
    merged: dict[str, Any] = copy.deepcopy(dict(under))
    for key, value in over.items():
        nested = key in ("set", "axes") and isinstance(value, Mapping)
        merged[key] = {**_dotted(merged.get(key, {})), **_dotted(value)} if nested else value
    return merged


def _dotted(tree: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        whole = not isinstance(value, Mapping) or {"from", "to"} & value.keys()
        flat |= {path + key: value} if whole else _dotted(value, f"{path}{key}.")
    return flat


def _with_traces(value: Any, folder: str) -> Any:
    if isinstance(value, Mapping):
        return {key: _with_traces(item, folder) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_traces(item, folder) for item in value]
    return value.replace(TRACES, folder) if isinstance(value, str) else value


def papers() -> list[str]:
    """The papers that have exhibits here."""
    return sorted(path.name for path in EXHIBITS.iterdir() if path.is_dir() and any(path.glob("*.toml")))


def path_of(paper: str, name: str) -> Path:
    """Where an exhibit stands, if this version has it."""
    return EXHIBITS / paper / f"{name}.toml"


def exhibits(paper: str) -> list[Exhibit]:
    """The exhibits of a paper, in the order of their names."""
    return [read(path) for path in sorted((EXHIBITS / paper).glob("*.toml"), key=_natural)]


def _natural(path: Path) -> tuple[str, int, str]:
    """Figure 2 comes before figure 10."""
    found = re.match(r"(\D+)(\d+)", path.stem)
    return (found[1], int(found[2]), path.stem) if found else (path.stem, 0, path.stem)


def read(path: Path) -> Exhibit:
    """An exhibit from its file."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    where = f"exhibit {path.parent.name}/{path.stem}"
    _refuse_unknown(where, data, KEYS)
    for number in data.get("number", []):
        _refuse_unknown(f"{where}: number", number, NUMBER_KEYS)
    for variant in data.get("variant", []):
        _refuse_unknown(f"{where}: variant", variant, VARIANT_KEYS)
    return Exhibit(
        paper=path.parent.name,
        name=path.stem,
        title=data["title"],
        about=" ".join(data.get("about", "").split()),
        workload_is=data.get("workload_is", "own"),
        columns=data["columns"],
        figure=data.get("figure"),
        numbers=_with_variants(data.get("number", []), data.get("variant", [])),
        needs=data.get("needs", []),
        data=data,
    )


def _with_variants(numbers: list[dict[str, Any]], variants: list[dict[str, str]]) -> list[dict[str, Any]]:
    """The numbers, then those of each variant: of another scheme than `of`, and called what it is."""
    return [
        *numbers,
        *(
            {name: value for name, value in number.items() if name != "mark"}
            | {
                "metric": f"{number['metric']}, {variant['named']}",
                "where": {**number["where"], "scheme": variant["scheme"]},
                "variant": True,
            }
            for number in numbers
            for variant in variants
            if number.get("where", {}).get("scheme") == variant["of"]
        ),
    ]


def _refuse_unknown(where: str, data: Mapping[str, Any], keys: Mapping[str, str]) -> None:
    for key in data:
        if key not in keys:
            hint = meant(key, keys, f"allowed: {', '.join(keys)}")
            raise WordlineError(f"{where}: {key}: unknown key: {hint}")
