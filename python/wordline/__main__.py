"""The command `wordline`."""

from __future__ import annotations

import sys

from wordline import __version__


def main() -> None:
    """Runs the command line and exits: 0, or 2 for a mistake in the input, or 130 after Ctrl-C."""
    if sys.argv[1:] == ["--version"]:
        # Answered before the command line's own libraries load, which takes longer than the answer.
        print(f"wordline {__version__}")
        return
    from wordline.cli import execute

    sys.exit(execute(sys.argv[1:]))


if __name__ == "__main__":
    main()
