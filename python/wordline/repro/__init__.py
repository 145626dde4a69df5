"""The exhibits of papers, run again: tables, figures, and every printed number with ours beside it."""

from __future__ import annotations

from wordline.repro.exhibit import Exhibit, papers
from wordline.repro.reproduction import Reproduction
from wordline.repro.run import reproduce

__all__ = ["Exhibit", "Reproduction", "papers", "reproduce"]
