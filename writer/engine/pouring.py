"""A streamed answer's bytes from the network into an inbox: one request, and what ended it as an error of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from writer.engine.client_setup import require_open
from writer.engine.inbox import Inbox
from writer.engine.refusing import refused
from writer.engine.unreachable import unreachable

_NONE: Mapping[str, str] = {}


async def pour(
    http: httpx.AsyncClient, path: str, body: dict[str, Any], inbox: Inbox, headers: Mapping[str, str] = _NONE
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
