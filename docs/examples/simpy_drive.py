"""A drive as a device of a SimPy simulation, whose unit of time is a nanosecond."""

from collections.abc import Generator
from typing import Any

import simpy

import wordline


class Device:
    """A drive that processes read and write."""

    def __init__(self, env: simpy.Environment, drive: wordline.Drive) -> None:
        self.env, self.drive = env, drive
        self._answers: dict[int, simpy.Event] = {}
        self._submitted = env.event()
        self._count = 0
        env.process(self._run())

    def request(self, op: str, offset: int, length: int) -> simpy.Event:
        """Submits a request now; the event comes with its answer, and has its response time in ns."""
        tag, self._count = self._count, self._count + 1
        self.drive.submit(int(self.env.now), op, offset, length, tag)
        answer = self._answers[tag] = self.env.event()
        if not self._submitted.triggered:
            self._submitted.succeed()
        return answer

    def _run(self) -> Generator[simpy.Event, Any, None]:
        while True:
            time = self.drive.next_event()
            wake = [] if time is None else [self.env.timeout(time - int(self.env.now))]
            yield self.env.any_of([self._submitted, *wake])
            if self._submitted.triggered:
                self._submitted = self.env.event()
            self.drive.advance(int(self.env.now))
            for done in self.drive.completions():
                latency = int(done["completion_ns"]) - int(done["arrival_ns"])
                self._answers.pop(int(done["tag"])).succeed(latency)


def client(
    env: simpy.Environment, device: Device, place: int, latencies: list[int]
) -> Generator[simpy.Event, Any, None]:
    """Reads a page, thinks for 20 µs, and reads the next."""
    for number in range(50):
        latency = yield device.request("read", (place + number * 8) * 4096, 4096)
        latencies.append(latency)
        yield env.timeout(20_000)


def main() -> list[int]:
    """Eight clients of one drive."""
    env = simpy.Environment()
    device = Device(env, wordline.Drive("enterprise-tlc", start={"occupancy": 0.5}))
    latencies: list[int] = []
    for place in range(8):
        env.process(client(env, device, place, latencies))
    env.run()
    return latencies


if __name__ == "__main__":
    latencies = main()
    print(f"{len(latencies)} reads, {sum(latencies) / len(latencies) / 1e3:.1f} µs")
