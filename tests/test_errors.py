"""Each mistake is one line that says what is wrong and what is allowed; exit code 2; no traceback."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from conftest import SMALL, SMALL_DRIVE, Wordline, sets, start

import wordline as package

RUN = ("run", "--device", "mqsim", *sets(SMALL))
REPLAY = ("run", "--device", "mqsim", *sets(SMALL_DRIVE), "--trace")


def test_unknown_presets_name_the_nearest(wordline: Wordline) -> None:
    assert "`mqsim`" in wordline("run", "--device", "mqsin").error()
    assert "`baseline`" in wordline("run", "--scheme", "baselin").error()
    assert "`randread-4k-qd16`" in wordline("run", "--workload", "randread-4k-q16").error()
    far = wordline("show", "device", "zzzzzz").error()
    assert all(name in far for name in package.preset_names("device"))


def test_only_what_is_near_enough_is_taken_for_a_slip(wordline: Wordline, tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text("time_ns,op,offset_bytes,length_bytes\n0,R,0,4096\n")
    assert "did you mean" not in wordline("trace", "info", trace, "--format", "foo").error()
    assert "did you mean `blkparse`" in wordline("trace", "info", trace, "--format", "blkpasre").error()
    assert wordline("swep").error() == "No such command 'swep'. Did you mean `sweep`?"
    assert wordline("foo").error() == "No such command 'foo'."
    assert wordline("show", "devics").error() == "No such command 'devics'. Did you mean `devices`?"
    assert "(Possible options: --workload)" in wordline("run", "--worklaod", "x").error()
    assert wordline("run", "--foo").error() == "No such option: --foo"


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("device.geometry.chanels=4", "channels"),
        ("scheme.scheduler.polcy=fifo", "policy"),
        ("workload.source.request=10", "requests"),
        ("devise.geometry.channels=4", "device"),
    ],
)
def test_unknown_keys_name_the_nearest(wordline: Wordline, override: str, expected: str) -> None:
    message = wordline(*RUN, "--set", override).error()
    assert f"`{expected}`" in message or f" {expected}" in message


def test_a_steady_layout_says_beside_what_it_cannot_be(wordline: Wordline) -> None:
    steady = (*RUN, "--set", "workload.start.layout=steady", "--set")
    footprint = wordline(*steady, "workload.start.occupancy=footprint").error()
    assert 'workload.start.layout = "steady"' in footprint and 'occupancy = "footprint"' in footprint
    superblocks = ("--set", "scheme.blocks.superblock=drive", "--set", "scheme.gc.trigger=0.01")
    parity = wordline(*steady, "scheme.redundancy.policy=parity_rows", *superblocks).error()
    assert 'workload.start.layout = "steady"' in parity and "scheme.redundancy" in parity


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("workload.start.layout=random", "in_order, steady or at_trigger"),
        ("device.geometry.channels=0", "1 to 4096"),
        ("device.geometry.channels=-1", "device.geometry.channels"),
        ("device.geometry.channels=many", "device.geometry.channels"),
        ("device.capacity.overprovisioning=0.99", "0 to 0.95"),
        ("scheme.scheduler.policy=magic", "read_first"),
        ("workload.source.read_share=2", "0 to 1"),
        ("workload.host.queue_depth=0", "1 to"),
    ],
)
def test_values_out_of_range_say_what_is_allowed(wordline: Wordline, override: str, expected: str) -> None:
    message = wordline(*RUN, "--set", override).error()
    assert override.split("=")[0] in message
    assert expected in message


def test_an_impossible_geometry(wordline: Wordline) -> None:
    message = wordline(*RUN, "--set", "device.geometry.mapping_unit_bytes=3000").error()
    assert "power-of-two fraction" in message
    message = wordline(*RUN, "--set", "device.geometry.blocks=16777216").error()
    assert "mapping units" in message


def test_override_without_a_value(wordline: Wordline) -> None:
    assert "PATH=VALUE" in wordline(*RUN, "--set", "device.geometry.blocks").error()


def test_missing_files(wordline: Wordline, tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    for kind in ("device", "scheme", "workload"):
        message = wordline(*RUN, f"--{kind}", missing).error()
        assert str(missing) in message
    missing = tmp_path / "missing.csv"
    assert str(missing) in wordline(*REPLAY, missing).error()
    assert str(missing) in wordline("trace", "info", missing).error()


def test_a_description_that_is_no_toml_names_its_line(wordline: Wordline, tmp_path: Path) -> None:
    path = tmp_path / "device.toml"
    path.write_text('name = "x"\ngeometry = [\n')
    assert f"{path}:" in wordline("run", "--device", path).error()
    path.write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in wordline("run", "--device", path).error()


def test_a_mistake_in_a_file_names_its_line(wordline: Wordline, tmp_path: Path) -> None:
    path = tmp_path / "device.toml"
    path.write_text(package.resolve("device", "mqsim").replace("channels = ", "chanels = "))
    message = wordline("run", "--device", path).error()
    assert f"{path}:" in message
    assert "channels" in message


def test_a_truncated_gz(wordline: Wordline, tmp_path: Path) -> None:
    path = tmp_path / "trace.csv.gz"
    text = "".join(f"{index},R,{index * 4096},4096\n" for index in range(10_000))
    path.write_bytes(gzip.compress(text.encode())[:-2000])
    for command in (REPLAY, ("trace", "info")):
        message = wordline(*command, path).error()
        assert str(path) in message
        assert "truncated" in message


def test_a_bad_line_of_a_trace(wordline: Wordline, tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text("time_ns,op,offset_bytes,length_bytes\n0,R,0,4096\n100,Q,0,4096\n200,R,0,4096\n")
    message = wordline(*REPLAY, path).error()
    assert f"{path}:3" in message
    skipping = wordline(*REPLAY, path, "--skip-bad-lines", "--json").json()
    assert skipping["read"]["requests"] == 2
    assert any("bad line" in note["found"] for note in skipping["notes"])


def test_a_drive_too_small_for_the_trace(wordline: Wordline, tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(f"time_ns,op,offset_bytes,length_bytes\n0,R,{10**15},4096\n")
    message = wordline(*REPLAY, path).error()
    assert str(10**15) in message
    wrap = ("--set", "workload.source.out_of_range=wrap")
    wrapped = wordline(*REPLAY, path, *wrap, "--json").json()
    assert wrapped["read"]["requests"] == 1


def test_command_line_mistakes(wordline: Wordline) -> None:
    assert "--bogus" in wordline("run", "--bogus").error()
    assert "exclude" in wordline("run", "--trace", "x", "--workload", "randread-4k-qd16").error()
    assert "bogus" in wordline("bogus").error()
    assert "seed" in wordline("run", "--seed", "-1").error()


def test_an_unwritable_folder(wordline: Wordline, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert str(tmp_path / "file") in wordline(*RUN, "--out", tmp_path / "file" / "out").error()


def test_the_installed_command_shows_no_traceback() -> None:
    process = start("run", "--device", "mqsin")
    out, err = process.communicate()
    assert process.returncode == 2
    assert out == ""
    assert err.startswith("wordline: ") and err.count("\n") == 1


def test_the_exception_of_the_python_interface() -> None:
    assert issubclass(package.WordlineError, ValueError)
    with pytest.raises(package.WordlineError, match="mqsim"):
        package.run(device="mqsin")
    with pytest.raises(package.WordlineError, match="1 to 4096"):
        package.run(**{"device.geometry.channels": 0})  # type: ignore[arg-type]
