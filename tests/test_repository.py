"""What a repository says of itself agrees: licence, version, citation, changes."""

from __future__ import annotations

import hashlib
import importlib
import tomllib
from pathlib import Path
from typing import Any

import wordline

ROOT = Path(__file__).parents[1]

APACHE_2 = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
"""SHA-256 of https://www.apache.org/licenses/LICENSE-2.0.txt."""


def cargo() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
    return found


def citation() -> dict[str, Any]:
    found: dict[str, Any] = importlib.import_module("yaml").safe_load((ROOT / "CITATION.cff").read_text())
    return found


def test_the_licence_is_the_one_that_the_packages_name() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert cargo()["license"] == project["license"] == citation()["license"] == "Apache-2.0"
    assert hashlib.sha256((ROOT / "LICENSE").read_bytes()).hexdigest() == APACHE_2


def test_the_citation_has_what_the_format_needs_and_this_version() -> None:
    cited = citation()
    assert cited["cff-version"] == "1.2.0" and cited["type"] == "software"
    assert cited["title"] and cited["message"]
    assert all("name" in author or "family-names" in author for author in cited["authors"])
    assert cited["version"] == cargo()["version"] == wordline.__version__


def test_the_newest_change_is_this_version() -> None:
    lines = (ROOT / "CHANGELOG.md").read_text().splitlines()
    assert next(line for line in lines if line.startswith("## ")) == f"## {wordline.__version__}"
