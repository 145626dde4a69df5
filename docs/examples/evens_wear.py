"""Static wear levelling by plans: when the drive is idle, data leaves what was erased least."""

import wordline
from wordline._core import DriveView
from wordline.policies import Plan, Step


class EvensWear:
    """One superblock each time, where the erase counts of a domain are further apart than this."""

    def __init__(self, apart: int = 8) -> None:
        self.apart = apart
        self.plans = 0

    def idle(self, drive: DriveView) -> Plan | None:
        """The drive is idle: the first domain with a superblock that was erased too seldom has it emptied."""
        for domain in range(drive.domains):
            blocks = drive.blocks(domain)
            full = blocks.full.nonzero()[0]
            if not full.size:
                continue
            least = full[blocks.erases[full].argmin()]
            if blocks.erases.max() - blocks.erases[least] <= self.apart:
                continue
            self.plans += 1
            return self.empties(blocks.first + int(least), drive)
        return None

    @staticmethod
    def empties(superblock: int, drive: DriveView) -> Plan:
        """What is valid goes where the domain is being filled; then the superblock is erased."""
        places = [int(place) for place in drive.places(superblock) if drive.page_at(int(place)) is not None]
        return Plan("wear_levelling", [Step(places)], erase=[superblock])

    def figures(self) -> dict[str, int]:
        """In results below `systems`."""
        return {"plans": self.plans}


def main() -> dict[str, tuple[int, int, float]]:
    """The fewest and the most erases of a block, and WAF: without the policy and with it."""
    skewed = {
        "device.geometry.channels": 1,
        "device.geometry.ways": 1,
        "device.geometry.blocks": 64,
        "device.geometry.pages": 32,
        "device.capacity.overprovisioning": 0.2,
        "workload.host": {"arrivals": "open"},
        "workload.source.interarrival": {"kind": "fixed", "iops": 500},
        "workload.source.pattern": {"kind": "zipf", "theta": 0.99},
        "workload.source.requests": 60_000,
    }
    found = {}
    for name, policies in {"baseline": {}, "policy": {"system": EvensWear}}.items():
        result = wordline.run("mqsim", workload="randwrite-4k-qd16", overrides=skewed, policies=policies)
        found[name] = (result.erase_counts.min, result.erase_counts.max, result.waf)
    return found


if __name__ == "__main__":
    for name, (fewest, most, waf) in main().items():
        print(f"{name} {fewest} to {most} erases, WAF {waf:.2f}")
