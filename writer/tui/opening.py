"""Opening chapters: read in a thread, shown with the offer that waits in them, if any."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from textual.widgets import ContentSwitcher

from writer.errors import WriterError
from writer.language import say
from writer.tui.tuning import settle_memory
from writer.tui.unasked import Unasked
from writer.tui.widgets.outline import Outline
from writer.tui.working import work

if TYPE_CHECKING:
    from writer.manuscript.legacy import LegacyText
    from writer.manuscript.model import Chapter
    from writer.runtime.events import Offer
    from writer.tui.editor.widget import Editor
    from writer.tui.page import Page
    from writer.tui.screens.manuscript import ManuscriptScreen


class Opening:
    """The chapters of one screen, opened one after the other and then kept open."""

    def __init__(self, screen: ManuscriptScreen) -> None:
        self._screen = screen
        self._turn = asyncio.Lock()
        self.unasked = Unasked()

    def prepare(self) -> None:
        """Load the editor, behind the first paint."""
        work(self._screen, "load", asyncio.to_thread, _load)

    def begin(self, path: str) -> None:
        """`open`, without waiting for it."""
        work(self._screen, "open", self.open, path)

    def why_none(self) -> str:
        """What tells whoever wants to write that no chapter is there for it."""
        if self._turn.locked() or not self._screen.open_for_writing:
            return say("The chapter is still being opened. Press the key again in a moment.")
        return say("No chapter is open. Choose one in the list, or press Ctrl+N for a new one.")

    async def open(self, path: str) -> None:
        """Show this chapter. One that cannot be read is told, and the screen stays as it was."""
        async with self._turn:  # or two would open the same chapter twice
            await self._open(path)

    async def load(self, path: str) -> Page | None:
        """The chapter's page, read if need be, without showing it; None, and a sentence, if it cannot be read."""
        screen = self._screen
        async with self._turn:
            chapter = screen.named(path)
            return screen.pages.get(path) or (await self._read(chapter, None) if chapter else None)

    async def _open(self, path: str) -> None:
        screen = self._screen
        chapter = screen.named(path)
        if chapter is None:
            return  # a copy has taken its place meanwhile
        page = known = screen.pages.get(path)
        if known is None or known.legacy is not None:  # the author may have saved that as UTF-8 meanwhile
            page = await self._read(chapter, known)
        if page is None:
            return
        if screen.page is not None and screen.page is not page:
            screen.keeping.save(screen.page)
        screen.page = page
        screen.query_one("#pages", ContentSwitcher).current = page.editor.id
        screen.query_one(Outline).choose(path)
        page.editor.focus()
        if screen.typed_ahead and page.legacy is None:
            page.editor.type_in(screen.typed_ahead)
            screen.typed_ahead = ""
        screen.refresh_bindings()
        screen.show_state()
        screen.announcer.opened(page.chapter)
        if page.legacy is not None:
            if page is not known:
                shown = page.legacy
                screen.call_after_refresh(self.unasked.show, lambda: self._show_legacy(page, shown))
            return
        offer = screen.offers.pop(path, None)
        if offer is not None and not offer.truncated:  # what only reached its limit goes on by ctrl+g, unasked
            screen.call_after_refresh(self.unasked.show, lambda: self._show_offer(page, offer))

    async def _read(self, chapter: Chapter, before: Page | None) -> Page | None:
        """The chapter's page; the one `before` gives way to it, unless it still shows what the file holds."""
        screen = self._screen
        await asyncio.to_thread(_load)
        from writer.manuscript.chapter_file import ChapterFile
        from writer.manuscript.legacy import LegacyText, read
        from writer.tui.page import Page

        folder = screen.manuscript.folder
        file = ChapterFile(folder / chapter.path, root=folder if chapter.path in screen.texts else None)
        try:
            loaded = await asyncio.to_thread(read, file, before.legacy if before else None)
        except WriterError as error:
            screen.complain(error.sentence)
            return None
        if before is not None and before.legacy is loaded:
            return before
        if isinstance(loaded, LegacyText) and chapter.path in screen.texts:
            screen.complain(say("{name} is not UTF-8. Save it as UTF-8 in the program it comes from.", name=file.name))
            return None
        editor = before.editor if before else await self._new_editor()
        if isinstance(loaded, LegacyText):
            page = Page(chapter, editor, loaded.text, loaded)
        else:
            screen.desk.opened(chapter.path, loaded)
            screen.desk.origins(chapter.path, loaded.text)
            page = Page(chapter, editor, loaded.text)
            if chapter.number:  # a chapter is written on, a note is read first
                editor.go_to_end()
            if offer := screen.offers.get(chapter.path):
                page.offer(offer)
        editor.read_only = page.legacy is not None or screen.keeping.leaving or screen.only_reads
        screen.pages[chapter.path] = page
        if len(screen.pages) == 1:
            settle_memory()
        return page

    async def _new_editor(self) -> Editor:
        editor = self._screen.new_editor()
        await self._screen.query_one("#pages", ContentSwitcher).mount(editor)
        return editor

    def _show_offer(self, page: Page, offer: Offer) -> None:
        from writer.tui.screens.resume import ResumeCard

        screen = self._screen
        if screen.writings.of(page.chapter.path).busy:  # the first steps have gone on with it
            return
        page.editor.show_end()
        others = sum(not other.truncated for other in screen.offers.values())
        screen.desk.warm_up()
        card = ResumeCard(offer, page.chapter.title, time.time(), screen.engine, others)
        screen.app.push_screen(card, lambda answer: self._answered(page, answer))

    def _answered(self, page: Page, answer: str | None) -> None:
        from writer.tui.screens.resume import CONTINUE, DISCARD, KEEP

        page.editor.focus()
        if answer == CONTINUE:
            self._screen.resume(page)
        elif answer == KEEP:
            self._screen.keep(page)
        elif answer == DISCARD:
            page.editor.discard_generated()

    def _show_legacy(self, page: Page, shown: LegacyText) -> None:
        from writer.tui.screens.convert import ConvertCard

        card = ConvertCard(page.chapter.title, shown)
        self._screen.app.push_screen(card, lambda answer: self._chosen(page, answer))

    def _chosen(self, page: Page, answer: str | None) -> None:
        from writer.tui.screens.convert import COPY

        page.editor.focus()
        if answer == COPY:
            self.convert(page)

    def convert(self, page: Page | None = None) -> None:
        """Make a UTF-8 copy of that chapter, or of the one that is shown, and open it in its place."""
        if page := page or self._screen.page:
            work(self._screen, "convert", self._convert, page)

    async def _convert(self, page: Page) -> None:
        from writer.manuscript.conversion import convert_copy

        screen = self._screen
        async with self._turn:
            if page.legacy is None or screen.pages.get(page.chapter.path) is not page:
                return  # done already
            try:
                made = await asyncio.to_thread(convert_copy, screen.manuscript, page.chapter, page.legacy)
            except WriterError as error:
                screen.complain(error.sentence)
                return
            screen.manuscript, copy = made
            if copy.path not in screen.pages and await self._read(copy, page):
                del screen.pages[page.chapter.path]  # its editor shows the copy now
            await self._open(copy.path)


def _load() -> None:
    """What is needed to show a chapter, and not for the first paint. Imported in a thread."""
    import writer.manuscript.legacy
    import writer.tui.editor.widget
    import writer.tui.page
    import writer.tui.reception  # noqa: F401
