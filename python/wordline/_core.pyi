import os
from collections.abc import Callable
from typing import final

import numpy as np
from numpy.typing import NDArray

from wordline.policies.views import Blocks

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
    "fio_workload",
    "hold",
    "load_drive",
    "parts",
    "prepare",
    "resolve",
    "run",
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
    def fork(self) -> Drive: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...

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
    def outstanding(self) -> NDArray[np.uint32]: ...
    def find(self, page: int) -> int | None: ...
    def copies(self, page: int) -> list[int]: ...
    def page_at(self, place: int) -> int | None: ...
    def die_of(self, place: int) -> int: ...
    def superblock_of(self, place: int) -> int: ...
    def domain_of(self, superblock: int) -> int: ...
    def blocks(self, domain: int) -> Blocks: ...
    def free(self, domain: int) -> int: ...
    def places(self, superblock: int) -> NDArray[np.uint32]: ...
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
    progress: Callable[[int, int | None, int], None] | None = None,
) -> Drive: ...
def load_drive(
    path: str | os.PathLike[str],
    device: tuple[str, str],
    scheme: tuple[str, str],
    workload: tuple[str, str],
    *,
    overrides: list[tuple[str, str]],
    seed: int,
    checked: bool,
) -> Drive: ...
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
def fio_workload(name: str, label: str, text: str) -> tuple[str, list[str]]: ...
def trace_gen(
    workload: tuple[str, str],
    overrides: list[tuple[str, str]],
    *,
    base_dir: str,
    out: str,
    seed: int,
    progress: Callable[[int, int | None, int], None] | None = None,
) -> int: ...
