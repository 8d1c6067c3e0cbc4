"""The app as a window that only reads. It follows what the other window saves, and changes nothing."""

from __future__ import annotations

from textual import events
from textual.driver import Driver

from writer.config import EditorSettings
from writer.language import say
from writer.manuscript.model import Manuscript
from writer.runtime.ports import Desk
from writer.tui.app import WriterApp
from writer.tui.screens.manuscript import ManuscriptScreen

_WRITES = {"pause", "go_on", "draft", "pause_writing", "instruct", "save", "new_chapter", "replace"}


class ReadingScreen(ManuscriptScreen):
    """The manuscript, with editors that cannot be typed in."""

    only_reads = True

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action not in _WRITES and super().check_action(action, parameters)

    def on_key(self, event: events.Key) -> None:
        event.prevent_default()  # nothing is typed ahead

    def _parts(self) -> list[str]:
        if self.page is None or self.keeping.leaving:
            return [say("Only reading")]
        why = say("nothing can be written") if getattr(self.desk, "why", "") else say("another window writes")
        return [say("Only reading: {why}", why=why), self.page.editor.count]


class ReadingApp(WriterApp):
    """As WriterApp, over a ReadingDesk."""

    CSS_PATH = "../styles/app.tcss"

    def __init__(
        self,
        manuscript: Manuscript,
        desk: Desk,
        settings: EditorSettings | None = None,
        *,
        driver_class: type[Driver] | None = None,
    ) -> None:
        super().__init__(manuscript, desk, settings, driver_class=driver_class)
        self.main = ReadingScreen(manuscript, desk, settings or EditorSettings())
