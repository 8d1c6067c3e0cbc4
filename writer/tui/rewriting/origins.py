"""Who wrote what: it is recalled when a chapter is opened, and told for the passage at the cursor."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from writer.editing.provenance import AUTHOR, recalled
from writer.language import say
from writer.runtime.events import Event, GenerationTold, OriginsFound
from writer.text.count import words
from writer.text.sanitise import one_line
from writer.tui.working import work

if TYPE_CHECKING:
    from writer.tui.page import Page
    from writer.tui.screens.manuscript import ManuscriptScreen

_ROLES = {
    "text": say("a draft"),
    "take": say("a take"),
    "rewrite": say("a rewriting"),
    "insert": say("an insertion"),
    "idea": say("one of your prompts"),
    "summary": say("a summary"),
}


class OriginsShown:
    """Keeps the open chapters in line with what is on record, and answers the question."""

    def __init__(self, screen: ManuscriptScreen) -> None:
        self._screen = screen
        self._asked = ("", "")  # a generation, and the passage of it that is asked about

    def heard(self, event: Event) -> None:
        """The writing thread has reported this."""
        if isinstance(event, OriginsFound):
            page = self._screen.pages.get(event.chapter)
            if page is not None and not page.traced:
                work(self._screen, "origins", self._recall, page, event)
        elif isinstance(event, GenerationTold) and event.generation == self._asked[0]:
            self._asked, passage = ("", ""), self._asked[1]
            self._screen.complain(told(event, passage), "information")

    async def _recall(self, page: Page, event: OriginsFound) -> None:
        found = await asyncio.to_thread(recalled, event.text, event.former, event.stored, event.written)
        page.traced = page.editor.sheet.trace(found, len(event.text))

    def ask(self, page: Page) -> None:
        """Who wrote the passage at the cursor?"""
        text, origins = page.editor.text, page.editor.sheet.origins
        at = min(page.editor.cursor, max(0, len(text) - 1))
        origin = origins.at(at)
        if origin == AUTHOR:
            told = say("You wrote this, or another program did.")
            if not page.traced:
                told = say("You wrote this so far as this window knows, or another program did.")
            self._screen.complain(told, "information")
            return
        here = next(each for each in origins.ranges if each.start <= at < each.end)
        self._asked = origin, text[here.start : here.end]
        self._screen.desk.who(origin)


def told(event: GenerationTold, passage: str) -> str:
    """One sentence: the model, the date, what it was."""
    when = time.strftime(say("%d %B %Y, %H:%M"), time.localtime(event.created))
    what = _ROLES.get(event.role, say("a text"))
    asked = event.instruction.partition(" @")[0]  # without the signs by which its place is found again
    what += f" ({one_line(asked, 60)})" if asked else ""
    return say(
        "Written by {model} on {when}: {what}, take {generation}. {words:,} words of it stand "
        "here, beginning “{passage}”.",
        model=one_line(event.model, 60),
        when=when,
        what=what,
        generation=event.generation,
        words=words(passage),
        passage=one_line(passage, 40),
    )
