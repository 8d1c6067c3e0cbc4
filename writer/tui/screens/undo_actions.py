"""What undo and redo mean for the record of generated text: what is taken out of a chapter stands beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.screen import Screen

if TYPE_CHECKING:
    from writer.tui.editor.widget import Editor
    from writer.tui.page import Page
    from writer.tui.screens.manuscript import ManuscriptScreen


class UndoActions(Screen[None]):
    """The part of the main screen that hears of it from the editors."""

    pages: dict[str, Page]

    @property
    def _main(self) -> ManuscriptScreen:
        """The main screen, of which this is a part."""
        return cast("ManuscriptScreen", self)

    def on_editor_generation_removed(self, event: Editor.GenerationRemoved) -> None:
        """Its text has gone out of the chapter: it is a take."""
        if (page := self._page_of(event.editor)) is None:
            return
        could_go_on = page.resumable == event.generation or page.taken_out.get(event.generation, False)
        page.taken_out[event.generation] = could_go_on
        if page.resumable == event.generation:
            page.resumable = ""
        self._main.desk.discard(event.generation, page.editor.text, event.place)
        self._save(page)

    def on_editor_generation_restored(self, event: Editor.GenerationRestored) -> None:
        """Its text is in the chapter again."""
        if (page := self._page_of(event.editor)) is None:
            return
        if event.generation in page.taken_out:
            if page.taken_out.pop(event.generation):
                page.resumable = event.generation
            self._main.desk.undiscard(event.generation)
        if event.generation in page.retried:  # the other one is not wanted any more
            page.retried.discard(event.generation)
            self._main.pause(self._main.writings.of(page.chapter.path))
        self._save(page)

    def on_editor_choice_turned(self, event: Editor.ChoiceTurned) -> None:
        """A take, or a rewriting, went out of the chapter again, or came back. The file has it first."""
        if (page := self._page_of(event.editor)) is None:
            return
        now = event.other if event.removed else event.generation
        page.onward = now, page.put_in.get(now, "")
        self._save(page)
        if gone := event.generation if event.removed else event.other:
            self._main.desk.unchoose(gone)
        if now:
            self._main.desk.choose(now)
        self._main.put_turned(now)

    def _save(self, page: Page) -> None:
        self._main.keeping.save(page)
        self._main.refresh_bindings()

    def _page_of(self, editor: Editor) -> Page | None:
        return next((page for page in self.pages.values() if page.editor is editor), None)
