"""Rewriting and inserting, and the alternatives of one word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, cast

from textual.binding import Binding, BindingType
from textual.screen import Screen

from writer.language import say

if TYPE_CHECKING:
    from writer.runtime.events import Event
    from writer.tui.command import Command
    from writer.tui.page import Page
    from writer.tui.rewriting.origins import OriginsShown
    from writer.tui.rewriting.revising import Revising
    from writer.tui.screens.manuscript import ManuscriptScreen

_RECALLED = ("rewrite", "insert", "idea")
"""Roles of texts that are offered again if an earlier run left them unfinished."""
_KINDS = (
    (say("Shorten the passage"), say("About half as long"), "shorten"),
    (say("Expand the passage"), say("About twice as long"), "expand"),
    (say("Another tense"), say("Rewrite the passage in it"), "tense"),
    (say("Another point of view"), say("Rewrite the passage from it"), "view"),
    (say("Rewrite in your words"), say("Say what should become of the passage"), "free"),
    (say("Insert at the cursor"), say("New text that fits what stands before and behind"), "insert"),
)


class RewriteActions(Screen[None]):
    """The part of the main screen that concerns rewriting."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f12", "rewrite", show=False, id="rewrite"),
        Binding("ctrl+e", "other_words", show=False, id="other_words"),
    ]
    page: Page | None
    _revising: Revising | None = None
    _origins: OriginsShown | None = None

    @property
    def revising(self) -> Revising:
        """Rewritings and insertions."""
        if self._revising is None:
            from writer.tui.rewriting.revising import Revising

            self._revising = Revising(cast("ManuscriptScreen", self))
        return self._revising

    @property
    def origins(self) -> OriginsShown:
        """Who wrote what."""
        if self._origins is None:
            from writer.tui.rewriting.origins import OriginsShown

            self._origins = OriginsShown(cast("ManuscriptScreen", self))
        return self._origins

    def rewrite_commands(self) -> Iterator[Command]:
        """What the palette offers of it now."""
        if self._revising is not None and (waiting := self._revising.recalling.waiting):
            yield (
                say("Interrupted rewritings"),
                say("{count} left unfinished", count=len(waiting)),
                self._revising.recalling.show,
            )
        if self.page is None or not self.page.chapter.number:
            return
        yield say("Rewrite the passage"), say("All that can be done with it; your own prompts"), self.action_rewrite
        for name, about, kind in _KINDS:
            yield name, about, lambda kind=kind: self.revising.open(kind)  # type: ignore[misc]

        yield say("Other words"), say("What else might stand at the cursor; go on from there"), self.action_other_words
        yield (
            say("Tint unsure words"),
            say("Where the model was not sure of the last text; again: stops"),
            self.action_tint,
        )
        page = self.page
        yield say("Who wrote this"), say("You or a model, when, and which take"), lambda: self.origins.ask(page)

    def rewrites(self, event: Event) -> bool:
        """Whether this is about a rewriting alone: its text stands in no chapter."""
        return self._revising is not None and self._revising.owns(event)

    def rewrite_heard(self, event: Event) -> None:
        """The writing thread has reported this."""
        from writer.runtime.events import DeskOpened, GenerationTold, OriginsFound

        if isinstance(event, DeskOpened) and any(offer.role in _RECALLED for offer in event.asides):
            self.revising.recalling.opened(event)
        if isinstance(event, OriginsFound | GenerationTold):
            self.origins.heard(event)
        if self._revising is not None:
            self._revising.heard(event)

    def action_rewrite(self) -> None:
        """Ask what should be done with the passage, or show what is being rewritten."""
        self.revising.open()

    def action_other_words(self) -> None:
        """Ask what the model might have written instead of the word at the cursor."""
        self.revising.other_words()

    def action_tint(self) -> None:
        """Tint the words of which the model was not sure, or stop it."""
        self.revising.tint()
