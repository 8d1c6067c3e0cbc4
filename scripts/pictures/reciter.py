"""An engine that recites: it answers each request with a text that was written for it. The rest is the scripted one's.

Its tokens are words, so that the counts in a picture are those of a real model, more or less.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from writer.engine.base import Alternative, ChatMessage, EngineStatus, Report, Request
from writer.engine.scripted import Script, ScriptedEngine, prefix_cache
from writer.engine.scripted_source import ScriptedSource
from writer.generation.model import Delta

_TOKEN = re.compile(r" ?\w+|[^\w\s]|\s", re.DOTALL)
_SCRIPT = Script(model="picture")


@dataclass(frozen=True, slots=True)
class Line:
    """What is recited once for a prompt that holds `cue`. A text that does not end is still being written."""

    cue: str
    text: str
    ends: bool = False


class Reciter(ScriptedEngine):
    """Each line is recited once, in their order."""

    def __init__(self, lines: Sequence[Line]) -> None:
        super().__init__(_SCRIPT, prefix_cache(_SCRIPT))
        self._lines = list(lines)
        self._ids: dict[str, int] = {}
        self._tokens: list[str] = []

    async def render(self, messages: Sequence[ChatMessage]) -> tuple[int, ...] | None:
        """A template like ChatML."""
        said = "".join(f"<{each.role}>\n{each.content}\n" for each in messages)
        return self._tokenized(said + "<assistant>\n")

    async def tokenize(self, text: str, *, special: bool = False) -> tuple[int, ...]:
        """An id for each word."""
        return self._tokenized(text)

    async def detokenize(self, token_ids: Sequence[int]) -> str:
        """The words of the ids."""
        return self._said(token_ids)

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """The line at once; then its end, or nothing more."""
        prompt = self._said(request.prompt_ids)
        line = next(each for each in self._lines if each.cue in prompt)
        self._lines.remove(line)
        ids = self._tokenized(line.text)
        yield Delta(ids, line.text, tuple(accumulate(len(self._tokens[each]) for each in ids)), None)
        if not line.ends:
            await asyncio.Event().wait()
        yield Delta((), "", (), "stop")

    async def alternatives(self, prompt_ids: Sequence[int], count: int) -> tuple[Alternative, ...]:
        """Not in any picture."""
        return ()

    def _tokenized(self, text: str) -> tuple[int, ...]:
        return tuple(self._id(token) for token in _TOKEN.findall(text))

    def _id(self, token: str) -> int:
        if token not in self._ids:
            self._ids[token] = len(self._tokens)
            self._tokens.append(token)
        return self._ids[token]

    def _said(self, ids: Sequence[int]) -> str:
        return "".join(self._tokens[each] for each in ids)


class Prompter(ScriptedSource):
    """Where that engine comes from."""

    def __init__(self, lines: Sequence[Line]) -> None:
        super().__init__({})
        self._reciter = Reciter(lines)

    async def acquire(self, report: Report) -> ScriptedEngine:
        """Ready at once."""
        report(EngineStatus(state="ready", model="picture", sentence="ready"))
        return self._reciter
