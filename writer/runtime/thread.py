"""The writing thread: an event loop of its own, which alone owns the database connection and speaks to the engine.

Front ends hand orders over without waiting; answers are events. Implements writer.runtime.ports.Desk.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from writer.config import Settings
from writer.errors import WriterError
from writer.manuscript.model import ChapterText
from writer.runtime.alternatives_found import WordAsked
from writer.runtime.events import Event, GenerationFailed
from writer.runtime.orders import ArrangeOrder, AsideOrder, DraftOrder, ResumeOrder, SaveOrder
from writer.runtime.rewriting import RewriteRequest

if TYPE_CHECKING:
    from writer.runtime.desk import Desk

_log = logging.getLogger(__name__)
Opener = Callable[[Callable[[Event], None]], "Desk"]


class WritingThread:
    """Opens its desk in its own thread, so that the screen paints while SQLite is still being imported."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._notify: Callable[[Event], None] = lambda event: None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="writing", daemon=True)
        self._desk: Desk | None = None
        self._orders: set[asyncio.Task[Any]] = set()
        """What was ordered and is not done yet. Touched in the thread alone."""

    def start(self, notify: Callable[[Event], None]) -> None:
        """Opens state and chapters; DeskOpened comes as an event, or GenerationFailed with the reason."""
        self._notify = notify
        self._thread.start()
        self._submit(self._open())

    def draft(self, order: DraftOrder) -> None:
        self._with_desk(lambda desk: desk.draft(order))

    def resume(self, order: ResumeOrder) -> None:
        self._with_desk(lambda desk: desk.resume(order))

    def aside(self, order: AsideOrder) -> None:
        self._with_desk(lambda desk: desk.aside(order))

    def rewrite(self, request: RewriteRequest) -> None:
        self._with_desk(lambda desk: desk.rewrite(request))

    def rewritten(self, generation: str, text: str) -> None:
        self._call(lambda desk: desk.rewritten(generation, text))

    def recall(self, generation: str, text: str) -> None:
        self._call(lambda desk: desk.recall(generation, text))

    def origins(self, chapter: str, text: str) -> None:
        self._call(lambda desk: desk.tracing.tell(chapter, text))

    def who(self, generation: str) -> None:
        self._call(lambda desk: desk.tracing.who(generation))

    def thought(self, chapter: str, generation: str = "") -> None:
        self._with_desk(lambda desk: desk.recalling.tell(chapter, generation))

    def alternatives(self, order: WordAsked) -> None:
        self._with_desk(lambda desk: desk.wondering.answer(order))

    def go_on(self, generation: str) -> None:
        self._with_desk(lambda desk: desk.go_on(generation))

    def choose(self, generation: str) -> None:
        self._call(lambda desk: desk.choose(generation))

    def unchoose(self, generation: str) -> None:
        self._call(lambda desk: desk.unchoose(generation))

    def keep_all(self, chapter: str) -> None:
        self._call(lambda desk: desk.keep_all(chapter))

    def takes(self, chapter: str) -> None:
        self._call(lambda desk: desk.takes(chapter))

    def pause(self, generation: str = "", chapter: str = "") -> None:
        self._call(lambda desk: desk.pause(generation, chapter))

    def free_gpu(self) -> None:
        self._with_desk(lambda desk: desk.free_gpu())

    def plan(self, order: DraftOrder) -> None:
        self._with_desk(lambda desk: desk.plan(order))

    def settings(self, settings: Settings) -> None:
        self._call(lambda desk: desk.settings(settings))

    def arrange(self, order: ArrangeOrder) -> None:
        self._with_desk(lambda desk: desk.arranging.arrange(order))

    def opened(self, chapter: str, loaded: ChapterText) -> None:
        self._call(lambda desk: desk.chapters.opened(chapter, loaded))

    def save(self, order: SaveOrder) -> None:
        self._with_desk(lambda desk: desk.save(order))

    def look(self) -> None:
        self._with_desk(lambda desk: desk.outside.look())

    def keep(self, generation: str) -> None:
        self._call(lambda desk: desk.keep(generation))

    def discard(self, generation: str, text: str, place: tuple[int, int]) -> None:
        self._call(lambda desk: desk.discard(generation, text, place))

    def undiscard(self, generation: str) -> None:
        self._call(lambda desk: desk.undiscard(generation))

    def warm_up(self) -> None:
        self._with_desk(lambda desk: desk.warm_up())

    def close(self) -> Future[None]:
        """Pauses, saves the last orders, closes; the thread has ended when the future is done."""
        done: Future[None] = Future()
        threading.Thread(target=self._close, args=(done,), name="closing", daemon=True).start()
        return done

    # --- inside ------------------------------------------------------------------------------------------------

    def _close(self, done: Future[None]) -> None:
        try:
            asyncio.run_coroutine_threadsafe(self._finish(), self._loop).result()
            done.set_result(None)
        except Exception as error:  # the boundary: whoever waits must be told
            done.set_exception(error)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)

    async def _open(self) -> None:
        desk = self._opener(self._notify)
        try:
            await desk.open()
        except BaseException:
            await desk.close()  # or its state counts as that of a killed run
            raise
        self._desk = desk

    async def _finish(self) -> None:
        if self._desk is None:
            await self._all_ordered()  # it may just be opening
        if self._desk is None:
            return
        desk, self._desk = self._desk, None
        desk.pause()
        desk.stop_warming()
        await self._all_ordered()
        await desk.close()

    def _with_desk(self, work: Callable[[Desk], Awaitable[object]]) -> None:
        async def run() -> None:
            if self._desk is not None:
                await work(self._desk)

        self._submit(run())

    def _call(self, work: Callable[[Desk], object]) -> None:
        async def run() -> None:
            if self._desk is not None:
                work(self._desk)

        self._submit(run())

    def _submit(self, work: Any) -> None:
        async def guarded() -> None:
            order = asyncio.current_task()
            assert order is not None
            self._orders.add(order)
            order.add_done_callback(self._orders.discard)
            try:
                await work
            except WriterError as error:
                self._notify(GenerationFailed("", 0, error.sentence))
            except Exception:  # the boundary of the thread: told and logged, never a traceback on the screen
                _log.exception("the writing thread failed")
                sentence = "Something went wrong inside writer; your text is saved. The log file says more."
                self._notify(GenerationFailed("", 0, sentence))

        asyncio.run_coroutine_threadsafe(guarded(), self._loop)

    async def _all_ordered(self) -> None:
        """Waits for what was ordered before, and for nothing else: what listens to the engine ends with the desk."""
        await asyncio.gather(*self._orders, return_exceptions=True)
