"""The command line: `memory-db` and `llm memory` are this one group of commands.

Thin: parse, call, print. Commands are loaded when they are used, so that
asking a question does not wait for the libraries of serving.
"""

import _thread
import gc
import os
import sys
from _signal import SIGINT  # type: ignore[import-not-found]  # signal builds its enums first

TYPE_CHECKING = False  # as in typing, which need not be loaded
if TYPE_CHECKING:
    from sys import UnraisableHookArgs

    from memory_db.cli.group import cli

__all__ = ["cli", "main"]


STOPPED = "Stopped. The same command goes on where this one ended."


def main() -> None:
    """Runs the command line; an interruption while it is loaded is told in one line, as a later one is."""
    sys.unraisablehook = send_again
    try:
        load_and_run()
    except (KeyboardInterrupt, RuntimeError) as error:
        if not isinstance(error, KeyboardInterrupt) and not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        sys.stderr.write(f"{STOPPED}\n")
        sys.exit(1)


def send_again(lost: "UnraisableHookArgs") -> None:
    """Sends an interruption once more that Python lost, as where it lets go of a module; all else is told as ever."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        _thread.start_new_thread(os.kill, (os.getpid(), SIGINT))  # here it would be lost again
    else:
        sys.__unraisablehook__(lost)


def load_and_run() -> None:
    """Runs the command line; a plain recall is answered before the rest of it is loaded."""
    gc.disable()  # what such a short process leaves behind is not worth looking for
    from memory_db.cli.recall import quick  # noqa: PLC0415  # start-up: who imports the group asks nothing

    if quick.answered(sys.argv[1:]):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)  # to take down what was loaded takes an eighth of such a process
    gc.enable()
    from memory_db.cli.group import main as whole  # noqa: PLC0415  # start-up: its libraries take longer than a recall

    whole()


def __getattr__(name: str) -> object:
    if name != "cli":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from memory_db.cli.group import cli as group  # noqa: PLC0415  # start-up: as above

    return group
