"""Rewriting from the key to the chapter: passage, menu, orders, card, and what is taken. Never waits for the engine."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from writer.generation.rewriting import Kind
from writer.language import say
from writer.runtime.alternatives_found import AlternativesFound
from writer.runtime.events import (
    AsideBegun,
    BatchCommitted,
    Event,
    GenerationFailed,
    GenerationFinished,
    GenerationInterrupted,
    GenerationPaused,
    GenerationStarted,
    PassageRewritten,
)
from writer.runtime.recipes import asked, idea
from writer.runtime.rewriting import RewriteRequest
from writer.tui.rewriting.answers import Answer, Answers, Wish, followed, placed
from writer.tui.rewriting.asking import Asking
from writer.tui.rewriting.card import ACCEPT, AGAIN, ASIDE, GO_ON, REJECT, RewriteCard
from writer.tui.rewriting.recalling import Recalling
from writer.tui.rewriting.wording import TAKE, Wording, whole
from writer.tui.working import work, work_anew

if TYPE_CHECKING:
    from writer.tui.page import Page
    from writer.tui.screens.manuscript import ManuscriptScreen

_CHANGED = say("The passage has been changed meanwhile, so the difference is made anew. Look at it, then press Enter.")
_GONE = say("The chapter is not open any more, so nothing is put there. The text is kept among its takes.")
_TAG = "rewriting "


class Revising:
    """One wish at a time; its answers may be written while the author types on."""

    def __init__(self, screen: ManuscriptScreen) -> None:
        self._screen = screen
        self._answers: Answers | None = None
        self._card: RewriteCard | None = None
        self._asked: list[Answer] = []  # all of this session
        self._asking = Asking(screen, self._begin)
        self._wording = Wording(screen)
        self.recalling = Recalling(screen, self)

    # Asking ---------------------------------------------------------------------------------------------------

    def open(self, kind: str = "") -> None:
        """Show the card that was put aside, or ask what should be done with the passage."""
        if self._answers is not None:
            self._show()
        elif kind:
            self._asking.kind(kind)
        else:
            self._asking.menu()

    def other_words(self) -> None:
        """Ask what else might stand where the cursor is."""
        if self._answers is not None:
            self._show()
        elif (page := self._asking.writable()) is not None:
            self._wording.ask(page)

    def tint(self) -> None:
        """Tint the words of which the model was not sure, or stop it."""
        if (page := self._asking.writable()) is not None:
            self._wording.tint(page)

    def _reworded(self, found: AlternativesFound, number: int | None) -> None:
        if number is not None and self._answers is None:
            chosen = found.alternatives[number]
            if (made := self._wording.order(found, chosen)) is not None:
                page, order = made
                self._answers = Answers(page.chapter.path, Wish(say("Another word"), order=order))
                self._order(order.text, order.start, order.end)
                self._show()

    def _begin(self, page: Page, wish: Wish) -> None:
        start, end = page.editor.sheet.selected
        if wish.kind == Kind.INSERT:
            start = end = page.editor.cursor
        elif start == end and wish.order is None:
            self._screen.complain(
                say("Put the cursor into a sentence, or select a passage, then try again."), "information"
            )
            return
        self._answers = Answers(page.chapter.path, wish)
        self._order(page.editor.text, start, end)
        self._show()

    def _order(self, text: str, start: int, end: int) -> None:
        """Ask for one more answer."""
        assert self._answers is not None
        wish, chapter = self._answers.wish, self._answers.chapter
        answer = Answer(f"{_TAG}{len(self._asked) + 1}", text, start, end, wish.order)
        self._asked.append(answer)
        self._answers.add(answer)
        self._screen.keeping.save(self._screen.pages.get(chapter))  # after a crash its passage is to be found
        if wish.order is not None:
            self._screen.desk.aside(asked(wish.order, answer.tag, text, start, end))
        else:
            self._screen.desk.rewrite(
                RewriteRequest(chapter, text, start, end, Kind(wish.kind), wish.words, tag=answer.tag)
            )

    # What is reported -----------------------------------------------------------------------------------------

    def owns(self, event: Event) -> bool:
        """Whether this concerns an answer alone: nothing of it stands in a chapter."""
        match event:
            case GenerationStarted() | BatchCommitted() | GenerationPaused() | GenerationInterrupted():
                return self._of(event.generation) is not None
            case GenerationFinished(generation=generation):
                return self._of(generation) is not None
            case GenerationFailed(generation=generation, tag=tag):
                return self._of(generation, tag) is not None
        return False

    def _of(self, generation: str, tag: str = "") -> Answer | None:
        found = (a for a in self._asked if (tag and a.tag == tag) or (generation and a.generation == generation))
        return next(found, None)

    def heard(self, event: Event) -> None:
        """The writing thread has reported this."""
        self.recalling.heard(event)
        if (words := self._wording.heard(event)) is not None:
            self._screen.app.push_screen(self._wording.show(words), lambda number: self._reworded(words, number))
            return
        match event:
            case AsideBegun(tag=tag, generation=generation) if answer := self._of("", tag):
                answer.generation = generation
                if answer.unwanted:
                    self._screen.desk.pause(generation)
            case BatchCommitted(generation=generation, text=text) if answer := self._of(generation):
                answer.raw += text
            case GenerationInterrupted(generation=generation, retrying=True) if answer := self._of(generation):
                answer.sentence = event.sentence
            case GenerationFinished(generation=generation) if answer := self._of(generation):
                self._ended(answer, complete=event.reason != "length")
            case GenerationPaused() | GenerationInterrupted() if answer := self._of(event.generation):
                self._ended(answer, complete=False)
            case GenerationFailed(generation=generation, tag=tag) if answer := self._of(generation, tag):
                answer.ended, answer.sentence = True, event.sentence
            case PassageRewritten(rewritten=found) if answer := self._of(found.generation):
                answer.came(found)
            case _:
                return
        self._draw(more=isinstance(event, BatchCommitted))

    def _ended(self, answer: Answer, *, complete: bool) -> None:
        answer.ended, answer.sentence = True, ""
        desk = self._screen.desk
        if answer.unwanted:
            desk.keep(answer.generation)
        elif answer.order is not None and answer.order.role == TAKE:
            answer.came(whole(answer, answer.order.chapter, complete=complete))
        elif answer.order is not None:
            answer.came(idea(answer.generation, answer.order, answer.base, answer.end, answer.raw, complete=complete))
        else:
            desk.rewritten(answer.generation, answer.base)

    # The card -------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        assert self._answers is not None
        if self._card is None:
            self._card = RewriteCard(self._answers, self.decided)
            self._screen.app.push_screen(self._card)
            work(self._screen, "rewriting", self._settle, self._answers.shown)

    def _draw(self, *, more: bool = False) -> None:
        if self._card is not None:
            (self._card.more if more else self._card.draw)()

    def _hide(self) -> None:
        if self._card is not None:
            self._card.dismiss()
            self._card = None
        if self._screen.page is not None:
            self._screen.page.editor.focus()

    def decided(self, what: str) -> None:
        """The author has pressed a key on the card."""
        assert self._answers is not None
        answer = self._answers.shown
        if what == ACCEPT and not answer.ended:
            if answer.generation:
                self._screen.desk.pause(answer.generation)
        elif what == ACCEPT:
            work_anew(self._screen, "rewriting", self._take, answer)
        elif what == AGAIN:
            work_anew(self._screen, "rewriting", self._again, answer)
        elif what == GO_ON:
            self._go_on(answer)
        elif what == ASIDE:
            self._hide()
            self._screen.note(say("F12 shows the rewriting again"))
        elif what == REJECT:
            self._leave()

    def _go_on(self, answer: Answer) -> None:
        """At its very next token, if it was stopped."""
        if answer.stopped:
            answer.ended, answer.sentence = False, ""
            self._screen.desk.go_on(answer.generation)
            self._draw()
        else:
            self._screen.complain(
                say("This answer has ended, so there is nothing to go on with. A asks again."), "information"
            )

    def recall(self, chapter: str, wish: Wish, answer: Answer) -> None:
        """Show an answer of an earlier run."""
        self._asked.append(answer)
        self._answers = Answers(chapter, wish)
        self._answers.add(answer)
        self._show()

    @property
    def busy(self) -> bool:
        """Whether the author is at a wish already."""
        return self._answers is not None

    def _leave(self, chosen: str = "") -> None:
        """The card closes; what was written stays among the takes, and is not offered again."""
        assert self._answers is not None
        for answer in self._answers.all:
            if not answer.ended:
                answer.unwanted = True
                if answer.generation:
                    self._screen.desk.pause(answer.generation)
            elif answer.generation not in ("", chosen) and not (answer.found and answer.found.complete):
                self._screen.desk.keep(answer.generation)
        self._hide()
        self._answers = None
        self.recalling.next()

    async def _again(self, answer: Answer) -> None:
        page = self._page()
        if page is None or self._answers is None:
            return
        start, end, text = answer.start, answer.end, page.editor.text
        if text != answer.base:
            start, end = await asyncio.to_thread(followed, answer.base, text, start, end)
        self._order(text, start, end)
        self._draw()

    def _page(self) -> Page | None:
        page = self._screen.pages.get(self._answers.chapter) if self._answers else None
        if page is None or page.editor.read_only:
            self._screen.complain(_GONE, "warning")
            return None
        return page

    async def _settle(self, answer: Answer) -> bool:
        """Bring an answer in line with the chapter as it is now. False if the author has to look at it again."""
        page = self._screen.pages.get(self._answers.chapter) if self._answers else None
        while page is not None and answer.found is not None and page.editor.text != answer.base:
            text = page.editor.text
            found, changed = await asyncio.to_thread(placed, answer.found, answer.base, text)
            rejected, hunk = set(answer.rejected), answer.hunk
            answer.came(found)
            answer.base, answer.start, answer.end = text, found.start, found.end
            if changed:
                answer.sentence = _CHANGED
                self._draw()
                return False
            answer.rejected, answer.hunk = rejected, hunk
        return True

    async def _take(self, answer: Answer) -> None:
        page = self._page()
        if page is None or not await self._settle(answer) or answer.found is None:
            return
        if not (edits := answer.edits()):
            self._screen.complain(
                say("No change is taken. Space takes the one that is marked; Escape leaves."), "information"
            )
            return
        start, longer = answer.found.start, sum(len(each.inserted) - each.removed for each in edits)
        if answer.order is not None and answer.order.parent and page.resumable == answer.order.parent:
            self._screen.keep(page)  # what it replaces stays among the takes
        page.editor.change(edits, answer.generation)
        if answer.order is not None and answer.order.role == TAKE:
            page.choose(answer.generation, answer.raw)
        page.editor.move_to(start + len(answer.original) + longer)
        self._screen.keeping.save(page)
        self._screen.desk.choose(answer.generation)
        self._leave(answer.generation)
