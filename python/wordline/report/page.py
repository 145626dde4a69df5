"""The frame of a page that opens anywhere: one file, no network, readable on a phone, in the dark and on
paper.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

STYLE = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")


def page(title: str, body: str, *, style: str = "", subtitle: str = "") -> str:
    """A whole page around `body`, which is HTML; all else is text. Charts get what draws them."""
    under = f'<p class="dim">{escape(subtitle)}</p>' if subtitle else ""
    code = ""
    if '<figure class="chart' in body:
        from wordline.charts import embed

        under += f'<p class="dim hint">{escape(embed.HINT)}</p>'
        code = embed.code()
    # An icon of nothing keeps browsers from asking a server for one.
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f'<link rel="icon" href="data:,"><title>{escape(title)}</title><style>{STYLE}{style}</style></head>'
        f"<body><h1>{escape(title)}</h1>{under}{body}{code}</body></html>\n"
    )
