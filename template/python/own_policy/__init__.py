"""Wordline with policies of one's own: the command `own-policy`, and its core for programs."""

import os
import sys

if "wordline._core" in sys.modules and sys.modules["wordline._core"].__name__ != f"{__name__}._core":
    raise ImportError("own_policy is to be imported before wordline, whose core it brings")
os.environ["WORDLINE_CORE"] = f"{__name__}._core"


def main() -> None:
    """Runs Wordline's command line."""
    from wordline.__main__ import main as command

    command()
