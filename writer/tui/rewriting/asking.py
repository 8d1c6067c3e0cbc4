"""What the author wants done with which passage: menu, questions, and his own prompts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from writer.errors import RequestRefused
from writer.generation.rewriting import Kind
from writer.language import say
from writer.manuscript.recipes import Recipe, read_recipes
from writer.runtime.recipes import order_of
from writer.tui.rewriting.answers import Wish
from writer.tui.rewriting.menu import RECIPE, RewriteMenu
from writer.tui.rewriting.passages import paragraph_at, sentence_at
from writer.tui.working import work

if TYPE_CHECKING:
    from writer.tui.page import Page
    from writer.tui.screens.manuscript import ManuscriptScreen

NAMES = {
    Kind.REWRITE: say("Rewrite"),
    Kind.SHORTEN: say("Shorten"),
    Kind.EXPAND: say("Expand"),
    Kind.TENSE: say("Another tense"),
    Kind.VIEW: say("Another point of view"),
    Kind.FREE: say("In your words"),
    Kind.INSERT: say("Insert"),
}
_QUESTIONS = {
    Kind.TENSE: say("Which tense? (empty: present and past change places)"),
    Kind.VIEW: say("Whose point of view? (empty: first and third person change places)"),
    Kind.FREE: say("What should become of the passage?"),
    Kind.INSERT: say("What happens in the new text? (optional)"),
}


class Asking:
    """Asks; `begin` is called with what he wants."""

    def __init__(self, screen: ManuscriptScreen, begin: Callable[[Page, Wish], None]) -> None:
        self._screen = screen
        self._begin = begin
        self._words: dict[str, str] = {}  # what was wished last, by kind
        self._recipes: tuple[Recipe, ...] = ()

    def menu(self) -> None:
        """Ask what should be done with the passage."""
        if (page := self.writable()) is not None:
            menu = RewriteMenu(self._select(page), lambda: self._select(page, widen=True))
            self._screen.app.push_screen(menu, lambda chosen: self._chosen(page, chosen))
            work(self._screen, "recipes", self._read_recipes, menu)

    def kind(self, kind: str) -> None:
        """The same without the menu."""
        if (page := self.writable()) is not None:
            if kind != Kind.INSERT:
                self._select(page)
            self._chosen(page, kind)

    def writable(self) -> Page | None:
        """The chapter that is shown; None, and a sentence, if nothing can be put into it."""
        screen, page = self._screen, self._screen.page
        why = (page.only_read or page.beside) if page else screen.opening.why_none()
        if screen.only_reads:
            why = say("This window only reads: rewrite in the one that writes.")
        if why:
            screen.complain(why, "information")
        return None if why or screen.keeping.leaving else page

    def _select(self, page: Page, *, widen: bool = False) -> str:
        """Select the sentence at the cursor if nothing is; `widen` goes on to the paragraph, and back. The passage."""
        editor = page.editor
        start, end = editor.sheet.selected
        first, last = editor.sheet.document.span(start)
        paragraph = paragraph_at(editor.text, first, last)
        if start == end or (widen and (start, end) == paragraph):
            start, end = sentence_at(editor.text, first, last, start)
        elif widen:
            start, end = paragraph
        if start < end:
            editor.select(start, end)
            editor.reveal()
        return editor.text[start:end]

    async def _read_recipes(self, menu: RewriteMenu) -> None:
        self._recipes, sentences = await asyncio.to_thread(read_recipes, self._screen.manuscript.folder)
        if menu.is_attached:
            menu.add_recipes([(each.name, each.title) for each in self._recipes])
        for sentence in sentences:
            self._screen.complain(sentence, "warning")

    def _chosen(self, page: Page, chosen: str | None) -> None:
        if chosen is None:
            return
        if chosen.startswith(RECIPE):
            recipe = next(each for each in self._recipes if f"{RECIPE}{each.name}" == chosen)
            self._begin_recipe(page, recipe)
        elif (kind := Kind(chosen)) in _QUESTIONS:
            from writer.tui.screens.ask import Ask

            asked = Ask(_QUESTIONS[kind], say("Enter asks the model; Escape goes back."), self._words.get(kind, ""))
            self._screen.app.push_screen(asked, lambda words: self._worded(page, kind, words))
        else:
            self._begin(page, Wish(NAMES[kind], kind))

    def _worded(self, page: Page, kind: Kind, words: str | None) -> None:
        if words is not None:
            self._words[kind] = words
            self._begin(page, Wish(NAMES[kind], kind, words))

    def _begin_recipe(self, page: Page, recipe: Recipe) -> None:
        start, end = page.editor.sheet.selected
        try:
            order = order_of(recipe, page.chapter, page.editor.text, start, end)
        except RequestRefused as error:
            self._screen.complain(error.sentence, "information")
            return
        self._begin(page, Wish(recipe.title, order=order))
