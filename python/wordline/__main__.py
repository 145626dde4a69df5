"""The command `wordline`."""

from __future__ import annotations

import io
import sys

INTERRUPTED = 130


def main() -> None:
    """Runs the command line and exits: 0, or 2 for a mistake in the input, or 130 after Ctrl-C."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal without bars and Greek letters gets question marks, not a failure.
        sys.stdout.reconfigure(errors="replace")
    try:
        code = _run(sys.argv[1:])
    except KeyboardInterrupt:
        # While modules load, too.
        print("wordline: interrupted", file=sys.stderr)
        code = INTERRUPTED
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        # Answered before the command line's own libraries load, which takes longer than the answer.
        from wordline._core import __version__

        print(f"wordline {__version__}")
        return 0
    from wordline.cli import execute

    return execute(arguments)


if __name__ == "__main__":
    main()
