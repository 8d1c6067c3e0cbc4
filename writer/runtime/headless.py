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
    AsideBegun,
    BatchCommitted,
    ChapterMerged,
    Event,
    GenerationStarted,
    LeaveAsked,
    Offer,
    SaveRefused,
)
from writer.runtime.orders import AsideOrder, DraftOrder, ResumeOrder, SaveOrder, Span


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
    saved_at: float = field(default_factory=time.monotonic)
    saving: asyncio.Task[bool] | None = None

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
    """A front end that shows nothing itself: events go on to `show` once noted here. Any number of chapters."""

    def __init__(self, show: Callable[[Event], None], *, autosave: float) -> None:
        self._show = show
        self._autosave = autosave
        self._pages: dict[str, _Page] = {}  # by chapter
        self._asides: set[str] = set()
        self.desk: Desk | None = None
        """Where it orders; known at the first order at the latest."""
        self.stopping = False
        """Whether all is to be paused, and nothing more to be begun."""
        self.refused: list[str] = []
        """What the author must know of the chapters' saves, each sentence once."""

    def stop(self) -> None:
        """Pauses all that is being written, and lets nothing more begin."""
        self.stopping = True
        if self.desk is not None:
            self.desk.pause()

    def __call__(self, event: Event) -> None:
        """To be given to the desk as its `notify`."""
        if isinstance(event, SaveRefused | ChapterMerged) and event.sentence not in self.refused:
            self.refused.append(event.sentence)
        if isinstance(event, LeaveAsked):
            self.stop()
        elif isinstance(event, AsideBegun):
            self._asides.add(event.generation)
        elif isinstance(event, GenerationStarted) and (page := self._pages.get(event.chapter)):
            if event.generation not in self._asides:
                _started(page, event)
        elif isinstance(event, BatchCommitted) and (writing := self._writing(event.generation)):
            writing.new.append(event.text)
            writing.covered += len(event.text)
        elif isinstance(event, ChapterMerged) and (page := self._pages.get(event.chapter)):
            page.take_over(event)
        self._show(event)
        self._save_sometimes()

    async def draft(self, desk: Desk, chapter: str, instruction: str, sampling: Sampling | None = None) -> Outcome:
        """Writes on at the end of the chapter, saves it, and says how it ended."""
        self.desk = desk
        text = (await desk.chapters.read(chapter)).text
        self._pages[chapter] = page = _Page(chapter, text, "")
        outcome = await desk.draft(DraftOrder(chapter, text, instruction), sampling)
        await self._finish(desk, page)
        return outcome

    async def resume(self, desk: Desk, offer: Offer) -> Outcome:
        """Goes on with what was interrupted."""
        self.desk = desk
        if offer.role != "text":
            return await desk.go_on(offer.generation)
        text = (await desk.chapters.read(offer.chapter)).text
        self._pages[offer.chapter] = page = _Page(offer.chapter, text[: offer.end], text[offer.end :])
        outcome = await desk.resume(ResumeOrder(offer.generation, offer.chapter, text, offer.start, offer.end))
        await self._finish(desk, page)
        return outcome

    async def takes(self, desk: Desk, order: AsideOrder) -> tuple[Outcome, ...]:
        """Writes beside the chapter."""
        self.desk = desk
        return await desk.aside(order)

    def _writing(self, generation: str) -> _Page | None:
        return next((page for page in self._pages.values() if page.generation == generation), None)

    def _save_sometimes(self) -> None:
        now = time.monotonic()
        for page in self._pages.values():
            busy = page.saving is not None and not page.saving.done()
            if now - page.saved_at >= self._autosave and not busy and self.desk is not None and page.generation:
                page.saved_at = now
                page.saving = asyncio.ensure_future(self.desk.save(page.order(1)))

    async def _finish(self, desk: Desk, page: _Page) -> None:
        if page.saving is not None:
            await page.saving
        if page.generation:
            await desk.save(page.order(2))
        del self._pages[page.chapter]


def _started(page: _Page, event: GenerationStarted) -> None:
    if page.generation == event.generation:
        return  # a further segment of the same text
    if not page.generation and event.end == len(page.before) + len(page.after):
        page.before, page.after = page.before + page.after, ""
    page.generation, page.start, page.covered = event.generation, event.start, event.end - event.start
