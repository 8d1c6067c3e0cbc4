"""Copying out of the app: by the terminal (OSC 52), and by a private file, because not every terminal takes part."""

from __future__ import annotations

import os
from pathlib import Path

from textual.app import App

from writer import locations
from writer.errors import WriterError
from writer.language import say, together

TERMINAL_LIMIT = 74_994
"""Bytes of text above which many terminals ignore OSC 52 (100,000 once it is encoded)."""


def copy(app: App[object], text: str) -> str:
    """Hand the text to the terminal and write the file. A sentence for the author if the terminal may refuse it."""
    data = text.encode("utf-8", "replace")
    app.copy_to_clipboard(data.decode("utf-8"))
    if len(data) <= TERMINAL_LIMIT:
        return ""
    large = say("{count:,} characters copied for this window. Your terminal may refuse that much.", count=len(text))
    path = _write(data)
    return together(large, say("They are in {path} too.", path=path)) if path else large


def _write(data: bytes) -> Path | None:
    try:
        path = locations.runtime_dir() / "clipboard.txt"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with open(handle, "wb") as file:
            file.write(data)
    except (OSError, WriterError):  # a copy that only this window knows is still a copy
        return None
    return path
