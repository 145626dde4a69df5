"""Values of a parameter set: each key read as its declaration says, and what is to be noted about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from wordline._core import WordlineError
from wordline.mqsim.keys import ALIASES
from wordline.mqsim.kinds import Key, Value
from wordline.mqsim.xmltree import Element
from wordline.wording import meant

Read = TypeVar("Read")


@dataclass
class Notes:
    """What a user should know of the conversion, each thing once."""

    texts: list[str] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Notes something, unless it was noted before."""
        if text not in self.texts:
            self.texts.append(text)


class Values:
    """The values of one parameter set, by key."""

    def __init__(
        self, element: Element, keys: Iterable[Key], notes: Notes, *, nested: tuple[str, ...] = ()
    ) -> None:
        self.element = element
        self._values: dict[str, Value] = {}
        self._lines: dict[str, int] = {}
        by_name = {key.name: key for key in keys}
        unknown: list[Element] = []
        mistakes: list[str] = []
        for child in element.children:
            if child.name in nested:
                continue
            name = ALIASES.get(child.name, child.name)
            key = by_name.get(name)
            if key is None:
                unknown.append(child)
                continue
            if name in self._values:
                mistakes.append(f"{child.place}: {child.name}: given twice in {element.name}")
                continue
            self._lines[name] = child.line
            try:
                self._values[name] = _read(child, key)
            except WordlineError as error:
                mistakes.append(str(error))
                continue
            if key.effect == "no effect":
                notes.add(f"{child.name} = {child.text}: without effect here: {key.meaning}")
        if mistakes:
            raise WordlineError("\n".join(mistakes))
        pass_over(element, unknown, (*by_name, *nested), notes)
        self._add_defaults(by_name, notes)

    def _add_defaults(self, keys: dict[str, Key], notes: Notes) -> None:
        missing: dict[str, str] = {}
        for name, key in keys.items():
            if name in self._values or key.default is None:
                continue
            value = key.kind.read(key.default)
            if value is None:
                raise RuntimeError(f"the default of {name} isn't one of its values: {key.default}")
            self._values[name] = value
            if key.effect == "used":
                missing[name] = key.default
        if missing:
            listed = ", ".join(f"{name} = {default}" for name, default in missing.items())
            notes.add(
                f"{self.element.place}: {self.element.name} lacks, and so has MQSim's default: {listed}"
            )

    def has(self, name: str) -> bool:
        """Whether there is a value, the file's or a default."""
        return name in self._values

    def given(self, name: str) -> bool:
        """Whether the file has the key."""
        return name in self._lines

    def place(self, name: str) -> str:
        """File and line of a key; of its parameter set, where it is missing."""
        return f"{self.element.file}:{self._lines.get(name, self.element.line)}"

    def shown(self, name: str) -> str:
        """A value as errors show it."""
        value = self._values.get(name, "missing")
        return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)

    def refuse(self, name: str, allowed: str) -> WordlineError:
        """The error that says that a value can't be."""
        return WordlineError(f"{self.place(name)}: {name} = {self.shown(name)}: {allowed}")

    def _value(self, name: str) -> Value:
        if name not in self._values:
            raise WordlineError(
                f"{self.element.place}: {self.element.name} lacks {name}, which has no default"
            )
        return self._values[name]

    def whole(self, name: str) -> int:
        """A whole number."""
        value = self._value(name)
        if not isinstance(value, int):
            raise TypeError(name)
        return value

    def real(self, name: str) -> float:
        """A number."""
        value = self._value(name)
        if not isinstance(value, int | float):
            raise TypeError(name)
        return value

    def flag(self, name: str) -> bool:
        """Yes or no."""
        value = self._value(name)
        if not isinstance(value, bool):
            raise TypeError(name)
        return value

    def text(self, name: str) -> str:
        """A word or a text."""
        value = self._value(name)
        if not isinstance(value, str):
            raise TypeError(name)
        return value

    def numbers(self, name: str) -> tuple[int, ...]:
        """A list of numbers."""
        value = self._value(name)
        if not isinstance(value, tuple):
            raise TypeError(name)
        return value


def _read(child: Element, key: Key) -> Value:
    if child.children:
        raise WordlineError(f"{child.place}: {child.name}: allowed: {key.kind.allowed()}, no elements")
    value = key.kind.read(child.text)
    if value is None:
        text = child.text[:60]
        raise WordlineError(f"{child.place}: {child.name} = {text}: allowed: {key.kind.allowed()}")
    for word, reason in key.refused:
        if value == word:
            raise WordlineError(f"{child.place}: {child.name} = {child.text}: not here: {reason}")
    return value


def pass_over(element: Element, unknown: Iterable[Element], known: Iterable[str], notes: Notes) -> None:
    """Notes what an element has that MQSim doesn't know, and so passes over."""
    known = list(known)

    def named(child: Element) -> str:
        near = meant(child.name, known, "")
        return f"{child.name} (line {child.line}{'; ' if near else ''}{near})"

    names = ", ".join(map(named, unknown))
    if names:
        notes.add(f"{element.place}: {element.name}: passed over, as MQSim doesn't know them: {names}")


def all_read(*reads: Callable[[], Read]) -> list[Read]:
    """What these read; the mistakes of all together where any has some."""
    found, mistakes = [], []
    for read in reads:
        try:
            found.append(read())
        except WordlineError as error:
            mistakes.append(str(error))
    if mistakes:
        raise WordlineError("\n".join(mistakes))
    return found


def only_child(element: Element, name: str) -> Element:
    """The one child of this name."""
    found = [child for child in element.children if child.name == name]
    if len(found) != 1:
        how_many = "no" if not found else f"{len(found)} elements"
        raise WordlineError(f"{element.place}: {element.name} has {how_many} {name}: allowed: one")
    return found[0]
