"""The engine as any OpenAI-compatible server, which takes text and gives text. It goes on from the text, not from ids.

The ids in the journal are our own (text_tokens.py): they hold the text. A talk is sent as messages, where the server
has such a door, with what was written so far as its last answer and the order to go on exactly; else plain text is.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from itertools import accumulate
from typing import Any

import httpx

from writer.engine.base import Alternative, ChatMessage, EngineFacts, Probe, Request
from writer.engine.client_setup import SHORT, call, hush, open_client, too_long
from writer.engine.patience import NONE, Patience
from writer.engine.pouring import arriving
from writer.engine.refusing import refused
from writer.engine.seam import Seam
from writer.engine.sse import EventParser
from writer.engine.text_answers import question, said_at_once
from writer.engine.text_tokens import FINGERPRINT, of_talk, of_text, to_text, widths
from writer.engine.unreachable import unreachable
from writer.errors import EngineDied, RequestRefused
from writer.generation.model import Delta, Fingerprint
from writer.language import say

USUAL_WINDOW = 32_768
_WINDOWS = ("max_model_len", "context_length", "context_window", "max_context_length")
_DOORS = ("/v1/chat/completions", "/v1/completions")
_NOT_THERE = frozenset({404, 405, 501})
_NO_ODDS = say(
    "This server tells no other words and no probabilities. Use a vLLM server for that, or write the word yourself."
)


class TextEngine:
    """An Engine (see base.py) by text. Make it with `attach`; close it with `aclose`."""

    def __init__(self, http: httpx.AsyncClient, facts: EngineFacts, *, talks: bool) -> None:
        self._http = http
        self._facts = facts
        self._talks = talks

    @classmethod
    async def attach(
        cls, *, url: str, model: str = "", window: int = 0, api_key: str = "", patience: Patience = NONE
    ) -> TextEngine:
        """An engine for the server at `url`, which must answer already; `window` in our ids, 0 as the server says.

        Raises EngineDied if it cannot be reached, RequestRefused if it is no such server, or has several models and
        `model` is none of them.
        """
        http = open_client(None, url, api_key, patience)
        hush(asyncio.get_running_loop())
        try:
            entry = _choose(await call(http, "GET", "/v1/models"), model)
            doors = [path for path in _DOORS if await _is_there(http, path)]
            if not doors:
                raise RequestRefused(
                    say("The server completes no text: it is not a vLLM server or alike. Correct engine.url.")
                )
            told = next((entry[name] for name in _WINDOWS if type(entry.get(name)) is int and entry[name] > 0), 0)
            return cls(http, _facts(str(entry["id"]), window or told or USUAL_WINDOW), talks=doors[0] == _DOORS[0])
        except BaseException:
            await http.aclose()
            raise

    @property
    def facts(self) -> EngineFacts:
        """What is known of the server."""
        return self._facts

    async def render(self, messages: Sequence[ChatMessage]) -> tuple[int, ...] | None:
        """Ids of the talk up to the open answer; None if the server completes plain text only."""
        return of_talk(messages) if self._talks else None

    async def tokenize(self, text: str, *, special: bool = False) -> tuple[int, ...]:
        """Ids that hold the text."""
        return of_text(text)

    async def detokenize(self, token_ids: Sequence[int]) -> str:
        """The text of our own ids. Raises RequestRefused for a model's."""
        return to_text(token_ids)

    async def probe(self, prompt_ids: Sequence[int]) -> Probe:
        """Whether the server answers. It is given no text for that, which may cost money; no cache is known."""
        if len(prompt_ids) >= self._facts.window:
            raise too_long(len(prompt_ids), self._facts.window)
        begun = asyncio.get_running_loop().time()
        await call(self._http, "GET", "/v1/models")
        return Probe(len(prompt_ids), 0, asyncio.get_running_loop().time() - begun)

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """Yields all that has arrived since the last look, until a finish reason. Closing it closes the connection."""
        if len(request.prompt_ids) >= self._facts.window:
            raise too_long(len(request.prompt_ids), self._facts.window)
        path, body, before = question(self._facts, request)
        parser, seam = EventParser(), Seam(before)
        async with aclosing(arriving(self._http, path, body)) as chunks:
            try:
                async for chunk in chunks:
                    text, finish, failure = said_at_once(parser.feed(chunk))
                    new = seam.feed(text) + (seam.end() if finish or failure else "")
                    if new or finish:
                        yield _delta(new, finish)
                    if failure:
                        raise failure
                    if finish:
                        return
            except (EngineDied, RequestRefused):
                if rest := seam.end():
                    yield _delta(rest, None)
                raise

    async def alternatives(self, prompt_ids: Sequence[int], count: int) -> tuple[Alternative, ...]:
        """Raises RequestRefused: no such server tells them alike."""
        raise RequestRefused(_NO_ODDS)

    async def confidence(self, prompt_ids: Sequence[int], start: int) -> tuple[float, ...]:
        """Raises RequestRefused, as `alternatives`."""
        raise RequestRefused(_NO_ODDS)

    async def aclose(self) -> None:
        """Closes all connections; the server lives on."""
        await self._http.aclose()


def _facts(model: str, window: int) -> EngineFacts:
    return EngineFacts(
        model=model,
        version="by text",
        device="remote",
        window=window,
        block_size=1,
        fingerprint=Fingerprint(f"served:{model}", FINGERPRINT, "by text"),
        by_text=True,
    )


def _delta(text: str, finish: str | None) -> Delta:
    ids = of_text(text)
    return Delta(ids, text, tuple(accumulate(widths(ids))), finish)


def _choose(answer: Any, wanted: str) -> dict[str, Any]:
    listed = answer.get("data") if isinstance(answer, dict) else None
    models = [m for m in listed or () if isinstance(m, dict) and isinstance(m.get("id"), str)]
    if not models:
        raise RequestRefused(say("The server names no models: it is not a vLLM server or alike. Correct engine.url."))
    if found := next((m for m in models if m["id"] == wanted), None):
        return found
    if len(models) > 1:
        some = ", ".join(m["id"] for m in models[:5])
        raise RequestRefused(
            say("Set engine.model to one of the server's models ({some}…), then try again.", some=some)
        )
    return models[0]


async def _is_there(http: httpx.AsyncClient, path: str) -> bool:
    """Asked with nothing in it, so that nothing is written: a server that has the door says what is missing."""
    try:
        response = await http.request("POST", path, json={}, timeout=SHORT)
    except httpx.HTTPError as error:
        raise unreachable(http, error) from None
    if response.status_code in (401, 403):
        raise refused(response)
    return response.status_code not in _NOT_THERE
