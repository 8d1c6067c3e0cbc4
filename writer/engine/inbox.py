"""Bytes between the task that reads the network and the one that commits: whoever comes late gets all at once."""

from __future__ import annotations

import asyncio


class Inbox:
    """An async iterator over what was put since the last step. For one loop and one consumer."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self._news = asyncio.Event()
        self._closed = False

    def put(self, chunk: bytes) -> None:
        """Adds a chunk; never waits."""
        self._chunks.append(chunk)
        self._news.set()

    def close(self) -> None:
        """Nothing more will come."""
        self._closed = True
        self._news.set()

    def __aiter__(self) -> Inbox:
        return self

    async def __anext__(self) -> bytes:
        await self._news.wait()
        if not self._chunks:
            raise StopAsyncIteration
        joined = b"".join(self._chunks)
        self._chunks.clear()
        if not self._closed:
            self._news.clear()
        return joined
