"""XML as a tree whose elements know their lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from xml.parsers import expat

from wordline._core import WordlineError

if TYPE_CHECKING:
    from xml.parsers.expat import XMLParserType


MERGED = b"<<<<<<<"
"""How git begins what it could not merge."""


@dataclass
class Element:
    """An element: its children, or the text between its tags."""

    name: str
    file: str
    line: int
    text: str = ""
    children: list[Element] = field(default_factory=list)

    @property
    def place(self) -> str:
        """File and line, as errors begin."""
        return f"{self.file}:{self.line}"


def read(path: Path) -> Element:
    """The root of a file.

    Raises `WordlineError` with file and line where it isn't XML, and `OSError` where there is no file.
    """
    return parse(path.read_bytes(), str(path))


def parse(data: bytes, file: str) -> Element:
    """The root of a document; `file` is what errors call it."""
    parser = expat.ParserCreate()
    builder = _Builder(parser, file)
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.characters
    # A configuration has no use for entities of its own, and they can grow without bound.
    parser.EntityDeclHandler = builder.entity
    # Some of MQSim's own files end elements so; its parser passes over the names of closing tags.
    data = data.replace(b"</<", b"</")
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        what = expat.errors.messages.get(error.code, str(error.code))
        lines = data.split(b"\n")[error.lineno - 1 : error.lineno]
        if lines and lines[0].startswith(MERGED):
            what = "two versions of a text that git could not merge: allowed: one of them"
        raise WordlineError(f"{file}:{error.lineno}: not XML: {what}") from None
    if builder.root is None:
        raise WordlineError(f"{file}: not XML: no element found")
    return builder.root


class _Builder:
    def __init__(self, parser: XMLParserType, file: str) -> None:
        self.parser = parser
        self.file = file
        self.root: Element | None = None
        self.open: list[Element] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        element = Element(name, self.file, self.parser.CurrentLineNumber)
        if attributes:
            key = next(iter(attributes))
            raise WordlineError(f"{element.place}: attribute {key} of {name}: allowed: elements only")
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, _name: str) -> None:
        element = self.open.pop()
        element.text = element.text.strip()
        if element.children and element.text:
            raise WordlineError(
                f"{element.place}: {element.name}: text beside its elements: {element.text[:40]}"
            )

    def characters(self, text: str) -> None:
        if self.open:
            self.open[-1].text += text

    def entity(self, name: str, *_: object) -> None:
        raise WordlineError(f"{self.file}:{self.parser.CurrentLineNumber}: entity {name}: allowed: none")
