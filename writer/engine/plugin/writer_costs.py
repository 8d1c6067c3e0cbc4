"""Runs inside vLLM's server: an answer that is streamed begins with what reading its prompt cost.

vLLM tells how much of a prompt came from its cache only at the end of an answer, and a text that is paused never sees
that end. So this ASGI middleware, passed by `--middleware writer_costs.Costs`, notes what the engine says with its
first token and puts one event of its own before it. Only requests that ask for it, by a header, get one. It leans on
one thing inside vLLM: that `app.state.engine_client.generate` yields values with `num_cached_tokens`. If that is gone,
no event comes, and writer asks for the count by a request of its own. Standard library only.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping
from contextlib import aclosing
from contextvars import ContextVar
from typing import Any

ASKS = b"x-writer-cost"
_PATH = "/v1/completions"

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]

_listening: ContextVar[list[bytes] | None] = ContextVar("listening", default=None)
"""What the request that is being answered is to be told, once the first output is there."""


class Costs:
    """One for the server."""

    def __init__(self, app: Callable[[Scope, Any, Send], Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Any, send: Send) -> None:
        """One request."""
        if scope["type"] != "http" or scope.get("path") != _PATH or not _asks(scope):
            await self._app(scope, receive, send)
            return
        _listen(scope["app"].state.engine_client)
        first: list[bytes] = []
        told = False

        async def sending(message: Message) -> None:
            nonlocal told
            if first and not told and message["type"] == "http.response.body":
                told = True
                message = {**message, "body": first[0] + message.get("body", b"")}
            await send(message)

        mark = _listening.set(first)
        try:
            await self._app(scope, receive, sending)
        finally:
            _listening.reset(mark)


def _asks(scope: Scope) -> bool:
    return any(name == ASKS for name, _ in scope.get("headers", ()))


def _listen(client: Any) -> None:
    """Every generation of this client tells the request that it belongs to."""
    generate = getattr(client, "generate", None)
    if generate is None or getattr(generate, "listens", False):
        return

    async def listened(*args: Any, **options: Any) -> AsyncGenerator[Any, None]:
        first = _listening.get()
        async with aclosing(generate(*args, **options)) as outputs:  # who closes us aborts the request
            async for output in outputs:
                if first is not None and not first:
                    first.append(_event(output))
                    output.prompt_token_ids = []  # vLLM would send all of them back, which takes as long as ours take
                yield output

    listened.listens = True  # type: ignore[attr-defined]
    client.generate = listened


def _event(output: Any) -> bytes:
    """In the shape of vLLM's own last event, under a name of ours."""
    cached, prompt = getattr(output, "num_cached_tokens", None), getattr(output, "prompt_token_ids", None)
    if cached is None or prompt is None:
        return b""
    usage = {"prompt_tokens": len(prompt), "prompt_tokens_details": {"cached_tokens": cached}}
    return b"data: " + json.dumps({"object": "writer.cost", "choices": [], "usage": usage}).encode() + b"\n\n"
