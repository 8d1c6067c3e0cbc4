"""The chapter list. Shows; opening a chapter is the screen's business."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from writer.language import say
from writer.text.sanitise import one_line
from writer.tui.calmed import calm_at

if TYPE_CHECKING:
    from writer.manuscript.model import Chapter

WRITING, PAUSED = "●", "‖"
STATUS_MARKS = {"idea": "?", "draft": "~", "revised": "+", "done": "✓"}
"""Behind a chapter's number. Told apart without colours."""
STATUS_NAMES = {"idea": say("idea"), "draft": say("draft"), "revised": say("revised"), "done": say("done")}
"""What the author reads for a status; writer.toml has the English word."""


class Outline(OptionList):
    """Chapters in reading order; what is being written and what can go on is marked."""

    class ChapterChosen(Message):
        """The author wants to see this chapter."""

        def __init__(self, path: str) -> None:
            super().__init__()
            self.path = path

    def __init__(self, chapters: Sequence[Chapter]) -> None:
        self._rows: list[tuple[str, str]] = []
        super().__init__(id="outline")
        self.show(chapters)

    def show(
        self,
        chapters: Sequence[Chapter],
        writing: Collection[str] = (),
        paused: Collection[str] = (),
        statuses: Mapping[str, str] | None = None,
    ) -> None:
        """List these chapters. `writing` and `paused` are paths; `statuses` are by path."""
        said = statuses or {}
        row = _words if self.is_attached and calm_at(self.app).reader else _row
        rows = [(each.path, row(each, writing, paused, said.get(each.path, ""))) for each in chapters]
        if rows == self._rows:
            return
        kept = self.highlighted
        self._rows = rows
        self.clear_options()
        self.add_options([Option(Content(row)) for _, row in rows])
        self.highlighted = min(kept, len(rows) - 1) if kept is not None and rows else None

    def choose(self, path: str) -> None:
        """Highlight this chapter."""
        paths = [row[0] for row in self._rows]
        self.highlighted = paths.index(path) if path in paths else None

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(self.ChapterChosen(self._rows[event.option_index][0]))


def _row(chapter: Chapter, writing: Collection[str], paused: Collection[str], status: str) -> str:
    mark = WRITING if chapter.path in writing else PAUSED if chapter.path in paused else " "
    number = " ".join(filter(None, (str(chapter.number), STATUS_MARKS.get(status, ""))))
    return f"{mark} {number} {one_line(chapter.title, 60)}"


def _words(chapter: Chapter, writing: Collection[str], paused: Collection[str], status: str) -> str:
    """The same without signs."""
    doing = say("being written") if chapter.path in writing else say("paused") if chapter.path in paused else ""
    return ", ".join(filter(None, (f"{chapter.number} {one_line(chapter.title, 60)}", status, doing)))
