"""A streamed answer's bytes from the network: one request, and what ended it as an error of ours."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import httpx

from writer.engine.arrivals import DIED
from writer.engine.client_setup import require_open
from writer.engine.inbox import Inbox
from writer.engine.refusing import refused
from writer.engine.unreachable import unreachable
from writer.errors import EngineDied

_NONE: Mapping[str, str] = {}


async def arriving(
    http: httpx.AsyncClient, path: str, body: dict[str, Any], headers: Mapping[str, str] = _NONE
) -> AsyncGenerator[bytes, None]:
    """All that has arrived since the last look, until the consumer has what he wants and closes this.

    Closing it closes the connection. Raises EngineDied or RequestRefused; also at the end of the answer, for a consumer
    who still waits then has not seen it finished.
    """
    inbox = Inbox()
    reader = asyncio.create_task(_pour(http, path, body, inbox, headers))
    reader.add_done_callback(lambda _: inbox.close())
    try:
        async for chunk in inbox:
            yield chunk
        await reader  # raises what ended it
        raise EngineDied(DIED, detail="end of stream without a finish reason")
    finally:
        reader.cancel()
        await asyncio.wait({reader})


async def _pour(
    http: httpx.AsyncClient, path: str, body: dict[str, Any], inbox: Inbox, headers: Mapping[str, str]
) -> None:
    """The answer's bytes, as they come. A task of its own, so that a consumer who comes late finds them joined.

    Raises EngineDied or RequestRefused.
    """
    for again in (True, False):
        require_open(http)
        try:
            async with http.stream("POST", path, json=body, headers=headers) as response:
                if response.status_code != 200:
                    await response.aread()
                    raise refused(response)
                again = False
                async for chunk in response.aiter_raw():
                    inbox.put(chunk)
            return
        except httpx.HTTPError as error:
            if again and isinstance(error, httpx.RemoteProtocolError):
                continue  # a pooled connection that the server closed before it saw the request
            raise unreachable(http, error) from None
