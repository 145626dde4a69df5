"""The command `wordline`."""

from __future__ import annotations

import io
import signal
import sys
from types import FrameType

from wordline.streams import CLOSED, abandon, is_lost, provide, tell

INTERRUPTED = 130

ENDING = {signal.SIGTERM: "terminated", signal.SIGHUP: "hung up"}
"""Signals that end the command as Ctrl-C does: what was begun is taken back."""


AGAIN_S = 0.05
"""After which a signal comes again that was lost."""


class SignalledError(SystemExit):
    """A signal asks the process to end."""


def main() -> None:
    """Runs the command line and exits: 0, or 2 for a mistake in the input, or 128 and the number of the
    signal that ended it.
    """
    provide()
    sys.unraisablehook = _once_more
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal without bars and Greek letters gets question marks, not a failure.
        sys.stdout.reconfigure(errors="replace")
    try:
        for number in ENDING:
            # `nohup` has a reason for ignoring one.
            if signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, _end)
        code = _run(sys.argv[1:])
        sys.stdout.flush()
        if code == 0 and is_lost(sys.stdout):
            tell("wordline: output: standard output is closed, what was printed is lost: allowed: any other")
            code = 2
    except KeyboardInterrupt:
        # While modules load, too.
        tell("wordline: interrupted")
        code = INTERRUPTED
    except SignalledError as ended:
        assert isinstance(ended.code, int)  # noqa: S101
        tell(f"wordline: {ENDING[signal.Signals(ended.code - 128)]}")
        code = ended.code
    except BrokenPipeError:
        abandon(sys.stdout)
        code = CLOSED
    except OSError as error:
        abandon(sys.stdout)
        tell(f"wordline: output: {error.strerror or error}")
        code = 2
    sys.exit(code)


def _end(number: int, _frame: FrameType | None) -> None:
    # A second one must not end the tidying up.
    signal.signal(number, signal.SIG_IGN)
    raise SignalledError(128 + number)


def _once_more(lost: sys.UnraisableHookArgs) -> None:
    """A signal that came where an exception leads nowhere, as in a callback of an import, comes again."""
    ending = lost.exc_value
    if not isinstance(ending, SignalledError | KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return

    def end(_number: int, _frame: FrameType | None) -> None:
        raise ending

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, AGAIN_S)


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
