"""When chapters are saved, and how the app is left: only after the newest text of every chapter is on disk."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING

from textual.timer import Timer

from writer.language import say

if TYPE_CHECKING:
    from writer.runtime.events import Event
    from writer.runtime.orders import SaveOrder
    from writer.tui.page import Page
    from writer.tui.screens.manuscript import ManuscriptScreen

_log = logging.getLogger(__name__)
PAUSE_SECONDS, SAVE_SECONDS, CLOSE_SECONDS = 5.0, 15.0, 20.0
AFTER_REFUSAL = 30.0
"""Seconds until a refused save is tried again by itself."""


class Keeping:
    """The save orders of one screen."""

    def __init__(self, screen: ManuscriptScreen, autosave: float) -> None:
        self.leaving = False
        self.failure = ""
        """What the author must know once the screen is gone; it is printed on the terminal then."""
        self.reads_on = False
        """Once this screen is gone another one shows the same manuscript, only to be read."""
        self._screen = screen
        self._autosave = autosave
        self._timer: Timer | None = None
        self._serial = 0
        self._heard = asyncio.Event()
        self._refused_at = 0.0
        self._closed: Future[None] | None = None
        self._ask = True
        self._question: asyncio.Future[str | None] | None = None

    def start(self) -> None:
        """Begin to save changed chapters from time to time."""
        self.save_every(self._autosave)

    def save_every(self, seconds: float) -> None:
        """So often from now on."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._screen.set_interval(seconds, self._save_changed)

    def _save_changed(self) -> None:
        refused = any(page.refusal for page in self._screen.pages.values())
        if refused and time.monotonic() < self._refused_at + AFTER_REFUSAL:
            return
        self._refused_at = time.monotonic()
        for page in self._screen.pages.values():
            if not page.waiting:
                self.save(page)

    def save(self, page: Page | None, *, always: bool = False) -> None:
        """Order a save of what has changed."""
        if page is not None and page.legacy is None and not self._screen.only_reads and (page.dirty or always):
            self._screen.desk.save(self._order(page))

    def serial(self) -> int:
        """The number of one more save order."""
        self._serial += 1
        return self._serial

    def _order(self, page: Page) -> SaveOrder:
        return page.save_order(self.serial())

    def heard(self) -> None:
        """Something was reported."""
        self._heard.set()

    async def _until(self, done: Callable[[], bool], seconds: float) -> bool:
        """Wait for reports until `done()`; False if it takes longer."""
        deadline = time.monotonic() + seconds
        while not done():
            self._heard.clear()
            try:
                await asyncio.wait_for(self._heard.wait(), max(0.0, deadline - time.monotonic()))
            except TimeoutError:
                return done()
        return True

    # Leaving --------------------------------------------------------------------------------------------------

    def give_up(self, sentence: str) -> None:
        """The state could not be opened: nothing can be written, so the manuscript can only be read."""
        self.failure, self.reads_on = sentence, True
        self._screen.app.exit(return_code=1)

    async def leave(self, *, ask: bool = True) -> None:
        """Pause, save, close, exit. If a chapter cannot be saved the author decides; `ask=False` leaves anyway."""
        self._ask = self._ask and ask
        if self.leaving:
            if not ask and self._question is not None and not self._question.done():
                self._question.set_result(None)  # whoever was asked has gone
            return
        self._set_leaving(True)
        if not await self._all_saved() and not await self._leave_anyway():
            self._set_leaving(False)
            return
        await asyncio.wait([asyncio.wrap_future(self.close())], timeout=CLOSE_SECONDS)
        self._screen.app.exit()  # `last_resort` looks at how it went

    async def hand_over(self) -> None:
        """Another window asks for the manuscript: pause, save, close, exit. What cannot be saved is not let go."""
        if self.leaving:
            return
        self._set_leaving(True)
        if not await self._all_saved():
            self._set_leaving(False)
            sentence = say(
                "Another window asks for the manuscript, but a chapter here could not be saved. It stays here."
            )
            self._screen.complain(sentence, "warning")
            return
        self.reads_on = True
        await asyncio.wait([asyncio.wrap_future(self.close())], timeout=CLOSE_SECONDS)
        self._screen.app.exit()

    def _set_leaving(self, leaving: bool) -> None:
        """From the first moment on nothing can be typed that would come too late to be saved."""
        self.leaving = leaving
        for page in self._screen.pages.values():
            page.editor.read_only = leaving or page.legacy is not None or self._screen.only_reads
        self._screen.refresh_bindings()
        self._screen.show_state()

    async def _all_saved(self) -> bool:
        screen = self._screen
        if screen.writing.busy:
            screen.desk.pause()
            await self._until(lambda: not screen.writing.busy, PAUSE_SECONDS)
        for page in screen.pages.values():
            page.buffer.flush()
            self.save(page)
        pages = list(screen.pages.values())
        await self._until(lambda: not any(page.waiting for page in pages), SAVE_SECONDS)
        return screen.only_reads or not any(page.dirty for page in pages)

    async def _leave_anyway(self) -> bool:
        reasons = [page.refusal for page in self._screen.pages.values() if page.dirty and page.refusal]
        lines = [say("A chapter could not be saved, so what you changed in it would be lost."), *reasons[:2]]
        if self._ask:
            from writer.tui.screens.choice import Choice

            buttons = (("stay", say("Stay")), ("leave", say("Leave without saving")))
            question: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
            self._question = question
            self._screen.app.push_screen(
                Choice(lines, buttons), lambda answer: None if question.done() else question.set_result(answer)
            )
            answer = await question
            if self._ask:
                return answer == "leave"
        self.failure = (reasons or lines)[0]  # there is nobody to decide, so it is at least told
        return True

    def close(self) -> Future[None]:
        """Close the desk, once."""
        if self._closed is None:
            self._closed = self._screen.desk.close()
        return self._closed

    def last_resort(self) -> None:
        """After the screen has gone, however it went: hand over every unsaved text, and wait for the desk."""
        if self._closed is None:
            for page in self._screen.pages.values():
                self.save(page)
        error: BaseException | None
        try:
            error = self.close().exception(timeout=CLOSE_SECONDS)
        except TimeoutError as late:
            error = late
        if error is not None:
            _log.error("closing failed", exc_info=error)
            self.failure = self.failure or say("writer could not close properly. Start it again to check your text.")

    def heard_late(self, event: Event) -> None:
        """Reported after the screen has gone."""
        from writer.runtime.events import SaveRefused

        if isinstance(event, SaveRefused):
            self.failure = event.sentence
