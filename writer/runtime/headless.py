"""Writing without a screen: keeps the chapter's text in step with the batches, and saves it as the app would."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from writer.generation.model import Sampling
from writer.manuscript.edits import applied, carried, moved
from writer.runtime.desk import Desk
from writer.runtime.drafting import Outcome
from writer.runtime.events import (
    BatchCommitted,
    ChapterMerged,
    Event,
    GenerationStarted,
    LeaveAsked,
    Offer,
    SaveRefused,
)
from writer.runtime.orders import DraftOrder, ResumeOrder, SaveOrder, Span


@dataclass(slots=True)
class _Page:
    """A chapter's text around the place where the generation writes."""

    chapter: str
    before: str
    after: str
    generation: str = ""
    start: int = 0
    covered: int = 0
    new: list[str] = field(default_factory=list)
    merged: int = 0

    def order(self, serial: int) -> SaveOrder:
        written = "".join(self.new)
        end = len(self.before) + len(written)
        span = Span(self.generation, self.start, end, self.covered)
        return SaveOrder(self.chapter, self.before + written + self.after, serial, (span,), self.merged)

    def take_over(self, event: ChapterMerged) -> None:
        """Other programs' changes; they do not end what is being written."""
        written = self.before + "".join(self.new)
        edits = carried(event.changes, event.base, written + self.after) if event.onto == self.merged else None
        if edits is None:
            return  # it is told again
        text, end = applied(written + self.after, edits), moved(len(written), edits)
        self.start = min(moved(self.start, edits, pushed=self.start < len(written)), end)
        self.before, self.new, self.after, self.merged = text[:end], [], text[end:], event.number


class Headless:
    """A front end that shows nothing itself: events go on to `show` once they are noted here."""

    def __init__(self, show: Callable[[Event], None], *, autosave: float) -> None:
        self._show = show
        self._autosave = autosave
        self._page: _Page | None = None
        self._saved_at = time.monotonic()
        self._saving: asyncio.Task[bool] | None = None
        self._desk: Desk | None = None
        self.refused: list[str] = []
        """What the author must know of the chapter's saves, each sentence once."""

    def __call__(self, event: Event) -> None:
        """To be given to the desk as its `notify`."""
        page = self._page
        if isinstance(event, SaveRefused | ChapterMerged) and event.sentence not in self.refused:
            self.refused.append(event.sentence)
        if isinstance(event, LeaveAsked) and self._desk is not None:
            self._desk.pause()
        if page is not None and isinstance(event, GenerationStarted):
            self._started(page, event)
        elif page is not None and isinstance(event, BatchCommitted):
            page.new.append(event.text)
            page.covered += len(event.text)
        elif page is not None and isinstance(event, ChapterMerged):
            page.take_over(event)
        self._show(event)
        self._save_sometimes()

    async def draft(self, desk: Desk, chapter: str, instruction: str, sampling: Sampling | None = None) -> Outcome:
        """Writes on at the end of the chapter, saves it, and says how it ended."""
        self._desk = desk
        text = (await desk.chapters.read(chapter)).text
        self._page = _Page(chapter, text, "")
        outcome = await desk.draft(DraftOrder(chapter, text, instruction), sampling)
        await self._finish()
        return outcome

    async def resume(self, desk: Desk, offer: Offer) -> Outcome:
        """Goes on with what was interrupted."""
        self._desk = desk
        text = (await desk.chapters.read(offer.chapter)).text
        self._page = _Page(offer.chapter, text[: offer.end], text[offer.end :])
        outcome = await desk.resume(ResumeOrder(offer.generation, offer.chapter, text, offer.start, offer.end))
        await self._finish()
        return outcome

    def _started(self, page: _Page, event: GenerationStarted) -> None:
        if page.generation == event.generation:
            return  # a further segment of the same text
        if not page.generation and event.end == len(page.before) + len(page.after):
            page.before, page.after = page.before + page.after, ""
        page.generation, page.start, page.covered = event.generation, event.start, event.end - event.start

    def _save_sometimes(self) -> None:
        due = time.monotonic() - self._saved_at >= self._autosave
        busy = self._saving is not None and not self._saving.done()
        if due and not busy and self._desk is not None and self._page is not None and self._page.generation:
            self._saved_at = time.monotonic()
            self._saving = asyncio.ensure_future(self._desk.save(self._page.order(1)))

    async def _finish(self) -> None:
        if self._saving is not None:
            await self._saving
        if self._desk is not None and self._page is not None and self._page.generation:
            await self._desk.save(self._page.order(2))
