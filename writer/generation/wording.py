"""How texts become token ids: what a plan asks of a tokenizer, be it in this process or behind an engine. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from writer.generation.model import Saved
from writer.generation.prompt import ChapterPrompt


@dataclass(frozen=True, slots=True)
class Known:
    """A text whose ids are known, because a model wrote it. Read anew it could become other ids."""

    text: str = field(repr=False)
    token_ids: tuple[int, ...] = field(repr=False)


class Wording(Protocol):
    """Texts into ids, with one model's tokenizer and chat template. Methods may raise EngineError and its kinds."""

    async def counts(self, texts: Sequence[str]) -> Sequence[int]:
        """Tokens of each text, as it counts in the middle of a longer one. Remembered by the text's hash."""
        ...

    async def overhead(self) -> int:
        """Tokens that the chat template adds to four messages, at most."""
        ...

    async def ids(self, prompt: ChapterPrompt, known: Sequence[Known] = ()) -> tuple[int, ...]:
        """The prompt's ids, the answer's turn left open. Where a known text stands in the prefill, its ids stay."""
        ...

    async def text(self, token_ids: Sequence[int]) -> str:
        """The text of the ids with all marks, as the model reads it."""
        ...

    async def note(self) -> str:
        """A sentence for the author about the model's template; "" if it is as usual."""
        ...


def known(saved: Saved) -> Known | None:
    """What a model has written, without the ids behind its last character; None if that is nothing."""
    length = next((n for n, end in enumerate(saved.ends, 1) if end == len(saved.text)), 0)
    return Known(saved.text, saved.token_ids[:length]) if saved.text and length else None


def split(text: str, known: Sequence[Known]) -> list[str | Known]:
    """The text, parted where a known one stands: longest first, each once, none inside another."""
    parts: list[str | Known] = [text]
    for each in sorted(known, key=lambda each: -len(each.text)):
        for index, part in enumerate(parts):
            if isinstance(part, str) and (at := part.find(each.text)) >= 0:
                around: list[str | Known] = [part[:at], each, part[at + len(each.text) :]]
                parts[index : index + 1] = [piece for piece in around if piece]
                break
    return parts
