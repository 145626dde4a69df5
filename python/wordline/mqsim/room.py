"""Free blocks that collection keeps, as MQSim counts them, within the spare space that the drive has."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wordline import _core
from wordline._core import WordlineError
from wordline.mqsim.device import Drive, trigger_share
from wordline.mqsim.values import Notes

TomlTable = dict[str, Any]

TRIGGER = "scheme.gc.trigger"

ANY = 'name = "any"\n[source]\nkind = "synthetic"\nrequests = 1\nread_share = 1.0\nsizes = 512\n'
"""A workload that fits every drive."""


def fit_trigger(device: Mapping[str, Any], scheme: TomlTable, drive: Drive, notes: Notes) -> None:
    """Lowers the trigger of a scheme to the most free blocks that the drive's spare space is sure to give.

    MQSim takes any threshold: beyond what can be had it collects whenever a block is taken.
    """
    blocks = drive.flash.whole("Block_No_Per_Plane")
    wanted = drive.free_blocks
    if not _refused(device, scheme):
        return
    least, most = 0, wanted
    while most - least > 1:
        middle = (least + most) // 2
        scheme["gc"]["trigger"] = trigger_share(middle, blocks)
        least, most = (least, middle) if _refused(device, scheme) else (middle, most)
    scheme["gc"]["trigger"] = trigger_share(least or wanted, blocks)
    if least:
        name = "GC_Exec_Threshold"
        given = f"{drive.device.place(name)}: {name} = {drive.device.shown(name)}"
        notes.add(
            f"{given}: collection begins below {least} free blocks of a plane, since the spare space is sure "
            f"to give no more; in MQSim below {wanted}"
        )


def _refused(device: Mapping[str, Any], scheme: Mapping[str, Any]) -> bool:
    """Whether the trigger is too much for the drive."""
    import tomli_w

    texts = (("device", tomli_w.dumps(device)), ("scheme", tomli_w.dumps(scheme)), ("workload", ANY))
    try:
        _core.check(*texts, overrides=[], seed=1, checked=False, base_dir=str(Path.cwd()), whole_drive=False)
    except WordlineError as error:
        return TRIGGER in str(error)
    return False
