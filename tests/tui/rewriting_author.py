"""An author who rewrites a passage, on a desk that answers as the real one does."""

from __future__ import annotations

from desktop import Desktop
from textual.widgets import Static

from writer.runtime.events import (
    AsideBegun,
    BatchCommitted,
    GenerationFinished,
    GenerationStarted,
    PassageRewritten,
)
from writer.runtime.rewriting import RewriteRequest, Task, rewritten
from writer.tui.rewriting.card import RewriteCard
from writer.tui.rewriting.menu import RewriteMenu

TEXT = "# One\n\nIt rained. The ship came in, and nobody saw it. Then it was night."
START = TEXT.index("The ship")
END = TEXT.index(" Then")
PASSAGE = TEXT[START:END]
NEW = "The vessel came in, and nobody noticed."


class Author:
    """Works with the card, on a desk that answers as the real one does."""

    def __init__(self, desktop: Desktop) -> None:
        self.desktop, self.desk = desktop, desktop.desk

    @property
    def card(self) -> RewriteCard:
        screen = self.desktop.app.screen
        assert isinstance(screen, RewriteCard)
        return screen

    def said(self, where: str) -> str:
        return str(self.card.query_one(where, Static).visual)

    async def shorten(self) -> None:
        self.desktop.page.editor.move_to(START + 3)
        await self.desktop.press("f12")
        await self.desktop.until(lambda: isinstance(self.desktop.app.screen, RewriteMenu))
        await self.desktop.press("s")
        await self.desktop.until(lambda: self.desk.given(RewriteRequest))
        await self.desktop.pilot.pause()

    def begin(self, generation: str = "r1") -> None:
        request = self.desk.given(RewriteRequest)[-1]
        self.desk.report(AsideBegun(request.tag, generation, request.chapter, request.role, 1, 1))
        self.desk.report(GenerationStarted(generation, request.chapter, 7, 0, 0, 0, 0, 0.1))

    async def answer(self, text: str = NEW, generation: str = "r1") -> None:
        request = self.desk.given(RewriteRequest)[-1]
        self.begin(generation)
        self.desk.report(BatchCommitted(generation, 0, (1,), text, 1))
        self.desk.report(GenerationFinished(generation, 1, "stop"))
        await self.desktop.until(lambda: f"rewritten {generation}" in self.desk.orders)
        place = request.text, request.start, request.end
        found = rewritten(generation, request.chapter, place, Task(request.kind, request.wish), text, complete=True)
        self.desk.report(PassageRewritten(found))
        await self.desktop.until(lambda: "taken" in self.said(".title"))
