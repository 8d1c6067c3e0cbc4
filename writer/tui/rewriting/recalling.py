"""Rewritings that an earlier run left unfinished: offered one after the other, each on its card."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from writer.generation.rewriting import Kind
from writer.language import many, say
from writer.runtime.events import DeskOpened, Event, Offer, PassageLost, PassageRecalled
from writer.runtime.recipes import IDEA
from writer.runtime.rewriting import INSERT, REWRITE
from writer.text.count import ago
from writer.text.sanitise import one_line
from writer.tui.rewriting.answers import Answer, Wish
from writer.tui.rewriting.asking import NAMES
from writer.tui.screens.choice import Choice
from writer.tui.working import work

if TYPE_CHECKING:
    from writer.tui.rewriting.revising import Revising
    from writer.tui.screens.manuscript import ManuscriptScreen

ROLES = (REWRITE, INSERT)
_SHOW = "show"
_ANSWER = say("The answer to a prompt of yours was interrupted. What there is of it is kept: Ctrl+T, then T, shows it.")
_LOST = say(
    "The passage has been changed, so its rewriting is not put there. It is kept: press Ctrl+T, then T, to see it."
)


class Recalling:
    """Those that wait to be looked at, the newest first."""

    def __init__(self, screen: ManuscriptScreen, revising: Revising) -> None:
        self._screen = screen
        self._revising = revising
        self.waiting: list[Offer] = []
        self._asked: tuple[Offer, str] | None = None
        """The one that is asked for, and its chapter's text then."""
        self._offering = False

    def opened(self, event: DeskOpened) -> None:
        """The state is open: tell what was left. Cards of its chapters' own texts come first."""
        found = [offer for offer in event.asides if offer.role in ROLES and self._screen.named(offer.chapter)]
        for offer in event.asides:
            if offer.role == IDEA:
                self._screen.complain(_ANSWER, "information")
                self._screen.desk.keep(offer.generation)
        self.waiting = sorted(found, key=lambda offer: offer.stopped_at, reverse=True)
        if self.waiting and (event.offers or any(offer.role == "take" for offer in event.asides)):
            self._screen.complain(
                _counted(len(found)),
                "information",
            )
        elif self.waiting:
            self._offering = True
            self._screen.opening.unasked.show(self._ask)

    def show(self) -> None:
        """Show the first of them, and offer the others after it."""
        if self._revising.busy:
            self._screen.complain(say("A rewriting is shown already. F12 leads to it."), "information")
        elif self.waiting:
            self._offering = True
            work(self._screen, "rewriting", self._recall, self.waiting.pop(0))

    def next(self) -> None:
        """The author has done with one."""
        if self._offering and self.waiting:
            self._ask()

    def _ask(self) -> None:
        buttons = ((_SHOW, say("Show it")), ("later", say("Later")))
        self._screen.app.push_screen(Choice(self._lines(), buttons), self._answered)

    def _answered(self, answer: str | None) -> None:
        if answer == _SHOW:
            self.show()
        else:
            self._offering = False
            self._screen.note(say("Interrupted rewritings wait in Ctrl+P"))

    def _lines(self) -> list[str]:
        offer, others = self.waiting[0], len(self.waiting) - 1
        chapter = self._screen.named(offer.chapter)
        where, when = one_line(chapter.title, 60) if chapter else "", ago(time.time() - offer.stopped_at)
        lines = [
            say("An insertion in {chapter} stopped {when}, before its end.", chapter=where, when=when)
            if offer.role == INSERT
            else say("A rewriting in {chapter} stopped {when}, before its end.", chapter=where, when=when),
            many(
                "{count:,} word is saved. On its card Enter takes it, G goes on at its next word, Escape leaves it.",
                "{count:,} words are saved. On its card Enter takes it, G goes on at its next word, Escape leaves it.",
                offer.words,
            ),
        ]
        return [*lines, say("…and {others} more.", others=others)] if others else lines

    async def _recall(self, offer: Offer) -> None:
        await self._screen.opening.open(offer.chapter)
        page = self._screen.pages.get(offer.chapter)
        if page is None or page.legacy is not None:
            self._screen.complain(
                say("The chapter of that rewriting cannot be changed now. It stays saved."), "information"
            )
            return
        self._asked = offer, page.editor.text
        self._screen.desk.recall(offer.generation, page.editor.text)

    def heard(self, event: Event) -> None:
        """The writing thread has reported this."""
        if self._asked is None:
            return
        offer, text = self._asked
        if isinstance(event, PassageLost) and event.generation == offer.generation:
            self._asked = None
            self._screen.complain(_LOST, "information")
            self.next()
        elif isinstance(event, PassageRecalled) and event.rewritten.generation == offer.generation:
            self._asked = None
            self._recalled(event, text)

    def _recalled(self, event: PassageRecalled, text: str) -> None:
        found = event.rewritten
        if self._revising.busy:  # the author has begun another one meanwhile
            return
        answer = Answer(
            f"recalled {found.generation}",
            text,
            found.start,
            found.end,
            generation=found.generation,
            raw=event.raw,
        )
        answer.ended = True
        answer.came(found)
        kind = Kind(found.kind)
        self._revising.recall(found.chapter, Wish(NAMES[kind], kind, event.wish), answer)


def _counted(number: int) -> str:
    return many(
        "A rewriting was interrupted. Choose Interrupted rewritings in Ctrl+P to see what is written.",
        "{count} rewritings were interrupted. Choose Interrupted rewritings in Ctrl+P to see what is written.",
        number,
    )
