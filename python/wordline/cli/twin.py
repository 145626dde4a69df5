"""`wordline trace fit` and `wordline trace gen`: profiles of traces, and twins from them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Annotated

import typer

from wordline import _core, outputs, reads, standard_output
from wordline._core import WordlineError
from wordline.cli.common import (
    FormatOption,
    JsonOption,
    SetOption,
    SkipOption,
    SourceOption,
    pairs_of,
    say,
    source_pairs,
)
from wordline.cli.progress import trace_bar
from wordline.files import write_text
from wordline.presets import profile, replay, toml_string
from wordline.streams import tell


def register(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command("fit")(trace_fit)
    app.command("gen")(trace_gen)


def trace_fit(
    file: Annotated[str, typer.Argument(metavar="TRACE", help="A trace, plain or packed.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the profile there. [default: stdout]")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the workload. [default: the file's]")] = None,
    held: Annotated[
        float | None,
        typer.Option(help="Largest share of the requests that the profile may hold as pieces. [default: 1]"),
    ] = None,
    model: Annotated[
        bool, typer.Option("--model", help="Hold a model of the patterns in the place of pieces.")
    ] = False,
    format: FormatOption = None,
    options: SourceOption = None,
    skip_bad_lines: SkipOption = False,
    overrides: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the profile of a trace: its behaviour in at most 64 KB, without its addresses.

    The trace is read several times; memory grows with the places that it touches, not with its length. A twin
    of any length is made from the profile by `wordline trace gen`, or played by a workload with
    `source.kind = "twin"`. With `--model` the profile has no request of the trace: each is drawn, in bursts
    and sequences that come again as the trace's do.
    """
    if model and held is not None:
        raise WordlineError("--held: allowed: without --model, which holds no request")
    if held is not None and not 0.0 < held <= 1.0:
        raise WordlineError(f"--held {held}: allowed: above 0, up to 1")
    trace = replay(file)
    pairs = source_pairs(format, options) + pairs_of("workload.source", overrides, skip_bad_lines)
    taken = [Path(file), *reads.of_workload(trace, pairs)]
    if out is not None:
        outputs.check("--out", out, outputs.PROFILE, taken)
    with trace_bar() as progress:
        text = _core.trace_fit(
            (trace.label, trace.text),
            pairs,
            base_dir=str(trace.folder),
            name=name or Path(file).name.split(".")[0],
            held=held,
            model=model,
            progress=progress,
        )
    if out is None:
        print(json.dumps(tomllib.loads(text), indent=2) if as_json else text.rstrip())
        return
    with outputs.output("--out", out, outputs.PROFILE, taken):
        write_text(out, text)
    summary = tomllib.loads(text)["summary"]
    if left_out := summary.get("left_out"):
        say([f"{left_out:,} trims and flushes are left out: a model has reads and writes"])
    if as_json:
        print(json.dumps({"profile": str(out), "bytes": len(text), "summary": summary}))
        return
    holds = "a model of their patterns" if model else f"{summary['held']:.0%} of them held"
    print(f"{len(text):,} bytes written to {out}: {summary['requests']:,} requests, {holds}")


def trace_gen(
    source: Annotated[
        str, typer.Argument(metavar="PROFILE", help="A profile: a TOML file, or a preset's name.")
    ],
    out: Annotated[
        str,
        typer.Argument(
            metavar="OUT", help="File to write, packed if it ends in .gz or .zst. - is standard output."
        ),
    ],
    requests: Annotated[
        int | None, typer.Option(help="Length of the twin. [default: as many as the trace had]", min=1)
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.", min=0)] = 1,
    as_json: JsonOption = False,
) -> None:
    """Make a trace of any length from a profile."""
    path = Path(source) if source.endswith(".toml") or Path(source).name != source else profile(source)
    if path is None:
        raise WordlineError(f"{source}: allowed: a TOML file, or the name of a preset that is a twin")
    lines = [
        f"name = {toml_string(path.stem)}",
        "[source]",
        'kind = "twin"',
        f"path = {toml_string(str(path))}",
    ]
    if requests is not None:
        lines.append(f"requests = {requests}")
    described = (str(path), "\n".join(lines))
    piped = standard_output.is_meant(out, as_json)
    with standard_output.trace_output(out, [path]) as name, trace_bar() as progress:
        written = _core.trace_gen(
            described, [], base_dir=str(Path.cwd()), out=str(name), seed=seed, progress=progress
        )
    if as_json:
        print(json.dumps({"requests": written, "out": out}))
        return
    told = tell if piped else print
    told(f"{written:,} requests written to {'standard output' if piped else out}")
