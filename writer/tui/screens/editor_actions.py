"""What the keys of the main screen do to the text that is shown: find, replace, go to a line, ways of looking at it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.screen import Screen

from writer.errors import WriterError
from writer.language import say
from writer.tui.working import work

if TYPE_CHECKING:
    from writer.config import EditorSettings
    from writer.editing.spelling import Spelling
    from writer.tui.command import Command
    from writer.tui.editor.find_bar import FindBar
    from writer.tui.editor.widget import Editor
    from writer.tui.page import Page


class EditorActions(Screen[None]):
    """The part of the main screen that concerns the editor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r", "find(True)", show=False, id="replace"),
        Binding("f3", "find_next", show=False, id="find_next"),
        Binding("shift+f3", "find_next(False)", show=False, id="find_previous"),
        Binding("ctrl+l", "go_to_line", show=False, id="go_to_line"),
        Binding("f4", "accept", show=False, id="accept"),
        Binding("f7", "spelling", show=False, id="spelling"),
        Binding("f8", "typewriter", show=False, id="typewriter"),
        Binding("f9", "focus_mode", show=False, id="focus"),
        Binding("ctrl+z", "undo", show=False, id="undo"),
        Binding("ctrl+y", "redo", show=False, id="redo"),
    ]
    pages: dict[str, Page]
    page: Page | None
    language: str
    """The manuscript's."""
    editing: EditorSettings
    """How chapters are shown; keys change it for this run."""
    _editors = 0  # that were made: pages may go, their numbers are not given twice
    _spelling: Spelling | None = None
    _bar: FindBar | None = None

    def complain(self, sentence: str, severity: str = "error") -> None:
        """Show one sentence for a while."""
        raise NotImplementedError

    def new_editor(self) -> Editor:
        """An editor for one more chapter."""
        from writer.tui.editor.widget import Editor

        editor = Editor(settings=self.editing, id=f"page-{self._editors}")
        self._editors += 1
        editor.typography = self.language if self.editing.typography else ""
        editor.spelling = self._spelling
        return editor

    # Find and replace -----------------------------------------------------------------------------------------

    async def action_find(self, replacing: bool = False) -> None:
        if self.page is None:
            return
        bar = await self._find_bar()
        chosen = self.page.editor.sheet.selected_text()
        bar.open(replacing=replacing, pattern=chosen if len(chosen) < 200 and "\n" not in chosen else "")

    async def _find_bar(self) -> FindBar:
        if self._bar is None:
            from writer.tui.editor.find_bar import FindBar

            self._bar = FindBar()
            await self.query_one("#pane").mount(self._bar)
        return self._bar

    def action_find_next(self, forward: bool = True) -> None:
        if self.page is not None and self._bar is not None:
            self._searching(self.page.editor, lambda editor: editor.find_next(forward))

    def on_find_bar_searched(self, event: FindBar.Searched) -> None:
        from writer.editing.find import compile

        def search(editor: Editor) -> None:
            editor.find(None)  # a pattern that is not right finds nothing, not what was looked for before
            editor.find(compile(event.query) if event.query.pattern else None)
            editor.show_match()

        if self.page is not None:
            self._searching(self.page.editor, search)

    def _searching(self, editor: Editor, search: Callable[[Editor], None]) -> None:
        """Search, and tell in the bar what came of it."""
        from writer.editing.find import BadPattern

        try:
            search(editor)
        except BadPattern as error:
            self._tell(error.sentence)
            return
        count, more = len(editor.matches), "+" if editor.matches.more else ""
        self._tell(
            say("{match:,} of {count:,}{more}", match=editor.match + 1, count=count, more=more)
            if count
            else say("none")
        )

    def _tell(self, text: str) -> None:
        if self._bar is not None:
            self._bar.tell(text)

    def on_find_bar_moved(self, event: FindBar.Moved) -> None:
        self.action_find_next(event.forward)

    def on_find_bar_replaced(self, event: FindBar.Replaced) -> None:
        if self.page is None:
            return
        editor, counts = self.page.editor, [0]
        if not event.all:
            self._searching(editor, lambda editor: editor.replace_match(event.replacement))
            return
        self._searching(editor, lambda editor: counts.append(editor.replace_all(event.replacement)))
        if counts[-1]:
            self._tell(say("{count:,} replaced", count=counts[-1]))

    def on_find_bar_closed(self, event: FindBar.Closed) -> None:
        if self.page is not None:
            self.page.editor.find(None)
            self.page.editor.focus()

    # Places ---------------------------------------------------------------------------------------------------

    def action_go_to_line(self) -> None:
        if self.page is not None:
            from writer.tui.screens.ask import Ask

            count = self.page.editor.sheet.document.line_count
            self.app.push_screen(
                Ask(say("Go to line (1 to {count:,})", count=count), say("Enter goes there; Escape stays.")), self._go
            )

    def _go(self, answer: str | None) -> None:
        if self.page is None or not answer:
            return
        digits = answer.replace(",", "").strip()
        if not digits.isdecimal():
            self.complain(say("A line is a number. Press Ctrl+L to try again."), "information")
            return
        document = self.page.editor.sheet.document
        self.page.editor.move_to(document.offset(max(1, min(int(digits), document.line_count)) - 1, 0))

    # Ways of looking ------------------------------------------------------------------------------------------

    def action_typewriter(self) -> None:
        self.editing = replace(self.editing, typewriter=not self.editing.typewriter)
        self.look_again()

    def action_focus_mode(self) -> None:
        self.editing = replace(self.editing, focus=not self.editing.focus)
        self.look_again()

    def look_again(self) -> None:
        """Show all chapters as `editing` says."""
        for page in self.pages.values():
            page.editor.look_like(self.editing)
            page.editor.typography = self.language if self.editing.typography else ""

    def action_typography(self) -> None:
        """Set typographic quotes and dashes, or stop it."""
        self.editing = replace(self.editing, typography=not self.editing.typography)
        self.look_again()
        told = say("Quotes and dashes stay as you type them.")
        if self.editing.typography:
            told = say("Quotes and dashes are set as you type.")
        self.complain(told, "information")

    def action_count(self) -> None:
        """Tell the words and characters of the selection, or of the chapter."""
        if self.page is not None:
            from writer.text.count import words

            text = self.page.editor.sheet.selected_text()
            chosen, text = bool(text), text or self.page.editor.text
            letters = len(text) - text.count("\n")
            self.complain(
                say("Selected: {words:,} words, {letters:,} characters.", words=words(text), letters=letters)
                if chosen
                else say("This chapter: {words:,} words, {letters:,} characters.", words=words(text), letters=letters),
                "information",
            )

    def action_spelling(self) -> None:
        """Underline unknown words, or stop it."""
        self.spell_again(self._spelling is None)

    def spell_again(self, underline: bool | None = None) -> None:
        """Underline unknown words or not; as `editing` says if nothing else is asked for."""
        if self.editing.spelling if underline is None else underline:
            work(self, "spelling", self._load_spelling, self.editing.spelling or self.language)
        else:
            self._spell(None)

    async def _load_spelling(self, language: str) -> None:
        try:
            self._spell(await asyncio.to_thread(_spelling, language))
        except WriterError as error:
            self.complain(error.sentence, "warning")

    def _spell(self, spelling: Spelling | None) -> None:
        self._spelling = spelling
        for page in self.pages.values():
            page.editor.spelling = spelling
            page.editor.refresh()

    def theme_commands(self) -> Iterator[Command]:
        """Colours, for this run; the settings keep them."""
        from writer.tui.theme import OURS

        for name in OURS:
            yield (
                say("Theme: {name}", name=name),
                say("Colours for this run; to keep it: theme in your settings"),
                self._dressing(name),
            )

    def _dressing(self, name: str) -> Callable[[], None]:
        def dressed() -> None:
            self.editing = replace(self.editing, theme=name)
            self.app.theme = name
            self.complain(
                say('To keep it, write theme = "{name}" under [editor] in your settings.', name=name), "information"
            )

        return dressed

    # Generated text and undo ----------------------------------------------------------------------------------

    def action_accept(self) -> None:
        """Generated text is the author's own from now on."""
        if self.page is not None and not self.page.editor.accept_generated():
            self.complain(say("There is no generated text to accept in this chapter."), "information")

    def action_undo(self) -> None:
        if self.page:
            self.page.editor.undo()

    def action_redo(self) -> None:
        if self.page:
            self.page.editor.redo()


def _spelling(language: str) -> Spelling:
    from writer.editing.spelling import Spelling

    return Spelling(language)
