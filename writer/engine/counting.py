"""Counts tokens and makes a prompt's ids with the model's own tokenizer and template, in a worker thread.

Needs the model's folder, and no engine. Where the folder is not known, the engine is asked (runtime/engine_wording).
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from writer.engine import tokens
from writer.engine.chat_template import ChatTemplate, read_template
from writer.errors import ModelUnusable
from writer.generation.chat_form import ChatForm, TemplateRefused, form_of, open_turn
from writer.generation.prompt import ChapterPrompt, ChatMessage, before_thought
from writer.generation.sampling import Thinking
from writer.generation.thought import KNOWN, with_ids
from writer.generation.wording import Known, OpenThought, behind, closing, split

_MOST = 200_000  # counts that are remembered; a long novel has a few thousand
_JOINER = "\u2060"  # nothing to see; parts a mark, so that it is text
_ROLES = ("system", "user", "assistant", "user")


class ModelWording:
    """A Wording (see generation/wording.py) of the model in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._counts: dict[bytes, int] = {}
        self._last: tokens.Encoded | None = None

    @property
    def usable(self) -> bool:
        """Whether the folder holds a tokenizer that can be read here. Reads it: a third of a second, once."""
        try:
            return (self._folder / "tokenizer.json").is_file() and tokens.marks(self._folder) is not None
        except ModelUnusable:  # made for a newer library than ours, perhaps; the engine may know it
            return False

    async def counts(self, texts: Sequence[str]) -> Sequence[int]:
        """Tokens of each text. Raises ModelUnusable."""
        return await asyncio.to_thread(self.count, texts)

    async def overhead(self) -> int:
        """Tokens that the template adds to four messages."""
        return await asyncio.to_thread(lambda: self._overhead)

    async def ids(self, prompt: ChapterPrompt, known: Sequence[Known] = ()) -> tuple[int, ...]:
        """The prompt's ids. Raises ModelUnusable."""
        return await asyncio.to_thread(self.prompt_ids, prompt, known)

    async def asked(self, messages: Sequence[ChatMessage]) -> tuple[int, ...] | None:
        """The ids of a talk with an empty answer, without a thought; None without a template. Raises ModelUnusable."""
        prompt = ChapterPrompt(tuple(messages), "", "")
        return await asyncio.to_thread(lambda: None if self._head(prompt)[1] else self.prompt_ids(prompt))

    async def thinks(self) -> bool:
        """Whether the template knows thoughts."""
        return await asyncio.to_thread(lambda: self._form is not None and self._form.thought is not None)

    async def thought(self, prompt: ChapterPrompt) -> OpenThought | None:
        """The prompt of an answer that begins with a thought. Raises ModelUnusable."""
        return await asyncio.to_thread(self.open_thought, prompt)

    async def text(self, token_ids: Sequence[int]) -> str:
        """The text of the ids, special tokens included. Raises ModelUnusable."""
        return await asyncio.to_thread(tokens.shown, self._folder, token_ids)

    async def note(self) -> str:
        """What is unusual about the template."""
        return await asyncio.to_thread(lambda: self._form.note if self._form else "")

    def count(self, texts: Sequence[str]) -> list[int]:
        """As `counts`, in this thread."""
        keys = [hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts]
        fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._counts}
        if len(self._counts) + len(fresh) > _MOST:
            self._counts, fresh = {}, dict(zip(keys, texts, strict=True))
        self._counts |= zip(fresh, tokens.lengths(self._folder, list(fresh.values())), strict=True)
        return [self._counts[key] for key in keys]

    def prompt_ids(self, prompt: ChapterPrompt, known: Sequence[Known] = ()) -> tuple[int, ...]:
        """As `ids`, in this thread."""
        prompt = self._plain(prompt)
        head, special = self._head(prompt)
        text = prompt.prefill if not special else prompt.plain
        parts = split(text, known) if known else [text]
        if len(parts) > 1 and not (self._apart or isinstance(parts[-1], Known)):
            parts = [text]
        ids = list(self._first(head + _said(parts[:1]), special=special))
        for part in parts[1:] if isinstance(parts[0], str) else parts:
            ids += part.token_ids if isinstance(part, Known) else tokens.encode(self._folder, part)
        return tuple(ids)

    def open_thought(self, prompt: ChapterPrompt) -> OpenThought | None:
        """As `thought`, in this thread."""
        if self._template is None or self._form is None or self._form.thought is None:
            return None
        asked, joint = before_thought(self._plain(prompt))
        try:
            head = open_turn(self._template.render, self._form, asked.messages, thinking=True)
        except TemplateRefused:
            return None
        marks = with_ids(self._form.thought, lambda text: tokens.encode(self._folder, text))
        then = tokens.encode(self._folder, behind(marks, joint))
        cut = tokens.encode(self._folder, closing(marks)) + then
        thinking = Thinking(marks.begin, marks.end, marks.end_id, 0, then, cut)
        return OpenThought(self._first(head, special=False), thinking)

    def _first(self, text: str, *, special: bool) -> tuple[int, ...]:
        """The ids of what a prompt begins with, which is mostly what the last one began with."""
        if special:
            return tokens.encode(self._folder, text, special=True)
        self._last = tokens.encode_after(self._folder, text, self._last)
        return self._last.ids

    def rendered(self, prompt: ChapterPrompt) -> str:
        """The text that becomes the ids, as the model reads it."""
        prompt = self._plain(prompt)
        head, special = self._head(prompt)
        return head + (prompt.plain if special else prompt.prefill)

    def _plain(self, prompt: ChapterPrompt) -> ChapterPrompt:
        """The same, without anything that would be read as a special token: no text ends the author's turn."""
        messages = tuple(ChatMessage(each.role, self._without_marks(each.content)) for each in prompt.messages)
        return ChapterPrompt(messages, self._without_marks(prompt.prefill), self._without_marks(prompt.plain))

    def _without_marks(self, text: str) -> str:
        return self._marks.sub(lambda found: found[0][0] + _JOINER + found[0][1:], text)

    @cached_property
    def _marks(self) -> re.Pattern[str]:
        marks = [*tokens.marks(self._folder), *(mark for each in KNOWN for mark in (each.begin, each.end))]
        return re.compile("|".join(map(re.escape, marks)))

    def _head(self, prompt: ChapterPrompt) -> tuple[str, bool]:
        """What the template puts before the open turn; whether there is no template, so that the plain text is sent."""
        if self._template is None or self._form is None or not prompt.messages:
            return "", True
        if not self._form.continues and (prompt.prefill or self._form.thinks):
            return "", True
        try:
            return open_turn(self._template.render, self._form, prompt.messages), False
        except TemplateRefused:
            return "", True

    @cached_property
    def _template(self) -> ChatTemplate | None:
        try:
            return read_template(self._folder)
        except TemplateRefused:
            return None

    @cached_property
    def _form(self) -> ChatForm | None:
        return form_of(self._template.render, self._template.source) if self._template else None

    @cached_property
    def _apart(self) -> bool:
        return tokens.apart(self._folder)

    @cached_property
    def _overhead(self) -> int:
        messages = tuple(ChatMessage(role, "x") for role in _ROLES)
        return max(0, len(self.prompt_ids(ChapterPrompt(messages, "", ""))) - len(_ROLES))


def _said(parts: Sequence[str | Known]) -> str:
    return "".join(part for part in parts if isinstance(part, str))
