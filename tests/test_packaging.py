from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
import zipfile
from pathlib import Path

import pytest
from conftest import COMMAND, SMALL

import wordline

ROOT = Path(__file__).parent.parent


def test_version_comes_fast() -> None:
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        out = subprocess.run([COMMAND, "--version"], capture_output=True, text=True, check=True).stdout
        times.append(time.perf_counter() - begin)
    assert out == f"wordline {wordline.__version__}\n"
    assert min(times) < 0.25


def test_tables_and_plots_load_only_when_used() -> None:
    code = "import sys, wordline.cli; print({'rich.table', 'pyarrow', 'numpy'} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out == "set()\n"


def test_version_is_the_same_everywhere() -> None:
    manifest = (ROOT / "Cargo.toml").read_text()
    declared = re.search(r'^version = "(.+)"$', manifest, re.MULTILINE)
    assert declared is not None
    assert wordline.__version__ == declared[1]


PACKAGED = ("base", "config", "flash", "ftl", "systems", "observe", "engine", "drive")
"""The crate to embed and what it stands on."""


@pytest.mark.skipif(shutil.which("cargo") is None, reason="packaging needs cargo")
def test_the_crate_to_embed_and_what_it_stands_on_can_be_packaged(tmp_path: Path) -> None:
    chosen = [argument for name in PACKAGED for argument in ("--package", f"wordline-{name}")]
    package = ["cargo", "package", "--no-verify", "--offline", "--allow-dirty", "--target-dir", str(tmp_path)]
    process = subprocess.run([*package, *chosen], cwd=ROOT, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    assert "warning: manifest has no" not in process.stderr, process.stderr
    for name in PACKAGED:
        (archive,) = (tmp_path / "package").glob(f"wordline-{name}-*.crate")
        shutil.unpack_archive(archive, tmp_path, "gztar", filter="data")
        folder = tmp_path / archive.stem
        names = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
        told = tomllib.loads((folder / "Cargo.toml").read_text())
        assert {"README.md", "src/lib.rs"} <= names, name
        assert told["package"].keys() >= {"license", "description", "readme", "keywords", "categories"}, name
        if name == "drive":
            presets = {f"presets/devices/{preset}.toml" for preset in wordline.preset_names("device")}
            presets |= {f"presets/schemes/{preset}.toml" for preset in wordline.preset_names("scheme")}
            assert {file for file in names if file.startswith("presets/")} == presets


@pytest.mark.skipif(shutil.which("cargo") is None, reason="building a wheel needs cargo")
def test_an_installed_wheel_has_its_presets(tmp_path: Path) -> None:
    maturin = str(Path(sys.executable).parent / "maturin")
    # With the interpreter of `make setup`, for which everything is built already.
    build = [
        maturin,
        "build",
        "--release",
        "--locked",
        "--interpreter",
        sys.executable,
        "--out",
        str(tmp_path),
    ]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    code = (
        "import wordline, json;"
        "print(wordline.__file__);"
        "print(json.dumps([wordline.preset_names(k) for k in ('device', 'scheme', 'workload')]))"
    )
    process = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(installed)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    file, presets = process.stdout.splitlines()
    assert Path(file).is_relative_to(installed)
    assert json.loads(presets) == [wordline.preset_names(kind) for kind in ("device", "scheme", "workload")]
    assert all(json.loads(presets))
    assert (installed / "wordline" / "py.typed").is_file()
    assert (installed / "wordline" / "_core.pyi").is_file()


def test_a_command_starts_with_few_modules() -> None:
    """What a command loads before it knows what to do, which is most of the time it takes to start."""
    code = "import sys, wordline.cli; print('\\n'.join(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    bare = subprocess.run(
        [sys.executable, "-c", "import sys, typer; print('\\n'.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    ours = set(out.split()) - set(bare.split())
    packages = {name.partition(".")[0] for name in ours}
    heavy = {"asyncio", "concurrent", "multiprocessing", "scipy", "statistics", "tempfile", "urllib"}
    assert packages & heavy == set()
    third_party = packages - {"wordline"} - set(sys.stdlib_module_names)
    assert third_party == set()
    assert len(ours) < 60, sorted(ours)


def test_a_run_is_written_without_what_draws_studies(tmp_path: Path) -> None:
    code = (
        "import sys, wordline;"
        f"result = wordline.run('mqsim', overrides={SMALL!r});"
        f"result.save({str(tmp_path)!r});"
        "print('\\n'.join(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    loaded = set(out.split())
    assert "wordline.report.run_views" in loaded
    studies = ("wordline.comparison", "wordline.report.study_views", "wordline.sweeps", "wordline.tuning")
    assert not loaded.intersection(studies)
