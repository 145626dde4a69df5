"""What the commands that run many points share."""

from __future__ import annotations

from typing import Annotated

import typer

FAILURES = 1
"""Exit code when points failed: their errors are in the rows."""

OnOption = Annotated[
    str,
    typer.Option(
        "--on", metavar="PLACE", help="threads, tcp://HOST:PORT (a Dask scheduler), slurm, local (processes)."
    ),
]
JobsOption = Annotated[
    int | None, typer.Option("--jobs", help="Points at once. [default: one for each processor]", min=1)
]
RetryOption = Annotated[bool, typer.Option("--retry", help="Run points again that failed before.")]
