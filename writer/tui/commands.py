"""The command palette: everything a key does, and what has no key."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.fuzzy import Matcher

from writer.language import say
from writer.text.sanitise import one_line
from writer.tui.screens.manuscript import ManuscriptScreen

if TYPE_CHECKING:
    from writer.tui.command import Command


class WriterCommands(Provider):
    """Commands for the main screen."""

    def _commands(self) -> Iterator[Command]:
        from writer.tui.calming import calm_commands

        screen = self.screen
        if not isinstance(screen, ManuscriptScreen):
            return
        yield from _writing(screen)
        if screen.page:
            yield from _in_the_text(screen)
        yield say("Typewriter"), say("Keep the row you write on in the middle, or stop it"), screen.action_typewriter
        yield say("Focus"), say("Dim all other paragraphs, or stop it"), screen.action_focus_mode
        yield say("Spelling"), say("Underline unknown words, or stop it"), screen.action_spelling
        yield (
            say("Typographic quotes"),
            say("Set curly quotes and dashes as you type, or stop it"),
            screen.action_typography,
        )
        yield from screen.theme_commands()
        yield from calm_commands(screen)
        yield say("Undo"), say("Take back the last change"), screen.action_undo
        yield say("Redo"), say("Put it back"), screen.action_redo
        yield say("Save"), say("Save every open chapter now"), screen.action_save
        yield (
            say("New chapter"),
            say("Behind the one that is shown, or where the outline has it"),
            screen.action_new_chapter,
        )
        yield say("Start the engine"), say("Load the model now, so that writing begins at once"), screen.desk.warm_up
        for chapter in screen.manuscript.chapters:
            title = say("Open {number} {title}", number=chapter.number, title=one_line(chapter.title, 60))
            yield title, say("Show this chapter"), lambda path=chapter.path: screen.open_chapter(path)  # type: ignore[misc]
        yield from screen.freeing_commands()
        yield from screen.takes_commands()
        yield from screen.rewrite_commands()
        yield from screen.prompt_commands()
        yield from screen.thinking_commands()
        yield from screen.book_commands()
        yield from _around_the_book(screen)
        yield say("Help"), say("All keys"), screen.action_help
        yield say("Quit"), say("Save everything and leave"), lambda: screen.app.run_action("quit")

    def _with_keys(self, text: str) -> str:
        return self.screen.with_keys(text) if isinstance(self.screen, ManuscriptScreen) else text

    async def discover(self) -> Hits:
        for name, help_text, call in self._commands():
            yield DiscoveryHit(Content(name), call, name, self._with_keys(help_text))

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for name, help_text, call in self._commands():
            if (score := matcher.match(name)) > 0:
                yield Hit(score, _highlighted(name, matcher), call, name, self._with_keys(help_text))


def _writing(screen: ManuscriptScreen) -> Iterator[Command]:
    page = screen.page
    if screen.writings.busy:
        yield (
            say("Pause everything"),
            say("Stop all that is being written, in every chapter"),
            screen.action_pause_all,
        )
    if screen.here.busy:
        yield say("Pause"), say("Stop writing; the next press goes on at the next word"), screen.action_pause
    elif page and page.resumable:
        yield say("Go on"), say("Continue the paused text at its next word"), screen.action_go_on
        yield say("Keep as it is"), say("The paused text stays; it is not offered again"), lambda: screen.keep(page)
        yield say("Discard"), say("Take the paused text out; Ctrl+Z puts it back"), page.editor.discard_generated
    else:
        yield say("Write on"), say("Write at the end of this chapter"), screen.action_draft
        yield say("Write on with an instruction"), say("Say what should happen next"), screen.action_instruct
    if page and page.legacy and page.legacy.whole:
        yield (
            say("Make a UTF-8 copy"),
            say("This chapter can only be read; the copy takes its place"),
            screen.opening.convert,
        )


def _in_the_text(screen: ManuscriptScreen) -> Iterator[Command]:
    yield say("Find"), say("Look for a text in this chapter"), lambda: screen.run_action("find")
    yield say("Find and replace"), say("Replace it, once or everywhere"), lambda: screen.run_action("find(True)")
    yield say("Next match"), say("Of what was looked for in this chapter"), screen.action_find_next
    yield say("Match before"), say("The one before"), lambda: screen.action_find_next(False)
    yield say("Go to line"), say("A line is a paragraph of the file"), screen.action_go_to_line
    yield say("Accept generated text"), say("It is yours: its tint goes"), screen.action_accept
    yield say("Count"), say("Words and characters of the chapter or the selection"), screen.action_count


def _around_the_book(screen: ManuscriptScreen) -> Iterator[Command]:
    app = screen.app
    yield say("Export…"), say("A Word, EPUB, PDF or other file of the book"), lambda: _export(screen)
    if getattr(app, "models", None) is not None:
        show = partial(app.run_action, "models")
        yield say("Models…"), say("Which model writes; what would fit here; downloads"), show
    if not screen.only_reads:
        show = partial(app.run_action, "first_steps")
        yield say("First steps"), say("The guide for someone new: machine, model, where words are"), show


def _export(screen: ManuscriptScreen) -> None:
    from writer.tui.book.export_sheet import ExportSheet

    screen.app.push_screen(ExportSheet(screen))


def _highlighted(name: str, matcher: Matcher) -> Content:
    """The name with what was typed in it. Textual's own way takes it for markup, and a title may look like that."""
    content = Content(name)
    for at in matcher.fuzzy_search.match(matcher.query, name)[1]:
        content = content.stylize(matcher.match_style, at, at + 1)
    return content
