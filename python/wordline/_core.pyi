import os
from collections.abc import Callable, Mapping
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordline.policies.views import Blocks
from wordline.presets import Given
from wordline.result import Record

__all__ = [
    "Course",
    "Drive",
    "DriveView",
    "Held",
    "RunResult",
    "WordlineError",
    "__build__",
    "__version__",
    "check",
    "check_prepare",
    "combined",
    "fio_workload",
    "hold",
    "load_drive",
    "nearest",
    "parts",
    "prepare",
    "resolve",
    "run",
    "speak_of_options",
    "speaks_of_options",
    "trace_convert",
    "trace_fit",
    "trace_gen",
    "trace_info",
]

__build__: str
__version__: str

class WordlineError(ValueError): ...

@final
class Drive:
    def __new__(
        cls,
        device: Given | None = None,
        scheme: Given | None = None,
        *,
        start: Mapping[str, object] | None = None,
        overrides: Mapping[str, object] | None = None,
        seed: int | None = None,
        checked: bool = False,
        sequence_numbers: bool = False,
    ) -> Drive: ...
    @staticmethod
    def restore(snapshot: bytes, *, policies: Mapping[str, object] | None = None) -> Drive: ...
    def fork(self) -> Drive: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def snapshot(self) -> bytes: ...
    def after_power_loss(self) -> dict[str, int | list[tuple[int, int]]]: ...
    @property
    def now(self) -> int: ...
    @property
    def logical_bytes(self) -> int: ...
    @property
    def streams(self) -> int | None: ...
    @property
    def outstanding(self) -> int: ...
    def submit(
        self,
        time: int,
        op: str | int,
        offset: int | None = None,
        length: int | None = None,
        tag: int | None = None,
        stream: int | None = None,
    ) -> None: ...
    def submit_many(
        self,
        time: ArrayLike,
        op: ArrayLike,
        offset: ArrayLike,
        length: ArrayLike,
        tag: ArrayLike | None = None,
        stream: ArrayLike | None = None,
    ) -> None: ...
    def next_event(self) -> int | None: ...
    def advance(self, time: int) -> None: ...
    def drain(self) -> None: ...
    def completions(self) -> NDArray[np.void]: ...
    def mark(self) -> None: ...
    def statistics(self) -> Record: ...
    def audit(self) -> None: ...

# Arrays of a view are signed and of 64 bits, so that differences of counts can't wrap.
@final
class DriveView:
    @property
    def now_ns(self) -> int: ...
    @property
    def pages(self) -> int: ...
    @property
    def planes(self) -> int: ...
    @property
    def dies(self) -> int: ...
    @property
    def channels(self) -> int: ...
    @property
    def domains(self) -> int: ...
    @property
    def idle(self) -> bool: ...
    @property
    def outstanding(self) -> NDArray[np.int64]: ...
    def find(self, page: int) -> int | None: ...
    def copies(self, page: int) -> list[int]: ...
    def page_at(self, place: int) -> int | None: ...
    def die_of(self, place: int) -> int: ...
    def superblock_of(self, place: int) -> int: ...
    def domain_of(self, superblock: int) -> int: ...
    def blocks(self, domain: int) -> Blocks: ...
    def free(self, domain: int) -> int: ...
    def places(self, superblock: int) -> NDArray[np.int64]: ...
    def block_reads(self, plane: int, block: int) -> int: ...
    def running(self, die: int) -> tuple[str, int] | None: ...
    def reads_at(self, die: int) -> list[tuple[int, int]]: ...
    def has_room(self, plane: int) -> bool: ...

@final
class Course:
    def __new__(cls, first: int = 0, end: int = 0) -> Course: ...
    @property
    def count(self) -> int: ...
    @property
    def hashes(self) -> list[int]: ...
    @property
    def events(self) -> list[str]: ...
    @property
    def tables(self) -> list[dict[str, int]]: ...

@final
class Held:
    def __len__(self) -> int: ...
    def bytes(self) -> int: ...

