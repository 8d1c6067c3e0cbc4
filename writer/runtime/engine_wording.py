"""Counts tokens and makes a prompt's ids by asking the engine: where the model's folder is not on this machine.

Slower than the model's own tokenizer, since each text is a question; what was counted once is remembered.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence

from writer.engine.base import Engine
from writer.generation.chat_form import WITHOUT_THOUGHT
from writer.generation.prompt import ChapterPrompt, ChatMessage, before_thought
from writer.generation.sampling import Thinking
from writer.generation.thought import KNOWN, Markers
from writer.generation.wording import Known, OpenThought, behind, closing, split

_AT_ONCE = 8  # questions
_HEADER = 24  # ids at the end of a rendered prompt, in which a thought may be opened
_PAIRS = 5  # of the known marks of a thought: those of a pair that stands in no other place
_ANY = ChapterPrompt((ChatMessage("user", "x"),), "", "")
_ROLES = ("system", "user", "assistant", "user")


class EngineWording:
    """A Wording (see generation/wording.py) of the model that an engine serves. Methods raise EngineDied."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._counts: dict[bytes, int] = {}
        self._note = ""
        self._marks: Markers | None = None
        self._asked = False

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
        """The prompt's ids. A model that would think first finds an empty thought."""
        asked = await self.asked(prompt.messages)
        ids = asked or ()
        for index, part in enumerate(split(prompt.plain if asked is None else prompt.prefill, known)):
            special = index == 0 and asked is None
            if isinstance(part, Known):
                ids += part.token_ids
            elif part or special:
                ids += await self._engine.tokenize(part, special=special)
        return ids

    async def asked(self, messages: Sequence[ChatMessage]) -> tuple[int, ...] | None:
        """The ids of a talk, and of an answer that is begun and empty, without a thought; None without a template."""
        rendered = await self._engine.render(messages) if messages else None
        return None if rendered is None else await self._closed(rendered)

    async def thinks(self) -> bool:
        """Whether the model's template opens thoughts, or its tokenizer has a mark for them."""
        return await self.thought(_ANY) is not None

    async def thought(self, prompt: ChapterPrompt) -> OpenThought | None:
        """The prompt of an answer that begins with a thought; None if the model is not known to think."""
        asked, joint = before_thought(prompt)
        rendered = await self._engine.render(asked.messages)
        if rendered is None:
            return None
        header = (await self._engine.detokenize(rendered[-_HEADER:])).rstrip()
        opened = next((markers for markers in KNOWN if header.endswith(markers.begin)), None)
        marks = opened or await self._markers()
        if marks is None or header.endswith(marks.end):  # it finds an empty one already
            return None
        ids = rendered if opened else rendered + await self._engine.tokenize(marks.opening)
        end = await self._engine.tokenize(marks.end)
        then = await self._engine.tokenize(behind(marks, joint))
        cut = await self._engine.tokenize(closing(marks)) + then
        return OpenThought(ids, Thinking(marks.begin, marks.end, end[0] if len(end) == 1 else None, 0, then, cut))

    async def _markers(self) -> Markers | None:
        """Those for which this engine's tokenizer has a token of its own. Asked once."""
        if not self._asked:
            found = [each for each in KNOWN if len(await self._engine.tokenize(each.sign)) == 1]
            self._marks, self._asked = next(iter(found), None), True
        return self._marks

    async def _closed(self, ids: tuple[int, ...]) -> tuple[int, ...]:
        """The prompt, at whose end a model that thinks finds an empty thought."""
        header = (await self._engine.detokenize(ids[-_HEADER:])).rstrip()
        if any(header.endswith(markers.end) for markers in KNOWN[:_PAIRS]):
            return ids
        opened = next((markers for markers in KNOWN if header.endswith(markers.begin)), None)
        if opened is not None:
            self._note = WITHOUT_THOUGHT
            return ids + await self._engine.tokenize(f"\n{opened.end}{opened.behind}")
        marks = await self._markers()
        return ids if marks is None else ids + await self._engine.tokenize(marks.empty)

    async def text(self, token_ids: Sequence[int]) -> str:
        """The text of the ids, as the engine tells it."""
        return await self._engine.detokenize(token_ids)

    async def note(self) -> str:
        """What the last prompt showed of the template."""
        return self._note
