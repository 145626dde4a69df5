"""When a policy in Python is asked, and what it answers: the reference of policies prints it."""

from __future__ import annotations

SLOTS: dict[str, tuple[str, str, str]] = {
    "python_gc": (
        "`choose(blocks)`",
        "when a domain needs another victim of garbage collection",
        "index of a superblock of the domain; `None`: nothing to win, a run short of space ends",
    ),
    "python_placement": (
        "`place(program, planes)`",
        "once for the units of one flash page",
        "number of a plane, whose open superblock takes the page next; `None` is refused: each program needs "
        'one. With `scheme.blocks.superblock = "drive"` there is one superblock, whatever the answer',
    ),
    "python_scheduler": (
        "`next(waiting, now_ns)`",
        "when commands of two or more classes wait at a free die",
        "name of a class that waits; `None` is refused: a die doesn't rest while commands wait",
    ),
    "python_mapping": (
        "`find(lookup)`",
        "for each page that the host reads or writes",
        "`None`: its entry is in DRAM; `Load(translation_page)`; `Guess(place)`",
    ),
    "python_separation": (
        "`write_point(page, stream, points)`",
        "for each page that the host writes",
        "number of a write point; `None` is refused: each page needs one",
    ),
    "python_system": (
        "those of a system, below",
        "when it happens: read reclaim, the copy that serves, and all that spans slots",
        "actions; `None`: nothing",
    ),
}
"""Key of a slot in `scheme.custom` → method, when it is asked, what it answers."""

ATTRIBUTES: dict[str, dict[str, str]] = {
    "victims": {"needs": 'a tuple of `"full_order"` and `"last_change"`: what of the past `blocks` has'},
    "placement": {"places_moves": "whether moves ask as well"},
    "scheduler": {
        "suspends": "names of classes of programs and erases that a read of the host suspends",
        "longest_suspension_ns": "how long a suspended command waits at most",
    },
    "write points": {"is_hot(page)": "whether a moved page is hot; `None`: no"},
    "translation": {
        "loaded(translation_page, lookup)": "once for each page that waited for it; answers as `updated`",
        "updated(page, old, new, cause, sizes)": "translation pages to be written, or `None`: none",
        "erased()": "likewise",
        "wrong_guess(page, guessed, found)": "a guess was wrong; no answer",
        "cached_entries": "a number; so are `dirty_entries` and `memory_bytes`",
    },
    "systems": {
        "name": "its name in results",
        "most_copies": "how many copies of pages it has at most",
        "reserved_dies": "dies reserved for its copies",
        "reserved_blocks": "share of the blocks reserved for them",
        "memory_bytes": "what its tables take of the controller's memory",
        "figures()": "a dictionary of counts, in results below `systems`",
        "window_opens()": "called when the measured window begins",
    },
}
"""What a class may have beside its method, by slot."""

SYSTEM: dict[str, tuple[str, str]] = {
    "read(read, drive)": ("a read of the host goes to a die", "actions; `None`: nothing"),
    "read_done(read, drive)": ("its data is with the controller", "actions; `None`: nothing"),
    "written(page, old, new, drive)": ("a page was written", "actions; `None`: nothing"),
    "moved(page, old, new, cause, drive)": ("a page was moved", "actions; `None`: nothing"),
    "trimmed(page, old, drive)": ("a page was trimmed", "actions; `None`: nothing"),
    "collected(superblock, drive)": (
        "garbage collection begins with a superblock",
        "actions; `None`: nothing",
    ),
    "invalidated(place, drive)": ("a place holds nothing of value any more", "actions; `None`: nothing"),
    "erased(superblock, drive)": ("a superblock was erased", "actions; `None`: nothing"),
    "idle(drive)": ("no request for `scheme.maintenance.idle_after_ns`", "actions; `None`: nothing"),
    "woken(drive)": ("the time of `WakeAt` has come", "actions; `None`: nothing"),
    "plan_done(number, drive)": (
        "the plan asked for as its number-th, from 0, has ended",
        "actions; `None`: nothing",
    ),
    "copied(page, place, drive)": ("a copy of its own is there", "actions; `None`: nothing"),
    "copy_moved(page, old, new, drive)": ("a copy of its own was moved", "actions; `None`: nothing"),
    "copy_dropped(page, place, why, drive)": ("a copy of its own is gone", "actions; `None`: nothing"),
    "reclaim(worn, drive)": (
        "a block was read too often (`scheme.reclaim`)",
        "a `Plan`, or `None`: as the scheme says",
    ),
    "allowed_planes(program, drive)": (
        "a program of the host wants a plane",
        "the planes left, or `None`: all",
    ),
    "serve(page, candidates, drive)": (
        "a read of a page of which it has a copy",
        "index of the copy that serves, or `None`: as the arbiter says",
    ),
}
"""Method of a system → what it is told, and what it answers."""
