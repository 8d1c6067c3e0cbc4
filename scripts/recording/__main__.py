"""`scripts/record [SESSION]`: a session with the real engine, into assets/recorded/. `--play` shows one."""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import sys
import tempfile
import time
from pathlib import Path

from pictures.png import Missing, write

from recording import chinese, session
from recording.cast import Cast, events, rows
from recording.session import CHAPTER, PROMPT
from recording.still import png
from recording.terminal import COLUMNS, ROWS, NotShown, Terminal
from writer import locations

ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "assets" / "recorded"
SESSIONS = {"words": session, "chinese": chinese}
"""What can be recorded; each becomes NAME.cast."""


def main(arguments: list[str]) -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(prog="scripts/record", description="Records a session with the real engine.")
    parser.add_argument("session", nargs="?", choices=SESSIONS, default="words", help="which one; else: words")
    parser.add_argument("--play", action="store_true", help="show the session that was recorded")
    parser.add_argument("--to", type=Path, default=ASSETS, metavar="FOLDER", help="record into that folder")
    options = parser.parse_args(arguments)
    if options.play:
        return show(options.to / f"{options.session}.cast")
    home = Path(tempfile.mkdtemp(prefix="w-"))
    try:
        record(options.session, home, options.to)
    except (NotShown, Missing) as problem:
        sys.stderr.write(f"{problem}\n")
        return 1
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return 0


def record(name: str, home: Path, folder: Path) -> None:
    """Cast and pictures into `folder`. `home` is the home of the session, and is empty. Raises NotShown, Missing."""
    folder.mkdir(parents=True, exist_ok=True)
    environ = surroundings(home)
    shutil.copy(ROOT / "assets" / "demo" / "chapter-1.md", home / CHAPTER)
    for file, text in SESSIONS[name].FILES.items():
        (home / file).write_text(text, encoding="utf-8")
    cast = Cast(COLUMNS, ROWS, "writer")
    terminal = Terminal(["/bin/bash", "--norc", "--noprofile"], home, environ, cast)
    try:
        SESSIONS[name].play(terminal, lambda still: write(folder / f"{still}.png", png(rows(terminal.screen))))
    finally:
        terminal.close()
        stop_engine(environ)
    text = cast.text()
    if traces := [each for each in telling(home) if each in text]:
        raise NotShown(f"The recording would tell of this machine: {', '.join(traces)}. Nothing was written.")
    write(folder / f"{name}.cast", text.encode())


def surroundings(home: Path) -> dict[str, str]:
    """The environment of the session: a home of its own, and the prepared model of the user's."""
    for name in ("config", "state", "run"):
        (home / f".{name}").mkdir(mode=0o700)
    kept = {
        name: os.environ[name]
        for name in ("WRITER_ENGINE", "WRITER_SCRIPT", "WRITER_KEEP_WARM", "LANG")
        if name in os.environ
    }
    return kept | {
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "PS1": PROMPT,
        "WRITER_NO_WELCOME": "1",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "TEXTUAL_ANIMATIONS": "none",
        "WRITER_MOTION": "full",
        "HISTFILE": "",
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_STATE_HOME": str(home / ".state"),
        "XDG_RUNTIME_DIR": str(home / ".run"),
        "XDG_DATA_HOME": str(locations.data_dir().parent),
        "XDG_CACHE_HOME": str(locations.cache_dir().parent),
    }


def stop_engine(environ: dict[str, str]) -> None:
    """The session leaves no engine behind."""
    os.environ |= {name: environ[name] for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
    from writer.cli.main import run_command_line

    run_command_line(["engine", "stop"])


def telling(home: Path) -> list[str]:
    """What must not stand in a recording."""
    return [str(home), str(Path.home()), str(ROOT), socket.gethostname()]


def show(path: Path) -> int:
    """Play a cast on this terminal, at its own speed. Ctrl-C ends it."""
    before = 0.0
    try:
        for at, shown in events(path)[1]:
            time.sleep(at - before)
            sys.stdout.write(shown)
            sys.stdout.flush()
            before = at
    except KeyboardInterrupt:
        pass
    sys.stdout.write(f"\x1b[0m\x1b[?25h\x1b[{ROWS};1H\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
