"""How texts become token ids: what a plan asks of a tokenizer, be it in this process or behind an engine. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from writer.generation.model import Saved
from writer.generation.prompt import ChapterPrompt, ChatMessage
from writer.generation.sampling import Thinking
from writer.generation.thought import Markers


@dataclass(frozen=True, slots=True)
class Known:
    """A text whose ids are known, because a model wrote it. Read anew it could become other ids."""

    text: str = field(repr=False)
    token_ids: tuple[int, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class OpenThought:
    """A prompt that ends inside a thought. The limit of `thinking` is still to be set."""

    prompt_ids: tuple[int, ...] = field(repr=False)
    thinking: Thinking


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

    async def asked(self, messages: Sequence[ChatMessage]) -> tuple[int, ...] | None:
        """The ids of a talk, and of an answer that is begun and empty, without a thought; None without a template."""
        ...

    async def thinks(self) -> bool:
        """Whether the model's template knows thoughts."""
        ...

    async def thought(self, prompt: ChapterPrompt) -> OpenThought | None:
        """The same as `ids`, of an answer that begins with a thought; None if the model does not think."""
        ...

    async def text(self, token_ids: Sequence[int]) -> str:
        """The text of the ids with all marks, as the model reads it."""
        ...

    async def note(self) -> str:
        """A sentence for the author about the model's template; "" if it is as usual."""
        ...


CLOSING = "I have thought enough. Now I write."
"""What ends a thought that has used up its tokens, before its mark."""


def behind(markers: Markers, joint: str) -> str:
    """What stands between a thought and what is written: its text ends as the chapter does."""
    return markers.behind + joint


def closing(markers: Markers) -> str:
    """What closes a thought that goes on."""
    return f"\n\n{CLOSING}\n{markers.end}"


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
