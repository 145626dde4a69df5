"""An exhibit of one number, for tests."""

from __future__ import annotations

from pathlib import Path

from wordline.repro.exhibit import Exhibit, read


def exhibit_of(folder: Path, number: str) -> Exhibit:
    """With this `[[number]]`, of the columns v and s."""
    path = folder / "paper" / "one.toml"
    path.parent.mkdir()
    path.write_text(f'title = "t"\n[columns]\nv = "v"\ns = "s"\n[sweep]\n[[number]]\n{number}\n')
    return read(path)
