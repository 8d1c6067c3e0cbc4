"""What the model might have written instead of one word: the engine is asked, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable

from writer.errors import NotResumable, WriterError
from writer.generation.model import Generation, Saved
from writer.generation.resume import clean_cut
from writer.generation.thinking import beyond
from writer.language import say
from writer.runtime.alternatives_found import (
    Alternatives,
    AlternativesFound,
    AlternativesRefused,
    ConfidenceFound,
    WordAsked,
)
from writer.runtime.branching import Branch, branch
from writer.runtime.engine_room import EngineRoom
from writer.runtime.texts import Texts
from writer.storage.state_file import StateFile

_SPACED = "\u0e00"  # scripts from here on part no words by spaces
_LONGEST = 16  # tokens of a word


class Wondering:
    """Asks the engine. Nothing is written."""

    def __init__(
        self,
        state: StateFile,
        room: EngineRoom,
        texts: Texts,
        notify: Callable[[Alternatives], None],
    ) -> None:
        self._state = state
        self._room = room
        self._texts = texts
        self._notify = notify

    async def answer(self, order: WordAsked) -> None:
        """AlternativesFound, ConfidenceFound, or AlternativesRefused."""
        try:
            found: Alternatives = await (self._found(order) if order.at >= 0 else self._confidence(order))
        except WriterError as error:
            self._notify(AlternativesRefused(order.tag, error.sentence))
        else:
            self._notify(found)

    async def _found(self, order: WordAsked) -> AlternativesFound:
        generation, saved = (
            self._state.generations.generation(order.generation),
            self._state.generations.load(order.generation),
        )
        await self._texts.branch(order.generation, 0)  # the engine reads the same tokens, or this is refused
        made, word = _before_word(generation, saved, order.at)
        asked = await self._room.alive(lambda engine: engine.alternatives(made.prompt_ids, order.count))
        return AlternativesFound(order.tag, generation.id, made.parent_tokens, len(made.text), word, asked)

    async def _confidence(self, order: WordAsked) -> ConfidenceFound:
        """The engine reads the whole prompt for this."""
        generations = self._state.generations
        saved = generations.load(order.generation)
        made = await self._texts.branch(order.generation, len(saved.token_ids))
        after = beyond(generations.generation(order.generation), saved)
        start = len(after.prompt_ids)
        chances = await self._room.alive(lambda engine: engine.confidence(made.prompt_ids, start))
        return ConfidenceFound(order.tag, order.generation, after.saved.ends[: len(chances)], chances)


def _before_word(generation: Generation, saved: Saved, at: int) -> tuple[Branch, str]:
    """The ids before the word at that character of the text, and the word."""
    after = beyond(generation, saved)
    first, last = word_tokens(after.saved, at)
    made = branch(generation, saved, after.offset + first)
    return made, saved.text[len(made.text) : after.saved.ends[last - 1]]


def word_tokens(saved: Saved, at: int) -> tuple[int, int]:
    """Which tokens, [first, last), are the word at that character. Raises NotResumable if none is."""
    last = next((number for number, end in enumerate(saved.ends, 1) if end > at), 0)
    if not last:
        raise NotResumable(say("There is no generated word at the cursor. Put it into one, then try again."))
    first = last - 1
    while first and last - first < _LONGEST and not (clean_cut(saved, first) and _parted(saved, first)):
        first -= 1
    while last < len(saved.ends) and last - first < _LONGEST and not _parted(saved, last):
        last += 1
    return first, last


def _parted(saved: Saved, tokens: int) -> bool:
    """Whether a word ends with so many tokens."""
    end = saved.ends[tokens - 1]
    return not (_joins(saved.text[end - 1 : end]) and _joins(saved.text[end : end + 1]))


def _joins(letter: str) -> bool:
    return letter.isalnum() and letter < _SPACED
