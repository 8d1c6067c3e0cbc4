"""The full app in a terminal, with a server that misbehaves: what the author sees of it, and no traceback."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from app_terminal import App
from conditions import wait_until

ENGINE_KEY = "\x07"  # ctrl+g: write on
_BUSY = ("Writing chapter", "is next", "stopped and is started", "Pausing")


def wrong_on_screen(folder: Path, environ: Mapping[str, str], words: str, chapter: Path | None) -> list[str]:
    """Starts the app, lets it write, waits for what must come of it, and leaves.

    That is `words` on the screen (as in a case of answer_faults), and, if the text can be written to its end, a
    `chapter` that has it and a status line at rest.
    """
    app = App(folder, dict(environ))
    wrong = []
    try:
        app.shows("saved")
        before = chapter.stat().st_size if chapter else 0
        app.press(ENGINE_KEY)
        wait_until(lambda: _told(app, words), 40, what=f"the words {words!r}")
        if chapter:
            wait_until(lambda: chapter.stat().st_size > before + 200 and _rests(app), 40, what="a whole chapter")
        app.quit()
    except AssertionError as error:
        wrong = [f"the app: {error}: {' / '.join(line.strip() for line in app.screen() if line.strip())[-600:]}"]
    finally:
        app.close()
    if re.search(rb"Traceback|fault of its own|went wrong inside", app.seen):
        wrong.append("the app shows a traceback or a fault of its own")
    return wrong


def _told(app: App, words: str) -> bool:
    """Whether each longer word is on the screen; a message is wrapped, so no line need hold it whole."""
    screen = "\n".join(app.screen())
    return all(word in screen for word in re.findall(r"[a-z]{4,}", words))


def _rests(app: App) -> bool:
    screen = "\n".join(app.screen())
    return "saved" in screen and not any(word in screen for word in _BUSY)
