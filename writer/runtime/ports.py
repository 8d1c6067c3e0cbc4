"""What a front end may ask of the writing thread. Tests and other front ends bring their own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol

from writer.config import Settings
from writer.manuscript.model import Chapter, ChapterText
from writer.runtime.alternatives_found import WordAsked
from writer.runtime.events import Event
from writer.runtime.orders import ArrangeOrder, AsideOrder, DraftOrder, ResumeOrder, SaveOrder
from writer.runtime.rewriting import RewriteRequest


class Desk(Protocol):
    """Where orders go. Every method returns at once; answers come as events, in the thread that calls `notify`."""

    def start(self, notify: Callable[[Event], None]) -> None:
        """Open the state, recover, and report DeskOpened. `notify` is called from another thread."""
        ...

    def draft(self, order: DraftOrder) -> None: ...

    def resume(self, order: ResumeOrder) -> None: ...

    def aside(self, order: AsideOrder) -> None:
        """Write beside the chapter: AsideBegun for each text, or GenerationFailed with the order's tag."""
        ...

    def rewrite(self, request: RewriteRequest) -> None:
        """Rewrite a passage, or write into the middle, beside the chapter; events as of `aside`."""
        ...

    def rewritten(self, generation: str, text: str) -> None:
        """What is written of a rewriting, and where it goes in the chapter's `text` of now: PassageRewritten."""
        ...

    def recall(self, generation: str, text: str) -> None:
        """As `rewritten`, of one that an earlier run left: PassageRecalled, or PassageLost. It is kept then."""
        ...

    def origins(self, chapter: str, text: str) -> None:
        """Who wrote what of this chapter, which has this text: OriginsFound. Saves keep it: SaveOrder.origins."""
        ...

    def who(self, generation: str) -> None:
        """What is on record of a generation: GenerationTold."""
        ...

    def thought(self, chapter: str, generation: str = "") -> None:
        """What was thought before that text, or before the newest of the chapter: ThoughtFound."""
        ...

    def alternatives(self, order: WordAsked) -> None:
        """What might stand instead of a generated word: AlternativesFound, or AlternativesRefused."""
        ...

    def summarise(self, chapter: Chapter) -> None:
        """Sum up this chapter, or go on with its summary: AsideBegun, then SummaryWritten or SummaryStopped."""
        ...

    def go_on(self, generation: str) -> None:
        """Go on with a text beside its chapter at its very next token."""
        ...

    def choose(self, generation: str) -> None:
        """This text from beside the chapter is in the chapter's text now (save that first): TakeChosen."""
        ...

    def unchoose(self, generation: str) -> None:
        """The author took that back: it is out of the chapter again, and kept. ChoiceUndone."""
        ...

    def keep_all(self, chapter: str) -> None:
        """The texts beside the chapter stay there, and will not be offered again."""
        ...

    def takes(self, chapter: str) -> None:
        """List the texts of the chapter, in it and beside it: TakesListed."""
        ...

    def pause(self, generation: str = "", chapter: str = "") -> None:
        """Stop one text, those of a chapter and beside it, or all; also what has not begun. Nothing there: no event."""
        ...

    def free_gpu(self) -> None:
        """Pause everything and free the GPU: EngineProgressed with "asleep", or GenerationFailed that says why not."""
        ...

    def plan(self, order: DraftOrder) -> None:
        """Plan what would be sent, and send nothing: PromptShown."""
        ...

    def settings(self, settings: Settings) -> None:
        """How text is drawn has been changed: this holds for the next one. The engine stays as it is."""
        ...

    def arrange(self, order: ArrangeOrder) -> None:
        """Add, rename, move, cut or join chapters: ChaptersArranged, or ArrangeRefused."""
        ...

    def opened(self, chapter: str, loaded: ChapterText) -> None:
        """The front end has read this chapter: a save must find its file as it was then."""
        ...

    def save(self, order: SaveOrder) -> None: ...

    def look(self) -> None:
        """The author is back at this window: have other programs changed a chapter? Hints may have been missed."""
        ...

    def keep(self, generation: str) -> None:
        """The text stays as it is; this generation will not be offered again."""
        ...

    def discard(self, generation: str, text: str, place: tuple[int, int]) -> None:
        """The author took the text out; this generation will not be offered again.

        It is a take now, meant for [start, end) of the chapter's `text` as it is without it.
        """
        ...

    def undiscard(self, generation: str) -> None:
        """The author took that back; the generation can go on again."""
        ...

    def warm_up(self) -> None:
        """Attach to the engine, or start one, in the background."""
        ...

    def close(self) -> Future[None]:
        """Pause, do what was ordered, say goodbye to the engine, close the state. Nothing is reported after."""
        ...
