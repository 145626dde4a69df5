"""Results of fio: `--output-format=json` or `json+`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordline import toml_files
from wordline._core import WordlineError

WAYS = ("read", "write", "trim")
"""Directions, as an entry has them."""

FORM = "a result of fio --output-format=json+"


@dataclass(frozen=True)
class Results:
    """What fio measured, an entry a job, or with `group_reporting` a group."""

    path: Path
    shared: Mapping[str, Any]
    """Options of all jobs."""
    jobs: list[dict[str, Any]]

    def options(self, job: Mapping[str, Any]) -> dict[str, Any]:
        """The options of one entry, those of all included."""
        return {**self.shared, **job.get("job options", {})}


def is_result(text: str) -> bool:
    """Whether a text holds a result of fio. Warnings may stand before it."""
    return '"fio version"' in text


def read(path: Path) -> Results:
    """Raises `WordlineError` for a file that isn't a result of fio."""
    text = toml_files.read_text("result of fio", path)
    try:
        # fio puts warnings before its JSON.
        data = json.loads(text[text.index("{") :])
    except ValueError:
        raise WordlineError(f"{path}: not a result of fio: allowed: --output-format=json+") from None
    jobs = data.get("jobs") if isinstance(data, dict) else None
    if not isinstance(jobs, list) or not jobs:
        raise WordlineError(f"{path}: no jobs: allowed: {FORM}")
    shared = data.get("global options", {})
    parts = [shared, *jobs, *(job.get("job options", {}) for job in jobs if isinstance(job, dict))]
    if not all(isinstance(part, dict) for part in parts) or not all("jobname" in job for job in jobs):
        raise WordlineError(f"{path}: jobs not as fio writes them: allowed: {FORM}")
    failed = next((job for job in jobs if job.get("error")), None)
    if failed is not None:
        raise WordlineError(
            f"{path}: job {failed['jobname']} ended with error {failed['error']}, so that its figures are "
            "of a part of it: allowed: jobs with error 0"
        )
    return Results(path, shared, jobs)


def threads_of(results: Results, job: Mapping[str, Any]) -> int:
    """The threads of an entry's job."""
    text = str(results.options(job).get("numjobs", 1))
    if not text.isdecimal() or not int(text):
        raise WordlineError(
            f"{results.path}: job {job['jobname']}: numjobs={text}: allowed: a number from 1 on"
        )
    return int(text)


def job_file(results: Results) -> tuple[str, list[str]]:
    """The job file that the results are of, and what they don't say of it.

    Entries with one name and the same options are the threads of one job.
    """
    parts = [("global", dict(results.shared))] if results.shared else []
    counted: dict[str, int] = {}
    for job in results.jobs:
        own = dict(job.get("job options", {}))
        threads = threads_of(results, job)
        part = (str(job["jobname"]), {key: value for key, value in own.items() if key != "name"})
        seen = counted.get(part[0], 0)
        counted[part[0]] = seen + 1
        if seen % threads == 0 or part not in parts:
            parts.append(part)
    lines = []
    for name, options in parts:
        lines.append(f"[{name}]")
        lines += [f"{key}={value}" if value not in ("", None) else str(key) for key, value in options.items()]
    if any("\n" in line for line in lines):
        raise WordlineError(f"{results.path}: an option of several lines: allowed: {FORM}")
    grouped = any("group_reporting" in results.options(job) for job in results.jobs)
    missing = [
        "group_reporting: of each group fio writes its first job's options alone; other jobs of a group, if "
        "there were any, are missing here"
    ]
    return "\n".join([*lines, ""]), missing if grouped else []
