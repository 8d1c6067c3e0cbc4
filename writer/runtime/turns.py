"""Where the last request stood in each chapter's text, kept over restarts in a small file of the state folder.

A hint and no more: without it the next prompt is as good, and only finds less of itself in the engine's prefix cache.
So nothing is told if it cannot be read or written, and no power cut is feared.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from writer.generation.window import Turn
from writer.manuscript.arrangement import Carried

FILE = "turns.json"
_MOST = 1_000_000  # bytes


class Turns:
    """The turns of one manuscript."""

    def __init__(self, state_dir: Path) -> None:
        self._file = state_dir / FILE
        self._turns: dict[str, Turn] | None = None

    def of(self, chapter: str) -> Turn | None:
        """The last turn in that chapter."""
        return self._known().get(chapter)

    def keep(self, chapter: str, turn: Turn) -> None:
        """Remembers it, for the next start too."""
        if self.of(chapter) == turn:
            return
        self._known()[chapter] = turn
        with suppress(OSError):
            self._write()

    def carry(self, carried: Sequence[Carried]) -> None:
        """Chapters have other paths now; again, it changes nothing more.

        Places need no moving: a turn holds only while the text before it is the same, and where a heading in front of
        it is another one, so is the prompt in front of all the text. What was joined to another chapter has no turn.
        """
        known = self._known()
        kept = {each.old for each in carried if each.old == each.new}
        paths = {each.old: each.new for each in carried if each.beyond < 0 and each.old != each.new}
        turns = {old: known.pop(old) for old in paths if old in known}
        known |= {paths[old]: turn for old, turn in turns.items() if paths[old] not in kept}
        if turns:
            with suppress(OSError):
                self._write()

    def _known(self) -> dict[str, Turn]:
        if self._turns is None:
            self._turns = self._read()
        return self._turns

    def _read(self) -> dict[str, Turn]:
        try:
            with self._file.open("rb") as file:
                table = json.loads(file.read(_MOST))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(table, dict):
            return {}
        return {chapter: turn for chapter, entry in table.items() if (turn := _turn(entry))}

    def _write(self) -> None:
        table = {chapter: [turn.at, turn.before, turn.asked, turn.scene] for chapter, turn in self._known().items()}
        temporary = self._file.with_suffix(".new")
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with open(fd, "w", encoding="utf-8") as file:
            json.dump(table, file)
        os.replace(temporary, self._file)


def _turn(entry: Any) -> Turn | None:
    if not isinstance(entry, list) or list(map(type, entry)) != [int, str, str, int] or entry[0] < 0:
        return None
    return Turn(*entry)
