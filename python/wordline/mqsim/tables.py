"""The declaration of MQSim's keys as the tables of docs/mqsim.md."""

from __future__ import annotations

from wordline.mqsim.keys import SETS, SHARED_FLOW
from wordline.mqsim.kinds import Key


def tables() -> str:
    """A table for each parameter set; keys that both kinds of flows have stand in a table of their own."""
    sets = {name: [key for key in keys if key not in SHARED_FLOW] for name, keys in SETS.items()}
    flows = "Both kinds of `IO_Flow_Parameter_Set`"
    titled = {**{f"`{name}`": keys for name, keys in sets.items()}, flows: list(SHARED_FLOW)}
    return "\n".join(f"### {title}\n\n{_table(keys)}" for title, keys in titled.items())


def _table(keys: list[Key]) -> str:
    rows = ["| key | MQSim's default | allowed | here |", "|---|---|---|---|"]
    rows += [_row(key) for key in keys]
    return "\n".join(rows) + "\n"


def _row(key: Key) -> str:
    default = "" if key.default is None else f"`{key.default}`"
    meaning = key.meaning if key.effect == "used" else f"*no effect:* {key.meaning}"
    refused = "".join(f". *{word} is refused:* {reason}" for word, reason in key.refused)
    return f"| `{key.name}` | {default} | {key.kind.allowed()} | {meaning}{refused} |"
