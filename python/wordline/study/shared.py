"""What points of one process share: prepared drives that are forked, traces that are in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass
class _Entry(Generic[T]):
    lock: threading.Lock
    value: T | None = None
    made: bool = False
    uses: int = 0


class Shared(Generic[T]):
    """Values by key, made once by whoever comes first; the others wait for it. Old ones are dropped.

    A value whose users are counted beforehand (`expect`) is dropped after its last use; at most `most` values
    stay in memory, the one not used for longest goes first. A value that could not be made is tried again.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._entries: OrderedDict[str, _Entry[T]] = OrderedDict()
        self._uses: dict[str, int] = {}
        self._lock = threading.Lock()

    def expect(self, key: str) -> None:
        """Counts a use to come."""
        with self._lock:
            self._uses[key] = self._uses.get(key, 0) + 1

    def is_shared(self, key: str) -> bool:
        """Whether it is there already, or more than one use was counted."""
        with self._lock:
            return key in self._entries or self._uses.get(key, 0) > 1

    def get(self, key: str, make: Callable[[], T | None]) -> T | None:
        """The value of the key, made now unless it is there."""
        with self._lock:
            entry = self._entries.setdefault(key, _Entry(threading.Lock()))
            self._entries.move_to_end(key)
            while len(self._entries) > self._most:
                self._entries.popitem(last=False)
        with entry.lock:
            if not entry.made:
                entry.value = make()
                entry.made = True
            return entry.value

    def done(self, key: str) -> None:
        """Counts a use as over."""
        with self._lock:
            left = self._uses.get(key, 0) - 1
            self._uses[key] = left
            if left <= 0:
                self._uses.pop(key, None)
                self._entries.pop(key, None)
