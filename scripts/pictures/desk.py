"""What stands behind the app in a picture: no engine and no disk. It says what a scene tells it to say."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

from writer.engine.base import EngineStatus
from writer.runtime.events import BatchCommitted, ChapterSaved, DeskOpened, Event, GenerationStarted, Offer
from writer.runtime.orders import DraftOrder, SaveOrder

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

    def __getattr__(self, order: str) -> Callable[..., None]:
        """Whatever else is ordered is not done, and not in any picture."""
        if order.startswith("_"):
            raise AttributeError(order)
        return lambda *told, **more: None

    def close(self) -> Future[None]:
        done: Future[None] = Future()
        done.set_result(None)
        return done
