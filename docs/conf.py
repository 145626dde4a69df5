"""The documentation as a site: these pages, and references generated from the code (`make docs`)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import kinds  # noqa: E402

import wordline  # noqa: E402

project = "Wordline"
author = "The authors of Wordline"
version = release = wordline.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["notebooks"]
root_doc = "index"
html_theme = "alabaster"
html_title = f"Wordline {version}"
html_static_path = ["_static"]
html_css_files = ["kinds.css"]
html_theme_options = {
    "description": "A simulator of flash SSDs",
    "fixed_sidebar": True,
    "page_width": "72rem",
}
myst_heading_anchors = 4
myst_enable_extensions = ["tasklist"]
autodoc_typehints = "description"
autodoc_member_order = "bysource"
# Pages lead to places of the repository too, which are no part of the site.
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure"]


KINDS = kinds.of_pages(HERE)


def _generate(_app: Sphinx) -> None:
    import reference

    reference.write(HERE / "reference")


def _label(_app: Sphinx, name: str, _template: str, context: dict[str, Any], _tree: object) -> None:
    """Each page says of which kind it is; the colour of its heading follows (`_static/kinds.css`)."""
    kind = KINDS.get(name)
    if kind is not None and "body" in context:
        context["body"] = f'<p class="kind kind-{kind.lower()}">{kind}</p>\n{context["body"]}'


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("builder-inited", _generate)
    app.connect("html-page-context", _label)
