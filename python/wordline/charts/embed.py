"""Charts in a page that needs nothing else: Vega's code packed into it, specifications beside it."""

from __future__ import annotations

import base64
import functools
import gzip
import json
import os
from collections.abc import Iterable
from html import escape
from importlib.metadata import version
from pathlib import Path

from wordline.charts.colors import config
from wordline.charts.specs import Chart
from wordline.files import written

LOADER = (Path(__file__).parent / "embed.js").read_text(encoding="utf-8")

HINT = (
    "Point at a chart for its values; click names in a legend to hide and show; drag to move, shift + wheel "
    "to zoom, double click for all again; ⋯ saves a picture."
)


def _cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "wordline" / f"vega-{version('vl-convert-python')}.gz"


@functools.cache
def packed_code() -> str:
    """Vega, Vega-Lite and Vega-Embed, packed. Made by vl-convert once; the user's cache keeps it."""
    import contextlib

    path = _cache()
    try:
        return path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        import vl_convert

        code = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;").encode()
        text = base64.b64encode(gzip.compress(code, 9, mtime=0)).decode()
        with contextlib.suppress(OSError, ValueError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with written(path) as part:
                part.write_text(text, encoding="ascii")
        return text


def figure(chart: Chart) -> str:
    """The place of a chart, with its specification."""
    spec = json.dumps(chart.spec, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    wide = " wide" if chart.wide else ""
    about = f"<span>{escape(chart.about)}</span>" if chart.about else ""
    title = f"<b>{escape(chart.title)}</b>{about}" if about else escape(chart.title)
    return (
        f'<figure class="chart{wide}"><figcaption>{title}</figcaption><div class="vis"></div>'
        f'<script type="application/json">{spec}</script></figure>'
    )


def figures(charts: Iterable[Chart]) -> str:
    """Charts beside and below one another."""
    made = "".join(map(figure, charts))
    return f'<div class="charts">{made}</div>' if made else ""


def code() -> str:
    """What a page with charts ends with."""
    themes = json.dumps({"light": config("light"), "dark": config("dark")})
    return (
        f'<script type="text/plain" id="vega">{packed_code()}</script>'
        f'<script type="application/json" id="themes">{themes}</script><script>{LOADER}</script>'
        "<noscript><p>Charts need JavaScript; nothing is fetched.</p></noscript>"
    )
