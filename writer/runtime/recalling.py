"""The thought of a text, told when it is asked for. The journal has its ids; the model's tokenizer reads its words.

Nothing is stored for that, and no engine is started.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from writer.errors import WriterError
from writer.generation.model import Generation, Saved
from writer.generation.sampling import thinking_of
from writer.generation.thinking import beyond, thought_ids
from writer.language import say
from writer.text.sanitise import from_model

if TYPE_CHECKING:
    from writer.runtime.showing import Reader  # the screens know the event alone
    from writer.storage.generations import GenerationStore

_NONE = say("No text of this chapter was thought about before it was written. Sampling (F5) lets a model think first.")
_UNREAD = say("The words of this thought are not known yet. Press Ctrl+P, choose Start the engine, then look again.")
_OTHER = say("This thought was another model's. Set engine.model back in the settings to read it.")


@dataclass(frozen=True, slots=True)
class ThoughtFound:
    """An event: the thought of one text, or `why` it cannot be told."""

    chapter: str
    generation: str = ""  # "" if there is none
    text: str = field(default="", repr=False)
    tokens: int = 0  # of the generation, when it was read
    thought: int = 0  # tokens of the thought
    open: bool = False  # no text follows it yet
    created: float = 0.0  # UTC seconds
    role: str = "text"
    others: tuple[str, ...] = ()  # the chapter's generations that have thoughts, newest first; this one is among them
    why: str = ""


class Recalling:
    """Tells the thoughts of one manuscript's chapters."""

    def __init__(
        self,
        generations: GenerationStore,
        reader: Callable[[], Awaitable[Reader | None]],
        notify: Callable[[ThoughtFound], None],
    ) -> None:
        """`reader`: who can read ids now, be it an engine that is there or the model on the disk."""
        self._generations = generations
        self._reader = reader
        self._notify = notify

    async def tell(self, chapter: str, generation: str = "") -> ThoughtFound:
        """The thought of that generation, else the newest of the chapter; also reported."""
        found = await self._found(chapter, generation)
        self._notify(found)
        return found

    async def _found(self, chapter: str, generation: str) -> ThoughtFound:
        thoughtful = [
            each for each in self._generations.all() if each.chapter == chapter and thinking_of(each.sampling)
        ]
        others = tuple(each.id for each in reversed(thoughtful))
        asked = next((each for each in thoughtful if each.id == generation), thoughtful[-1] if thoughtful else None)
        if asked is None:
            return ThoughtFound(chapter, why=_NONE)
        try:
            return await self._read(asked, self._generations.load(asked.id), others)
        except WriterError as error:
            return ThoughtFound(chapter, asked.id, others=others, why=error.sentence)

    async def _read(self, asked: Generation, saved: Saved, others: tuple[str, ...]) -> ThoughtFound:
        ids = thought_ids(asked, saved)
        reader = await self._reader()
        why = _UNREAD if reader is None else _OTHER if _differ(reader.tokenizer, asked.fingerprint.tokenizer) else ""
        said = "" if reader is None or why or not ids else from_model(await reader.wording.text(ids))
        thinking = thinking_of(asked.sampling)
        if thinking is not None and thinking.end_id is None:  # then the mark is among the words
            said = said.partition(thinking.end)[0]
        return ThoughtFound(
            chapter=asked.chapter,
            generation=asked.id,
            text=said.strip("\ufffd").lstrip(),
            tokens=len(saved.token_ids),
            thought=len(ids),
            open=not saved.text and not beyond(asked, saved).offset,
            created=asked.created,
            role=asked.role,
            others=others,
            why=why,
        )


def _differ(one: str, other: str) -> bool:
    return bool(one and other and one != other)
