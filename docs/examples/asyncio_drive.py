"""A drive for asyncio: reads are awaited in simulated time, without waiting for any clock."""

import asyncio

import wordline

STEPS = 8
"""Turns of the event loop that a task has between an answer and its next request."""


class Device:
    """A drive whose requests are awaited. Its time goes on while every task waits for it."""

    def __init__(self, drive: wordline.Drive) -> None:
        self.drive = drive
        self._answers: dict[int, asyncio.Future[int]] = {}
        self._count = 0
        self._running: asyncio.Task[None] | None = None

    @property
    def now(self) -> int:
        """Simulated time, ns."""
        return self.drive.now

    async def request(self, op: str, offset: int, length: int) -> int:
        """Submits a request now, and gives its response time, ns, with its answer."""
        tag, self._count = self._count, self._count + 1
        self.drive.submit(self.now, op, offset, length, tag)
        answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._answers[tag] = answer
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run())
        return await answer

    async def _run(self) -> None:
        try:
            while self._answers:
                for _ in range(STEPS):
                    await asyncio.sleep(0)
                self._go_on()
        except Exception as error:
            # Nobody awaits this task: those that wait for answers would wait for ever.
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_exception(error)
            self._answers.clear()

    def _go_on(self) -> None:
        time = self.drive.next_event()
        if time is None:
            # Writes wait for space, which no further request will win.
            self.drive.drain()
        else:
            self.drive.advance(time)
        for done in self.drive.completions():
            latency = int(done["completion_ns"]) - int(done["arrival_ns"])
            answer = self._answers.pop(int(done["tag"]))
            if not answer.cancelled():
                answer.set_result(latency)
        if time is None and self._answers:
            raise RuntimeError(f"{len(self._answers)} requests that the drive doesn't answer")


async def client(device: Device, place: int) -> list[int]:
    """Reads a page, and the next when it has that."""
    return [await device.request("read", (place + number * 8) * 4096, 4096) for number in range(50)]


async def main() -> list[int]:
    """Eight clients of one drive."""
    device = Device(wordline.Drive("enterprise-tlc", start={"occupancy": 0.5}))
    found = await asyncio.gather(*(client(device, place) for place in range(8)))
    return [latency for latencies in found for latency in latencies]


if __name__ == "__main__":
    latencies = asyncio.run(main())
    print(f"{len(latencies)} reads, {sum(latencies) / len(latencies) / 1e3:.1f} µs")
