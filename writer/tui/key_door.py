"""What is typed in one burst with a key that opens something waits at this door until that has opened.

Textual hands a key to what has the focus at that moment, while the key before it is still on its way up to the app:
the words that an author types behind Ctrl+F or Ctrl+N would stand in the chapter. So behind a key that is bound to
something the door is shut, until nothing is on its way any more and the focus rests.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from textual import events
from textual.app import App
from textual.dom import DOMNode
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

LONGEST = 3.0
"""Seconds after which the door opens by itself, whatever is still under way."""
_REST = 3
"""Walks from the focus to the app that find it where it was: a key becomes a message, that one another, then a card."""
_LOOK = 0.02
"""Seconds between two looks at work that is going to move the focus."""

Typed = events.Key | events.Paste


class KeyDoor:
    """The door of one app, which hands it every key and every paste."""

    def __init__(
        self, app: App[Any], let_in: Callable[[events.Event], Awaitable[None]], moving: Callable[[float], bool]
    ) -> None:
        """`let_in` does what Textual does with a key.

        `moving` says whether the focus is going to move, so many seconds after the key that may have begun that.
        """
        self._app, self._let_in, self._moving = app, let_in, moving
        self._held: deque[Typed] = deque()
        self._shut = 0  # which time; 0 is open
        self._times = 0
        self._limit: Timer | None = None
        self._seen: tuple[Screen[Any], Widget | None] | None = None
        self._rested = 0
        self._since = -math.inf
        self._known: Screen[Any] | None = None  # a screen that was just opened has no focus yet
        self._patient = True  # work that took too long once is not waited for again

    async def comes(self, event: Typed) -> None:
        """The terminal has sent this."""
        if not self._app.screen_stack:
            return
        if self._shut or self._app.screen is not self._known:
            self._held.append(event)
            if not self._shut:
                self._since = -math.inf
                self._close(self._focus())
        else:
            await self._hand_on(event)

    async def _hand_on(self, event: Typed) -> None:
        focus = self._focus()
        begins = isinstance(event, events.Key) and self._begins(event)
        await self._let_in(event)
        if begins:
            self._since = time.monotonic()
            self._close(focus)

    def _focus(self) -> Widget:
        return self._app.focused or self._app.screen

    def _begins(self, event: events.Key) -> bool:
        """Whether the key is bound to something, beyond what the one with the focus does at once and by itself."""
        focused = self._app.focused
        if focused is not None and focused.check_consume_key(event.key, event.character):
            return False
        own = focused if getattr(focused, "acts_at_once", False) else None
        chain = self._app.screen._binding_chain
        return any(event.key in bindings.key_to_bindings for node, bindings in chain if node is not own)

    # Shut -----------------------------------------------------------------------------------------------------

    def _close(self, focus: Widget) -> None:
        self._times += 1
        self._shut, self._seen, self._rested = self._times, None, 0
        self._limit = self._app.set_timer(LONGEST, partial(self._give_up, self._shut))
        self._walk(focus)

    def _walk(self, start: Widget) -> None:
        """From there up to the app, in every queue behind what waits there already."""
        way: list[DOMNode] = [node for node in start.ancestors_with_self if node is not self._app]
        self._step(deque([*way, self._app]), self._shut)

    def _step(self, way: deque[DOMNode], number: int) -> None:
        while way:
            node = way.popleft()
            step = partial(self._step, way, number) if way else partial(self._arrived, number)
            if node.call_later(step):
                return  # one that has closed meanwhile is passed by

    async def _arrived(self, number: int) -> None:
        if number != self._shut or not self._app.screen_stack:  # all is taken down
            return
        seen = self._app.screen, self._app.focused
        self._rested = self._rested + 1 if seen == self._seen else 0
        self._seen = seen
        moving = self._moving(time.monotonic() - self._since)
        self._patient |= not moving
        if moving and self._patient:
            self._rested = 0
            self._app.set_timer(_LOOK, partial(self._arrived, number))
        elif self._rested < _REST:
            self._walk(self._focus())
        else:
            await self._open()

    async def _give_up(self, number: int) -> None:
        if number == self._shut and self._app.screen_stack:
            self._patient = False
            await self._open()

    async def _open(self) -> None:
        self._shut, self._known = 0, self._app.screen
        if self._limit is not None:
            self._limit.stop()
        while self._held and not self._shut:
            await self._hand_on(self._held.popleft())
