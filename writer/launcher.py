"""The terminal guard: runs the app as a child in the same terminal, waits, and leaves a usable terminal behind.

Standard library only, and of writer nothing but the language, for one sentence at the end: whatever kills the app must
not be able to break this.
It never reads or writes the manuscript; the app and its state files are what keeps the text.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
import termios
from types import FrameType
from typing import Any

# Everything that Textual may have switched on. The kitty keyboard stack belongs to the alternate screen, so it
# is popped before that screen is left.
_RESET = (
    "\x1b[?2026l"  # synchronised output, or a frame half drawn stays invisible
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l"  # the mouse
    "\x1b[?2004l\x1b[?1004l\x1b[?2048l"  # bracketed paste, focus events, in-band resize
    "\x1b[<u"  # kitty keyboard
    "%s"
    "\x1b[?7h\x1b[?25h\x1b[0m"  # wrap on, cursor on, plain colours
)
_LEAVE_AND_PUT_CURSOR_BACK = "\x1b[?1049l"
_LEAVE = "\x1b[?1047l"  # does nothing, not even to the cursor, if the app left the alternate screen by itself
_PR_SET_PDEATHSIG = 1


def run(argv: list[str]) -> int:
    """Run the app with these arguments until it ends. Returns its exit code (128 + n if signal n ended it)."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a dump of the app would hold the manuscript
    terminal = _terminal()
    before = termios.tcgetattr(terminal) if terminal is not None else None
    child = _start(argv)
    previous = _guard_signals(child)
    try:
        code = _wait(child, terminal, before)
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    if code < 0:
        _restore(terminal, before, _LEAVE_AND_PUT_CURSOR_BACK)
        print(f"\n{_stopped(_last(argv))}")  # noqa: T201
        return 128 - code
    if code != 0:
        _restore(terminal, before, _LEAVE)
    return code


def _terminal() -> int | None:
    """The descriptor to repair at the end; None without a terminal."""
    for fd in (0, 2, 1):
        if os.isatty(fd):
            return fd
    return None


def _start(argv: list[str]) -> subprocess.Popen[bytes]:
    prctl = ctypes.CDLL(None, use_errno=True).prctl if sys.platform == "linux" else None
    parent = os.getpid()

    def die_with_the_launcher() -> None:
        if prctl is not None:
            prctl(_PR_SET_PDEATHSIG, int(signal.SIGHUP), 0, 0, 0)
        if os.getppid() != parent:  # it died before the line above
            os.kill(os.getpid(), signal.SIGHUP)

    # -P: the working folder may be a stranger's manuscript, and without it what lies there is imported first.
    command = [sys.executable, "-P", "-m", "writer.tui", *argv]
    return subprocess.Popen(command, preexec_fn=die_with_the_launcher, env=_environment())


def _environment() -> dict[str, str]:
    """Ours, plus this package if it is a checkout. An exported size is left out: it would never change."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    search = [] if os.path.basename(root) in ("site-packages", "dist-packages") else [root]
    search += filter(None, [os.environ.get("PYTHONPATH", "")])
    environ = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    return environ | ({"PYTHONPATH": os.pathsep.join(search)} if search else {})


def _guard_signals(child: subprocess.Popen[bytes]) -> dict[int, Any]:
    """The terminal's signals are the app's business; those sent to us alone are passed on.

    Handlers instead of SIG_IGN: an ignored signal would stay ignored in the child.
    """

    def leave(number: int, frame: FrameType | None) -> None:
        return

    def pass_on(number: int, frame: FrameType | None) -> None:
        _signal(child, number)

    handlers = {signal.SIGINT: leave, signal.SIGQUIT: leave, signal.SIGTSTP: leave}
    passed = {signal.SIGTERM: pass_on, signal.SIGHUP: pass_on}
    return {number: signal.signal(number, handler) for number, handler in (handlers | passed).items()}


def _wait(child: subprocess.Popen[bytes], terminal: int | None, before: list[Any] | None) -> int:
    """The child's return code as subprocess gives it. When the app is suspended we stop with it, then wake it."""
    while True:
        _, status = os.waitpid(child.pid, os.WUNTRACED)
        if os.WIFSTOPPED(status):
            _restore(terminal, before, _LEAVE)
            os.kill(os.getpid(), signal.SIGSTOP)
            _signal(child, signal.SIGCONT)
            continue
        child.returncode = os.waitstatus_to_exitcode(status)
        return child.returncode


def _signal(child: subprocess.Popen[bytes], number: int) -> None:
    """Popen.send_signal would reap the child behind the back of `_wait`."""
    if child.returncode is None:
        os.kill(child.pid, number)


def _restore(terminal: int | None, before: list[Any] | None, leave: str) -> None:
    if terminal is None or before is None:
        return
    # From a background group both calls would stop us.
    ignored = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    try:
        os.write(terminal, (_RESET % leave).encode("ascii"))
        termios.tcsetattr(terminal, termios.TCSAFLUSH, before)
    except (OSError, termios.error):
        pass  # the terminal itself has gone
    finally:
        signal.signal(signal.SIGTTOU, ignored)


def _stopped(folder: str) -> str:
    """The one sentence said here. If writer itself is not whole any more, it is said in English."""
    try:
        from writer.language import say
    except ImportError:
        return f"writer was stopped. Your text is saved; start it again with: writer {folder}"
    return say("writer was stopped. Your text is saved; start it again with: writer {folder}", folder=folder)


def _last(argv: list[str]) -> str:
    """The folder among the arguments, safe to show."""
    return "".join(c if c.isprintable() else "?" for c in argv[-1]) if argv else "DIR"
