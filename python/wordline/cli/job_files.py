"""What is said of a job file of fio on a command line, beside its name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from wordline._core import WordlineError
from wordline.presets import Description, fio_jobs

SectionOption = Annotated[
    list[str] | None,
    typer.Option("--section", metavar="NAME", help="Of a job file of fio only this section. Repeatable."),
]

EnvOption = Annotated[
    list[str] | None,
    typer.Option(
        "--env", metavar="NAME=VALUE", help="What ${NAME} in a job file of fio stands for. Repeatable."
    ),
]

FioOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fio",
        metavar="KEY=VALUE",
        help="Set this in each job of a job file of fio, such as size=1g. Repeatable.",
    ),
]


@dataclass(frozen=True)
class OfJobs:
    """The sections that are read, values of variables, and settings behind the lines of each job."""

    sections: list[str]
    variables: list[str]
    settings: list[str]

    @classmethod
    def given(cls, section: list[str] | None, env: list[str] | None, fio: list[str] | None) -> OfJobs:
        """As the options were given."""
        return cls(section or [], env or [], fio or [])

    @property
    def first(self) -> str | None:
        """An option that was given; `None` if none was."""
        options = {"--section": self.sections, "--env": self.variables, "--fio": self.settings}
        return next((option for option, values in options.items() if values), None)

    def refuse_without_job(self, names: list[str]) -> None:
        """Raises `WordlineError` for options without a job file among the workloads."""
        if self.first is not None and not any(map(is_job, names)):
            raise WordlineError(f"{self.first} is for a job file of fio: --workload FILE.fio")

    def read(self, name: str) -> Description:
        """The job file as a workload."""
        variables = dict(map(_variable, self.variables))
        return fio_jobs(name, environment=variables, sections=self.sections, settings=self.settings)


def is_job(name: str) -> bool:
    """Whether a workload is a job file of fio."""
    return Path(name).suffix == ".fio"


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise WordlineError(f"--env {text}: allowed: NAME=VALUE")
    return name, value
