"""Watches the module in every Python process that begins: `scripts/lines_run.py` has it on its path."""

import ctypes
import os

import wordline._core  # noqa: F401  what is watched must be there first

_FOLDER = os.environ["WORDLINE_LINES_RUN"]
if not ctypes.CDLL(f"{_FOLDER}/trap.so").watch(f"{_FOLDER}/list".encode(), f"{_FOLDER}/met".encode()):
    raise SystemExit("the lines of the module can't be watched here")
