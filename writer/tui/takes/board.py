"""What the screen knows of the texts beside the chapters. Pure: it is told, and answers.

The list that the writing thread gives is the truth; between two lists what is written is added to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from writer.generation.model import State
from writer.language import say
from writer.runtime.events import (
    AsideBegun,
    BatchCommitted,
    ChoiceUndone,
    Event,
    GenerationFailed,
    GenerationFinished,
    GenerationInterrupted,
    GenerationPaused,
    GenerationStarted,
    TakeChosen,
    TakesListed,
)
from writer.runtime.takes import Take
from writer.text.count import words
from writer.tui.writing import Writing

ROLE = "take"


@dataclass(slots=True)
class Live:
    """A take that was begun, or gone on with, since the app was started."""

    chapter: str
    text: str = ""
    tokens: int = 0
    why: str = ""  # it has failed
    writing: Writing = field(default_factory=Writing)


class Board:
    """The takes of all chapters."""

    def __init__(self) -> None:
        self.live: dict[str, Live] = {}
        self.ordered: dict[str, tuple[str, int]] = {}
        """Chapter and number of takes of the orders that have not begun, by tag."""
        self._listed: dict[str, tuple[Take, ...]] = {}

    def order(self, tag: str, chapter: str, count: int) -> None:
        """An order was given."""
        self.ordered[tag] = chapter, count

    def heard(self, event: Event, now: float) -> str:
        """Take this report in (`now` in seconds, monotonic). The chapter whose list is out of date, or ""."""
        match event:
            case TakesListed(chapter=chapter, takes=takes):
                self._list(chapter, takes)
            case AsideBegun(role=role, generation=generation, chapter=chapter) if role == ROLE:
                self.ordered.pop(event.tag, None)
                self.live.setdefault(generation, Live(chapter)).why = ""
                self.live[generation].writing.asked(chapter)
                return chapter if event.number == event.count else ""
            case TakeChosen(generation=generation) | ChoiceUndone(generation=generation):
                return next((chapter for chapter, takes in self._listed.items() if _has(takes, generation)), "")
            case GenerationPaused(generation="", chapter=chapter):
                self.ordered = {tag: order for tag, order in self.ordered.items() if order[0] != chapter}
            case GenerationFailed(tag=tag) if tag in self.ordered:
                del self.ordered[tag]
            case _ if live := self.live.get(getattr(event, "generation", "")):
                return self._moved(live, event, now)
        return ""

    def _moved(self, live: Live, event: Event, now: float) -> str:
        match event:
            case GenerationStarted(generation=generation):
                live.writing.began(live.chapter, generation)
                live.writing.thinks(event.thinking, event.resumed_from)
                return live.chapter if event.resumed_from else ""
            case BatchCommitted(text=text, tokens=tokens) if tokens > live.tokens:
                live.text, live.tokens = live.text + text, tokens
                live.writing.counted(tokens, now)
                live.writing.thinks(event.thinking, tokens)
            case GenerationInterrupted(retrying=True):
                live.writing.retrying()
            case GenerationPaused() | GenerationFinished() | GenerationInterrupted() | GenerationFailed():
                live.writing.ended()
                live.why = event.sentence if isinstance(event, GenerationFailed) else ""
                return live.chapter
        return ""

    def _list(self, chapter: str, takes: tuple[Take, ...]) -> None:
        self._listed[chapter] = takes
        for take in takes:
            live = self.live.get(take.generation)
            if live is not None and take.tokens >= live.tokens:
                live.text, live.tokens = take.text, take.tokens

    # Asking ---------------------------------------------------------------------------------------------------

    def takes(self, chapter: str) -> tuple[Take, ...]:
        """The tree of its texts, each with all that is known to be written."""
        return tuple(self._whole(take) for take in self._listed.get(chapter, ()))

    def take(self, generation: str) -> Take | None:
        """The take of that name, if it was listed."""
        found = (take for takes in self._listed.values() for take in takes if take.generation == generation)
        return next((self._whole(take) for take in found), None)

    def _whole(self, take: Take) -> Take:
        live = self.live.get(take.generation)
        if live is None or live.tokens <= take.tokens:
            return take
        return replace(take, text=live.text, tokens=live.tokens, words=words(live.text))

    def group(self, chapter: str, generation: str = "") -> list[Take]:
        """Those that were ordered together with this one; of the newest order if none is named. The oldest first."""
        takes = [take for take in self.takes(chapter) if take.role == ROLE]
        if not takes:
            return []
        newest = max(takes, key=lambda take: take.created)
        of = _order_of(next((take for take in takes if take.generation == generation), newest))
        return sorted((take for take in takes if _order_of(take) == of), key=lambda take: take.created)

    def busy(self, generation: str) -> bool:
        """Whether it is being written."""
        return generation in self.live and self.live[generation].writing.busy

    @property
    def writing(self) -> int:
        """How many are being written."""
        return sum(live.writing.busy for live in self.live.values())

    def state(self, take: Take) -> str:
        """In plain words, how it stands with it."""
        live = self.live.get(take.generation)
        if live is not None and live.writing.busy:
            if thinking := live.writing.thinking_words:
                return thinking
            speed = live.writing.speed()
            return say("waits for the engine") if live.writing.phase.value != "writing" else _speed(speed)
        if live is not None and live.why:
            return say("stopped")
        if take.inside:
            return say("in the chapter")
        if take.state is State.FINISHED:
            return {"discarded": say("taken out"), "kept": say("kept")}.get(take.reason or "", say("ended"))
        return say("limit reached") if take.state is State.TRUNCATED else say("paused")


def _speed(speed: float | None) -> str:
    return say("written now") if speed is None else say("{speed:.0f} tok/s", speed=speed)


def _order_of(take: Take) -> tuple[object, ...]:
    return take.place, take.of, take.parent, take.parent_tokens, take.instruction


def _has(takes: tuple[Take, ...], generation: str) -> bool:
    return any(take.generation == generation for take in takes)