@final
class RunResult:
    def json(self) -> str: ...
    def histogram(self, direction: str) -> tuple[list[int], list[int]]: ...
    def table(self, name: str) -> list[tuple[str, str, int, bytes]] | None: ...

def run(
    device: tuple[str, str],
    scheme: tuple[str, str],
    workload: tuple[str, str],
    *,
    overrides: list[tuple[str, str]],
    seed: int,
    checked: bool,
    base_dir: str,
    progress: Callable[[int, int | None, int], None] | None = None,
    drive: Drive | None = None,
    load_state: str | os.PathLike[str] | None = None,
    save_state: str | os.PathLike[str] | None = None,
    stop_after: int | None = None,
    held: Held | None = None,
    timeline: tuple[str | os.PathLike[str], tuple[int, int]] | None = None,
    request_log: str | os.PathLike[str] | None = None,
    course: Course | None = None,
    remarks: list[str] = ...,
    policies: str = ...,
) -> RunResult | None: ...
def check(
    device: tuple[str, str],
    scheme: tuple[str, str],
    workload: tuple[str, str],
    *,
    overrides: list[tuple[str, str]],
    seed: int,
    checked: bool,
    base_dir: str,
    whole_drive: bool,
) -> str: ...
def hold(
    device: tuple[str, str],
    scheme: tuple[str, str],
    workload: tuple[str, str],
    *,
    overrides: list[tuple[str, str]],
    base_dir: str,
) -> Held | None: ...
def prepare(
    device: tuple[str, str],
    scheme: tuple[str, str],
    workload: tuple[str, str],
    *,
    overrides: list[tuple[str, str]],
    seed: int,
    checked: bool,
    base_dir: str,
    policies: str,
    progress: Callable[[int, int | None, int], None] | None = None,
) -> Drive: ...
def check_prepare(
    device: tuple[str, str],
    scheme: tuple[str, str],
    workload: tuple[str, str],
    *,
    overrides: list[tuple[str, str]],
    seed: int,
    checked: bool,
) -> None: ...
def load_drive(
    path: str | os.PathLike[str],
    device: tuple[str, str],
    scheme: tuple[str, str],
    workload: tuple[str, str],
    *,
    overrides: list[tuple[str, str]],
    seed: int,
    checked: bool,
    base_dir: str,
    policies: str,
) -> Drive: ...
def combined(name: str, parts: list[tuple[str, tuple[str, str] | None]]) -> tuple[str, str]: ...
def parts() -> list[tuple[str, list[str], list[str], str]]: ...
def resolve(
    kind: str,
    text: tuple[str, str],
    overrides: list[tuple[str, str]],
    *,
    device: tuple[str, str] | None = None,
) -> str: ...
def trace_info(
    workload: tuple[str, str],
    overrides: list[tuple[str, str]],
    *,
    base_dir: str,
    progress: Callable[[int, int | None, int], None] | None = None,
) -> str: ...
def trace_convert(
    workload: tuple[str, str],
    overrides: list[tuple[str, str]],
    *,
    base_dir: str,
    out: str,
    format: str | None = None,
    progress: Callable[[int, int | None, int], None] | None = None,
) -> tuple[int, list[str]]: ...
def trace_fit(
    workload: tuple[str, str],
    overrides: list[tuple[str, str]],
    *,
    base_dir: str,
    name: str,
    piece: int | None = None,
    held: float | None = None,
    model: bool = False,
    progress: Callable[[int, int | None, int], None] | None = None,
) -> str: ...
def fio_workload(
    name: str,
    label: str,
    text: str,
    folder: str | os.PathLike[str],
    environment: dict[str, str],
    sections: list[str],
    settings: list[str],
) -> tuple[str, list[str]]: ...
def trace_gen(
    workload: tuple[str, str],
    overrides: list[tuple[str, str]],
    *,
    base_dir: str,
    out: str,
    seed: int,
    progress: Callable[[int, int | None, int], None] | None = None,
) -> int: ...
def nearest(word: str, known: list[str]) -> str | None: ...
def speak_of_options(wanted: bool) -> bool: ...
def speaks_of_options() -> bool: ...
