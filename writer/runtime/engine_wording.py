"""Counts tokens and makes a prompt's ids by asking the engine: where the model's folder is not on this machine.

Slower than the model's own tokenizer, since each text is a question; what was counted once is remembered.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence

from writer.engine.base import Engine
from writer.generation.prompt import ChapterPrompt, ChatMessage
from writer.generation.thought import KNOWN
from writer.generation.wording import Known, split

_AT_ONCE = 8  # questions
_HEADER = 24  # ids at the end of a rendered prompt, in which a thought may be opened
_ROLES = ("system", "user", "assistant", "user")


class EngineWording:
    """A Wording (see generation/wording.py) of the model that an engine serves. Methods raise EngineDied."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._counts: dict[bytes, int] = {}
        self._note = ""

    async def counts(self, texts: Sequence[str]) -> Sequence[int]:
        """Tokens of each text."""
        keys = [hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts]
        fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._counts}
        turns = asyncio.Semaphore(_AT_ONCE)

        async def count(key: bytes, text: str) -> None:
            async with turns:
                self._counts[key] = len(await self._engine.tokenize(text)) if text else 0

        await asyncio.gather(*(count(key, text) for key, text in fresh.items()))
        return [self._counts[key] for key in keys]

    async def overhead(self) -> int:
        """Tokens that the template adds to four messages."""
        messages = tuple(ChatMessage(role, "x") for role in _ROLES)
        return max(0, len(await self.ids(ChapterPrompt(messages, "", ""))) - len(_ROLES))

    async def ids(self, prompt: ChapterPrompt, known: Sequence[Known] = ()) -> tuple[int, ...]:
        """The prompt's ids. A thought that the template's header opens is closed again."""
        rendered = await self._engine.render(prompt.messages)
        ids = () if rendered is None else await self._closed(rendered)
        for index, part in enumerate(split(prompt.plain if rendered is None else prompt.prefill, known)):
            special = index == 0 and rendered is None
            if isinstance(part, Known):
                ids += part.token_ids
            elif part or special:
                ids += await self._engine.tokenize(part, special=special)
        return ids

    async def _closed(self, ids: tuple[int, ...]) -> tuple[int, ...]:
        header = (await self._engine.detokenize(ids[-_HEADER:])).rstrip()
        opened = next((markers for markers in KNOWN if header.endswith(markers.begin)), None)
        if opened is None:
            return ids
        self._note = "This model would think first; the chapter goes on without a thought."
        return ids + await self._engine.tokenize(f"\n{opened.end}\n\n")

    async def text(self, token_ids: Sequence[int]) -> str:
        """The text of the ids, as the engine tells it."""
        return await self._engine.detokenize(token_ids)

    async def note(self) -> str:
        """What the last prompt showed of the template."""
        return self._note
