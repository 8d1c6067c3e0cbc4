"""One word of a generated text: what might stand there instead, and a take that goes on from what is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from writer.editing.find import Match
from writer.editing.hunks import Hunk
from writer.engine.base import Alternative
from writer.generation.rewriting import Kind
from writer.language import say
from writer.runtime.alternatives_found import (
    Alternatives,
    AlternativesFound,
    AlternativesRefused,
    ConfidenceFound,
    WordAsked,
)
from writer.runtime.events import Event, TakesListed
from writer.runtime.orders import AsideOrder, Span
from writer.runtime.rewriting import Rewritten
from writer.text.sanitise import one_line
from writer.tui.rewriting.answers import Answer
from writer.tui.rewriting.word_places import WordPlace, word_place
from writer.tui.rewriting.words_sheet import WordsSheet
from writer.tui.takes.beginnings import generated_at

if TYPE_CHECKING:
    from writer.tui.page import Page
    from writer.tui.screens.manuscript import ManuscriptScreen

TAKE = "take"
UNSURE, DOUBTFUL = 0.2, 0.05
"""Probabilities below which a token is tinted."""
_NO_WORD = say("Put the cursor into a word that a model has written, then try again.")
_BUSY = say("Text is being written. Press Escape to pause it, then try again.")
_NO_TEXT = say("Nothing was generated last that is still as it was. Write on with Ctrl+G, then try again.")
_CHANGED = say(
    "The generated text was changed before this word, so the model cannot go on from it. Rewrite it with F12."
)
_MOVED = say("The text or the cursor has moved meanwhile. Put the cursor into the word, then try again.")


class Wording:
    """Asks for the alternatives of one word at a time."""

    def __init__(self, screen: ManuscriptScreen) -> None:
        self._screen = screen
        self._asked: tuple[WordAsked, Page, int] | None = None  # with the revision of the text
        self._at: WordPlace | None = None
        """Where the word stands of which was asked."""
        self._looking: tuple[Page, int, int] | None = None
        """Whose texts are being looked up for the word at the cursor: page, revision, cursor."""
        self._number = 0

    def ask(self, page: Page) -> None:
        """Ask for the alternatives of the word at the cursor."""
        span, cursor = page.editor.generated_span(), page.editor.cursor
        self._looking = None
        if self._screen.writing.busy:
            self._screen.complain(_BUSY, "information")
        elif span is not None and span.start <= cursor <= span.end and _intact(span):
            at = min(cursor, span.end - 1) - span.start
            self._ask_at(page, WordPlace(span.generation, at, span.start, span.end))
        elif generated_at(page.editor.sheet.origins, cursor) is None:
            self._screen.complain(_NO_WORD, "information")
        else:
            self._looking = page, page.editor.revision, cursor
            self._screen.desk.takes(page.chapter.path)

    def _listed(self, chapter: str) -> None:
        """The texts of a chapter are known: which of them has the word?"""
        if self._looking is None or self._looking[0].chapter.path != chapter:
            return
        (page, revision, cursor), self._looking = self._looking, None
        found = generated_at(page.editor.sheet.origins, cursor)
        if found is None or (page.editor.revision, page.editor.cursor) != (revision, cursor):
            self._screen.complain(_MOVED, "information")
            return
        place = word_place(found, page.editor.text, cursor, self._screen.board.take)
        if place is None:
            self._screen.complain(_CHANGED, "information")
        else:
            self._ask_at(page, place)

    def _ask_at(self, page: Page, place: WordPlace) -> None:
        self._number += 1
        order = WordAsked(f"word {self._number}", page.chapter.path, place.generation, place.at)
        self._asked, self._at = (order, page, page.editor.revision), place
        self._screen.desk.alternatives(order)
        self._screen.note(say("Asking for other words…"))

    def tint(self, page: Page) -> None:
        """Ask how sure the model was of the text that was generated last; if it is tinted, stop that."""
        span = page.editor.generated_span()
        if any(page.editor.unsure):
            page.editor.unsure = ([], [])
            page.editor.refresh()
        elif self._screen.writing.busy:
            self._screen.complain(_BUSY, "information")
        elif span is None or not _intact(span):
            self._screen.complain(_NO_TEXT, "information")
        else:
            self._number += 1
            order = WordAsked(f"word {self._number}", page.chapter.path, span.generation, -1)
            self._asked = order, page, page.editor.revision
            self._screen.desk.alternatives(order)
            self._screen.note(say("Asking how sure the model was…"))

    def _tinted(self, event: ConfidenceFound) -> None:
        assert self._asked is not None
        _, page, revision = self._asked
        span = page.editor.generated_span()
        if span is None or page.editor.revision != revision:
            return  # the author has written on: it is asked again when he wants it
        page.editor.unsure = unsure(event, span.start)
        page.editor.refresh()
        if not any(page.editor.unsure):
            self._screen.complain(say("The model was sure of all of it."), "information")

    def heard(self, event: Event) -> AlternativesFound | None:
        """What was asked for, if this is it."""
        if isinstance(event, TakesListed):
            self._listed(event.chapter)
        asked = self._asked
        if not isinstance(event, Alternatives) or not asked or event.tag != asked[0].tag:
            return None
        if isinstance(event, ConfidenceFound):
            self._tinted(event)
            return None
        if isinstance(event, AlternativesRefused):
            self._screen.complain(event.sentence, "information")
            return None
        return event if self._place(event) is not None else None

    def show(self, found: AlternativesFound) -> WordsSheet:
        """The sheet with the alternatives."""
        return WordsSheet(found.word, found.alternatives)

    def _place(self, found: AlternativesFound) -> tuple[Page, int, int] | None:
        """Where the word and all behind it stand; None, and a sentence, if the text is another one now."""
        assert self._asked is not None
        _, page, revision = self._asked
        place = self._at
        start = place.start + found.start if place else 0
        there = page.editor.text[start : start + len(found.word)]
        if place is None or page.editor.revision != revision or there != found.word:
            self._screen.complain(_CHANGED, "information")
            return None
        return page, start, place.end

    def order(self, found: AlternativesFound, chosen: Alternative) -> tuple[Page, AsideOrder] | None:
        """A take that goes on behind that word, in place of all from the former word on."""
        if (place := self._place(found)) is None:
            return None
        page, start, end = place
        return page, AsideOrder(
            "",
            page.chapter.path,
            page.editor.text,
            start,
            end,
            TAKE,
            say("another word: {text}", text=one_line(chosen.text, 40)),
            parent=found.generation,
            parent_tokens=found.tokens,
            opening=(chosen.token_ids, chosen.text),
        )


def unsure(found: ConfidenceFound, start: int) -> tuple[list[Match], list[Match]]:
    """Places of the tokens of which the model was not sure, and least sure, of a text that begins at `start`."""
    low: list[Match] = []
    lowest: list[Match] = []
    before = 0
    for end, chance in zip(found.ends, found.probabilities, strict=True):
        if end > before and chance < UNSURE:
            (lowest if chance < DOUBTFUL else low).append(Match(start + before, start + end))
        before = end
    return low, lowest


def _intact(span: Span) -> bool:
    return span.end - span.start == span.covered and span.end > span.start


def whole(answer: Answer, chapter: str, *, complete: bool) -> Rewritten:
    """The answer in place of all that stood from the former word on: one change."""
    original, text = answer.base[answer.start : answer.end], answer.raw
    made = (Hunk(0, len(original), original, text, 0),) if text else ()
    sentence = "" if complete else say("It stopped before its end. Take what is there, or press A for another one.")
    return Rewritten(
        answer.generation, chapter, answer.start, answer.end, original, text, made, Kind.FREE, complete, sentence
    )
