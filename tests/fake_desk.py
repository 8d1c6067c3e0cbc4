"""A desk without engine and store: it notes orders, and reports what a test tells it to."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from writer.config import Settings
from writer.engine.base import EngineStatus
from writer.manuscript.model import Chapter, ChapterText
from writer.runtime.alternatives_found import WordAsked
from writer.runtime.events import (
    BatchCommitted,
    ChapterSaved,
    DeskOpened,
    Event,
    GenerationFinished,
    GenerationPaused,
    GenerationStarted,
    Offer,
    SaveRefused,
)
from writer.runtime.orders import ArrangeOrder, AsideOrder, DraftOrder, ResumeOrder, SaveOrder
from writer.runtime.rewriting import RewriteRequest

T = TypeVar("T")
Order = DraftOrder | AsideOrder | WordAsked | RewriteRequest | ResumeOrder | SaveOrder | Settings | str


class FakeDesk:
    """Implements writer.runtime.ports.Desk. Reports come from a thread of its own, in order, as from the real one."""

    def __init__(self, *offers: Offer, engine: EngineStatus | None = None) -> None:
        self.offers = offers
        self.engine = engine or EngineStatus(state="ready", model="fake")
        self.orders: list[Order] = []
        self.plans: list[DraftOrder] = []
        """What was asked to be planned only."""
        self.traced: list[tuple[str, str]] = []
        """Texts, by chapter, of which was asked who wrote what."""
        self.reported: list[Event] = []
        self.saves = True
        self.refusal = ""
        self.writing = ""
        self.tokens = 0
        self._notify: Callable[[Event], None] = lambda event: None

    # The protocol ---------------------------------------------------------------------------------------------

    def start(self, notify: Callable[[Event], None]) -> None:
        self._notify = notify
        self.report(DeskOpened(self.offers, self.engine))

    def draft(self, order: DraftOrder) -> None:
        self.orders.append(order)

    def resume(self, order: ResumeOrder) -> None:
        self.orders.append(order)

    def aside(self, order: AsideOrder) -> None:
        self.orders.append(order)

    def rewrite(self, request: RewriteRequest) -> None:
        self.orders.append(request)

    def rewritten(self, generation: str, text: str) -> None:
        self.orders.append(f"rewritten {generation}")

    def recall(self, generation: str, text: str) -> None:
        self.orders.append(f"recall {generation}")

    def origins(self, chapter: str, text: str) -> None:
        self.traced.append((chapter, text))

    def who(self, generation: str) -> None:
        self.orders.append(f"who {generation}")

    def thought(self, chapter: str, generation: str = "") -> None:
        self.orders.append(f"thought {chapter} {generation}".strip())

    def alternatives(self, order: WordAsked) -> None:
        self.orders.append(order)

    def summarise(self, chapter: Chapter) -> None:
        self.orders.append(f"summarise {chapter.path}")

    def go_on(self, generation: str) -> None:
        self.orders.append(f"go on {generation}")

    def choose(self, generation: str) -> None:
        self.orders.append(f"choose {generation}")

    def unchoose(self, generation: str) -> None:
        self.orders.append(f"unchoose {generation}")

    def keep_all(self, chapter: str) -> None:
        self.orders.append(f"keep all {chapter}")

    def free_gpu(self) -> None:
        self.orders.append("free the GPU")

    def takes(self, chapter: str) -> None:
        self.orders.append(f"takes {chapter}")

    def pause(self, generation: str = "", chapter: str = "") -> None:
        self.orders.append(f"pause {generation}{chapter}".strip())
        if self.writing and generation in ("", self.writing):
            generation, self.writing = self.writing, ""
            self.report(GenerationPaused(generation, self.tokens))

    def plan(self, order: DraftOrder) -> None:
        self.plans.append(order)

    def settings(self, settings: Settings) -> None:
        self.orders.append(settings)

    def arrange(self, order: ArrangeOrder) -> None:
        self.orders.append(order)

    def opened(self, chapter: str, loaded: ChapterText) -> None:
        self.orders.append(f"opened {chapter}")

    def save(self, order: SaveOrder) -> None:
        self.orders.append(order)
        if self.refusal:
            self.report(SaveRefused(order.chapter, order.serial, self.refusal))
        elif self.saves:
            self.report(ChapterSaved(order.chapter, order.serial))

    def look(self) -> None:
        self.orders.append("look")

    def keep(self, generation: str) -> None:
        self.orders.append(f"keep {generation}")

    def discard(self, generation: str, text: str, place: tuple[int, int]) -> None:
        self.orders.append(f"discard {generation}")

    def undiscard(self, generation: str) -> None:
        self.orders.append(f"undiscard {generation}")

    def warm_up(self) -> None:
        self.orders.append("warm_up")

    def close(self) -> Future[None]:
        self.orders.append("close")
        done: Future[None] = Future()
        done.set_result(None)
        return done

    # What a test does -----------------------------------------------------------------------------------------

    def report(self, event: Event) -> None:
        """Report this from another thread, after what was reported before."""
        self.reported.append(event)
        thread = threading.Thread(target=self._notify, args=(event,))
        thread.start()
        thread.join()

    def begin(self, generation: str = "g1", resumed_from: int = 0, start: int | None = None, cached: int = 0) -> None:
        """The newest order has begun. A draft begins at the end of the text that it came with."""
        order = next(o for o in reversed(self.orders) if isinstance(o, DraftOrder | ResumeOrder))
        if isinstance(order, ResumeOrder):
            generation, start, end = order.generation, order.start, order.end
        else:
            start = len(order.text) if start is None else start
            end = start
        self.writing, self.tokens = generation, resumed_from
        prompt = 7 + resumed_from
        self.report(GenerationStarted(generation, order.chapter, prompt, cached, resumed_from, start, end, 0.06))

    def batch(self, ordinal: int, text: str, thought: str = "") -> None:
        """A batch of the running generation is on disk."""
        self.tokens += 1
        thinking = bool(thought)
        self.report(BatchCommitted(self.writing, ordinal, (ordinal,), text, self.tokens, thinking, thought))

    def finish(self, reason: str = "stop") -> None:
        """The running generation has ended."""
        generation, self.writing = self.writing, ""
        self.report(GenerationFinished(generation, self.tokens, reason))

    def given(self, kind: type[T]) -> list[T]:
        """The orders of this kind, oldest first."""
        return [order for order in self.orders if isinstance(order, kind)]
