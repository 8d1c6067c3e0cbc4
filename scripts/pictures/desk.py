"""What stands behind the app in a picture: no engine and no disk. It says what a scene tells it to say."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

from writer.engine.base import EngineStatus
from writer.manuscript.model import ChapterText
from writer.runtime.events import BatchCommitted, ChapterSaved, DeskOpened, Event, GenerationStarted, Offer
from writer.runtime.orders import DraftOrder, ResumeOrder, SaveOrder

GENERATION = "picture"


class PaintedDesk:
    """Implements writer.runtime.ports.Desk. Every draft is answered with the same text."""

    def __init__(self, generated: str = "", *offers: Offer) -> None:
        self._generated, self._offers = generated, offers
        self._notify: Callable[[Event], None] = lambda event: None

    def start(self, notify: Callable[[Event], None]) -> None:
        self._notify = notify
        notify(DeskOpened(self._offers, EngineStatus(state="ready", model="picture")))

    def draft(self, order: DraftOrder) -> None:
        at = len(order.text)
        self._notify(GenerationStarted(GENERATION, order.chapter, 640, 0, 0, at, at, 0.06))
        self._notify(BatchCommitted(GENERATION, 0, (), self._generated, 0))

    def save(self, order: SaveOrder) -> None:
        self._notify(ChapterSaved(order.chapter, order.serial))

    def resume(self, order: ResumeOrder) -> None: ...

    def pause(self) -> None: ...

    def opened(self, chapter: str, loaded: ChapterText) -> None: ...

    def keep(self, generation: str) -> None: ...

    def discard(self, generation: str) -> None: ...

    def undiscard(self, generation: str) -> None: ...

    def warm_up(self) -> None: ...

    def close(self) -> Future[None]:
        done: Future[None] = Future()
        done.set_result(None)
        return done
