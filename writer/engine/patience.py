"""Asks a server of others again when it is too busy, or when no connection came about: nothing was begun there yet.

Pauses double from try to try, with chance in them, so that many who wait do not come back all at once. What the server
itself asks for (Retry-After) goes before. All of it together is shorter than the silence that counts as a death.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from writer.engine.unreachable import is_tls

BUSY = frozenset({429, 502, 503, 504})
_FIRST, _LONGEST = 0.5, 8.0  # seconds
_ALL = 40.0  # seconds of one request
_CONNECTIONS = 3  # tries without any connection: more would only hide a wrong address

Waiting = Callable[[float], None]


def _ignore(seconds: float) -> None:
    """Tells nobody."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How the waiting is done, and who is told its seconds. `most`: seconds that one request may wait in all."""

    told: Waiting = _ignore
    most: float = _ALL
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    chance: Callable[[], float] = random.random


NONE = Patience(most=0.0)


class PatientClient(httpx.AsyncClient):
    """An HTTP client whose requests are sent again while the server has not begun to answer them."""

    def __init__(self, patience: Patience, **options: Any) -> None:
        super().__init__(**options)
        self._patience = patience

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """As httpx's own; the last answer, or the last error, is the one that counts."""
        patience, tries = self._patience, 0
        deadline = patience.clock() + patience.most
        while True:
            tries += 1
            response, refused, asked = None, None, None
            try:
                response = await super().send(request, **options)
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                refused = error
            if response is not None and response.status_code in BUSY:
                asked = retry_after(response)
            elif response is not None:
                return response
            elif is_tls(refused) or tries >= _CONNECTIONS:
                raise _of(refused)
            pause = _pause(tries, asked, patience.chance())
            if patience.clock() + pause > deadline:
                if response is None:
                    raise _of(refused)
                return response
            if response is not None:
                await response.aclose()
            patience.told(pause)
            await patience.sleep(pause)


def retry_after(response: httpx.Response) -> float | None:
    """Seconds that the server asks to wait, at least 0; None if it does not say, or says nonsense."""
    said = response.headers.get("retry-after", "").strip()
    try:
        if said.isascii() and said.isdigit():
            return float(said[:9])
        return max(0.0, parsedate_to_datetime(said).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def _pause(tries: int, asked: float | None, chance: float) -> float:
    """Seconds until the next try."""
    own: float = min(_LONGEST, _FIRST * 2 ** (tries - 1)) * (0.5 + chance / 2)
    return own if asked is None else asked + own * 0.5  # never before the time that was asked for


def _of(error: Exception | None) -> Exception:
    assert error is not None
    return error
