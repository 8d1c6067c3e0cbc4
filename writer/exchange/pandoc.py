"""The door to pandoc: where it is, and one run of it, fenced in.

A run gets no network and no file but those in its own folder (`--sandbox`), no environment, and so much memory and
processor time. What it says of the text goes to the log's detail, never to the screen.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from writer import installation
from writer.errors import ExchangeError
from writer.language import say

SECONDS, MEMORY = 300, 3 * 1024 * 1024 * 1024  # of processor time, bytes; for one run
READS = "commonmark+footnotes+pipe_tables+strikeout+implicit_figures+east_asian_line_breaks"
"""The Markdown of chapters. Typographic marks stay as they were typed."""
DATA = Path(__file__).parent / "data"
_OUT = 256 * 1024 * 1024  # bytes of a file it writes

# With these limits set in a process of its own: between fork and exec of ours no Python may run beside threads.
_CHILD = """
import os, resource, sys
seconds, size = int(sys.argv[1]), int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
os.execv(sys.argv[3], sys.argv[3:])
"""


def run(folder: Path, arguments: Sequence[str], *, reading: str = "") -> None:
    """One conversion inside of `folder`. `reading` names a stranger's file, for the sentence.

    Raises ExchangeError.
    """
    limits = [str(SECONDS), str(_OUT)]
    command = [sys.executable, "-I", "-S", "-c", _CHILD, *limits, _program()]
    command += ["+RTS", f"-M{MEMORY // 1024**2}m", "-RTS", "--sandbox", *arguments]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=SECONDS * 2,
            env={"PATH": os.defpath, "LANG": "C.UTF-8", "HOME": str(folder)},
            check=False,
        )
    except subprocess.TimeoutExpired:
        done = None
    except OSError as error:
        raise ExchangeError(
            say("pandoc cannot be started ({why}). Try again.", why=error.strerror), detail=repr(error)
        ) from error
    if done is None or done.returncode:
        raise ExchangeError(_sentence(done, reading), detail="" if done is None else _said(done))


def release() -> str:
    """The version of the pandoc that is here, such as "3.7"; it is run for it. Raises ExchangeError."""
    try:
        done = subprocess.run(
            [_program(), "--version"], capture_output=True, text=True, errors="replace", timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ExchangeError(say("pandoc cannot be started. Try again."), detail=repr(error)) from error
    if done.returncode or not done.stdout.startswith("pandoc"):
        sentence = say('pandoc is here, but does not run on this machine. Run "{command}".', command=_anew())
        raise ExchangeError(sentence, detail=f"pandoc ended with {done.returncode}: {done.stderr[-500:]}")
    return done.stdout.split()[1]


def _sentence(done: subprocess.CompletedProcess[bytes] | None, reading: str) -> str:
    """Why it ended. A signal is a limit of ours; 251 is its own for no more memory."""
    too_much = done is None or done.returncode < 0 or done.returncode == 251
    if reading:
        why = (
            say("needs too much time or memory to be read")
            if too_much
            else say("cannot be read: it is damaged, or not what its name says")
        )
        return say(
            "{reading} {why}. Save it again in the program it comes from, then import that.",
            reading=reading,
            why=why,
        )
    if too_much:
        return say("The book is too large to be exported at once. Export some chapters at a time, with --chapters.")
    return say(
        "pandoc could not convert the book. Export it as Markdown (--to md), and see which chapter it trips over."
    )


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    return f"pandoc ended with {done.returncode}: {done.stderr[-2000:].decode('utf-8', 'replace')}"


def _anew() -> str:
    return installation.pip("install", "--force-reinstall", "pypandoc-binary")


@cache
def _program() -> str:
    try:
        import pypandoc
    except ImportError:
        raise ExchangeError(
            say(
                "This needs pandoc, which is not installed here. Get it with `{command}`, then try again.",
                command=installation.pip("install", "pypandoc-binary"),
            )
        ) from None
    bundled = Path(pypandoc.__file__).parent / "files" / "pandoc"
    try:
        return str(bundled) if os.access(bundled, os.X_OK) else str(pypandoc.get_pandoc_path())
    except OSError:
        raise ExchangeError(
            say("pandoc is not here. Get it with `{command}`, then try again.", command=_anew())
        ) from None
