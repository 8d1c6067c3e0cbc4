"""The engine as a vLLM server: token ids in, token ids and text out, over a Unix socket or a URL.

Never re-tokenises what was generated, and never reports a finish that the server did not give a reason for.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx

from writer.engine import odds
from writer.engine.arrivals import DIED, Event, is_ids, join, parse_all
from writer.engine.asking import completion
from writer.engine.base import Alternative, ChatMessage, EngineFacts, Probe, Request
from writer.engine.client_setup import (
    TIMEOUT,
    call,
    hush,
    open_client,
    read_facts,
    too_long,
)
from writer.engine.inbox import Inbox
from writer.engine.patience import NONE, Patience
from writer.engine.pouring import pour
from writer.engine.reading_cost import ASKED, ReadingCost
from writer.engine.sse import EventParser
from writer.engine.tokens import special_ids
from writer.engine.unreachable import UNREACHABLE
from writer.errors import EngineDied, RequestRefused
from writer.generation.model import Delta, Fingerprint
from writer.text.sanitise import from_model

_TAIL = 8  # ids that surely hold the beginning of an unfinished character
_UNFINISHED = "\ufffd"


class VllmEngine:
    """An Engine (see base.py) over HTTP. Make it with `attach`; close it with `aclose`."""

    def __init__(self, http: httpx.AsyncClient, facts: EngineFacts, cache_salt: str = "") -> None:
        self._http = http
        self._facts = facts
        self._salt = {"cache_salt": cache_salt} if cache_salt else {}

    @classmethod
    async def attach(
        cls,
        *,
        socket: Path | None = None,
        url: str = "",
        served_name: str = "",
        model_folder: Path | None = None,
        device: str = "cpu",
        fingerprint: Fingerprint = Fingerprint(),  # noqa: B008  (frozen)
        api_key: str = "",
        patience: Patience = NONE,
        cache_salt: str = "",
    ) -> VllmEngine:
        """An engine for the server at `socket` or `url`, which must answer already.

        With `cache_salt` only requests that have the same one share what the server has read.
        `fingerprint.engine` holds what only the launcher knows ("float32 v1"); version and device are put before it.
        Raises EngineDied if the server cannot be reached, RequestRefused if it is none of ours.
        """
        http = open_client(socket, url, api_key, patience)
        hush(asyncio.get_running_loop())
        try:
            facts = await read_facts(http, served_name, model_folder, device, fingerprint)
            return cls(http, facts, cache_salt)
        except BaseException:
            await http.aclose()
            raise

    @property
    def facts(self) -> EngineFacts:
        """What the server said of itself when we attached."""
        return self._facts

    async def render(self, messages: Sequence[ChatMessage]) -> tuple[int, ...] | None:
        """Ids of the chat template up to the open assistant turn; None if the model has no template."""
        spoken = [{"role": m.role, "content": m.content} for m in messages]
        try:
            return await self._tokenize({"messages": spoken, "add_generation_prompt": True})
        except RequestRefused as error:
            if "chat template" in error.detail.lower():
                return None
            raise

    async def tokenize(self, text: str, *, special: bool = False) -> tuple[int, ...]:
        """Ids of `text`; `special` adds the model's own opening ids (BOS)."""
        return await self._tokenize({"prompt": text, "add_special_tokens": special})

    async def detokenize(self, token_ids: Sequence[int]) -> str:
        """The text of the ids; an unfinished character shows as U+FFFD."""
        answer = await self._call("/detokenize", {"tokens": list(token_ids)})
        return str(_field(answer, "prompt"))

    async def probe(self, prompt_ids: Sequence[int]) -> Probe:
        """One token, thrown away. Waits for as long as the prefill takes."""
        body = {"prompt": list(prompt_ids), "max_tokens": 1, "temperature": 0}
        self._require_room(prompt_ids)
        begun = asyncio.get_running_loop().time()
        usage = _field(await self._complete(body), "usage")
        seconds = asyncio.get_running_loop().time() - begun
        try:
            details = usage.get("prompt_tokens_details") or {}
            return Probe(int(usage["prompt_tokens"]), int(details.get("cached_tokens") or 0), seconds)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise EngineDied(UNREACHABLE, detail="no counts in the answer") from None

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """Yields all that has arrived since the last look, as one Delta, until a finish reason.

        Closing the iterator closes the connection, which aborts the request within 0.1 s.
        """
        self._require_room(request.prompt_ids)
        tail = [] if request.whole else await self._unfinished_tail(request.prompt_ids)
        inbox, parser, seen, cost = Inbox(), EventParser(), list[int](), ReadingCost()
        asked = ASKED if self._facts.tells_cost else {}
        body = completion(self._facts, request) | self._salt
        reader = asyncio.create_task(pour(self._http, "/v1/completions", body, inbox, asked))
        reader.add_done_callback(lambda _: inbox.close())
        try:
            async for chunk in inbox:
                events, failure = parse_all(parser.feed(chunk))
                cost.heard(events)
                if tail:
                    events, tail = await self._without_prompt(events, tail, seen)
                if delta := join(events):
                    self._facts = replace(self._facts, tells_cost=self._facts.tells_cost and not cost.missing)
                    yield cost.on(delta)
                    if delta.finish_reason:
                        return
                if failure:
                    raise failure
            await reader  # raises what ended it
            raise EngineDied(DIED, detail="end of stream without a finish reason")
        finally:
            reader.cancel()
            await asyncio.wait({reader})

    async def alternatives(self, prompt_ids: Sequence[int], count: int) -> tuple[Alternative, ...]:
        """At most `count` (20) whole words that might come next, likeliest first, each once."""
        self._require_room(prompt_ids)
        folder = self._facts.model_folder
        special = await asyncio.to_thread(special_ids, folder) if folder else frozenset()
        return await odds.alternatives(self._complete, self.detokenize, prompt_ids, count, special)

    async def confidence(self, prompt_ids: Sequence[int], start: int) -> tuple[float, ...]:
        """The model's own probability of each id from `start` (at least 1) on."""
        self._require_room(prompt_ids)
        return await odds.confidence(self._complete, prompt_ids, start)

    async def aclose(self) -> None:
        """Closes all connections; the server lives on."""
        await self._http.aclose()

    def _require_room(self, prompt_ids: Sequence[int]) -> None:
        if len(prompt_ids) >= self._facts.window:
            raise too_long(len(prompt_ids), self._facts.window)

    async def _call(self, path: str, body: dict[str, Any], **options: Any) -> Any:
        return await call(self._http, "POST", path, {"model": self._facts.model, **body}, **options)

    async def _complete(self, body: dict[str, Any]) -> Any:
        return await self._call("/v1/completions", body | self._salt, timeout=TIMEOUT)

    async def _tokenize(self, body: dict[str, Any]) -> tuple[int, ...]:
        ids = _field(await self._call("/tokenize", body), "tokens")
        if not is_ids(ids):
            raise EngineDied(UNREACHABLE, detail="no token ids in the answer")
        return tuple(ids)

    async def _unfinished_tail(self, prompt_ids: Sequence[int]) -> list[int]:
        """The prompt's last ids if it ends inside a character: then the server repeats the prompt (vllm#48853)."""
        tail = list(prompt_ids[-_TAIL:])
        return tail if (await self.detokenize(tail)).endswith(_UNFINISHED) else []

    async def _without_prompt(
        self, events: list[Event], tail: list[int], seen: list[int]
    ) -> tuple[list[Event], list[int]]:
        """The events with the first text decoded by ids instead of taken from the server."""
        for index, event in enumerate(events):
            seen += event.token_ids
            if event.text:
                prompt = (await self.detokenize(tail)).rstrip(_UNFINISHED)
                text = (await self.detokenize([*tail, *seen])).rstrip(_UNFINISHED).removeprefix(prompt)
                mended = Event(event.token_ids, from_model(text), event.finish_reason)
                return [*events[:index], mended, *events[index + 1 :]], []
        return events, tail


def _field(answer: Any, name: str) -> Any:
    try:
        return answer[name]
    except (KeyError, TypeError):
        raise EngineDied(UNREACHABLE, detail=f'no "{name}" in the answer') from None
