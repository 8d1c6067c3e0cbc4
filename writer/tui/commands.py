"""The command palette: everything a key does, and what has no key."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.fuzzy import Matcher

from writer.text.sanitise import one_line
from writer.tui.command import Command
from writer.tui.screens.manuscript import ManuscriptScreen


class WriterCommands(Provider):
    """Commands for the main screen."""

    def _commands(self) -> Iterator[Command]:
        screen = self.screen
        if not isinstance(screen, ManuscriptScreen):
            return
        page = screen.page
        if screen.writings.busy:
            yield "Pause everything", "Stop all that is being written, in every chapter", screen.action_pause_all
        if screen.here.busy:
            yield "Pause", "Stop writing; the next press goes on at the next word", screen.action_pause
        elif page and page.resumable:
            yield "Go on", "Continue the paused text at its next word", screen.action_go_on
            yield "Keep as it is", "The paused text stays; it is not offered again", lambda: screen.keep(page)
            yield "Discard", "Take the paused text out; Ctrl+Z puts it back", page.editor.discard_generated
        else:
            yield "Write on", "Write at the end of this chapter", screen.action_draft
            yield "Write on with an instruction", "Say what should happen next", screen.action_instruct
        if page and page.legacy and page.legacy.whole:
            yield "Make a UTF-8 copy", "This chapter can only be read; the copy takes its place", screen.opening.convert
        if page:
            yield from _in_the_text(screen)
        yield "Typewriter", "Keep the row you write on in the middle, or stop it", screen.action_typewriter
        yield "Focus", "Dim all other paragraphs, or stop it", screen.action_focus_mode
        yield "Spelling", "Underline unknown words, or stop it", screen.action_spelling
        yield "Typographic quotes", "Set curly quotes and dashes as you type, or stop it", screen.action_typography
        yield from screen.theme_commands()
        yield "Undo", "Take back the last change", screen.action_undo
        yield "Redo", "Put it back", screen.action_redo
        yield "Save", "Save every open chapter now", screen.action_save
        yield "New chapter", "Behind the one that is shown, or where the outline has it", screen.action_new_chapter
        yield "Start the engine", "Load the model now, so that writing begins at once", screen.desk.warm_up
        for chapter in screen.manuscript.chapters:
            title = f"Open {chapter.number} {one_line(chapter.title, 60)}"
            yield title, "Show this chapter", lambda path=chapter.path: screen.open_chapter(path)  # type: ignore[misc]
        yield from screen.freeing_commands()
        yield from screen.takes_commands()
        yield from screen.rewrite_commands()
        yield from screen.prompt_commands()
        yield from screen.thinking_commands()
        yield from screen.book_commands()
        yield from _around_the_book(screen)
        yield "Help", "All keys", screen.action_help
        yield "Quit", "Save everything and leave", lambda: screen.app.run_action("quit")

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


def _in_the_text(screen: ManuscriptScreen) -> Iterator[Command]:
    yield "Find", "Look for a text in this chapter", lambda: screen.run_action("find")
    yield "Find and replace", "Replace it, once or everywhere", lambda: screen.run_action("find(True)")
    yield "Next match", "Of what was looked for in this chapter", screen.action_find_next
    yield "Match before", "The one before", lambda: screen.action_find_next(False)
    yield "Go to line", "A line is a paragraph of the file", screen.action_go_to_line
    yield "Accept generated text", "It is yours: its tint goes", screen.action_accept
    yield "Count", "Words and characters of the chapter or the selection", screen.action_count


def _around_the_book(screen: ManuscriptScreen) -> Iterator[Command]:
    app = screen.app
    yield "Export…", "A Word, EPUB, PDF or other file of the book", lambda: _export(screen)
    if getattr(app, "models", None) is not None:
        yield "Models…", "Which model writes; what would fit here; downloads", lambda: app.run_action("models")
    if not screen.only_reads:
        show = partial(app.run_action, "first_steps")
        yield "First steps", "The guide for someone new: machine, model, where words are", show


def _export(screen: ManuscriptScreen) -> None:
    from writer.tui.book.export_sheet import ExportSheet

    screen.app.push_screen(ExportSheet(screen))


def _highlighted(name: str, matcher: Matcher) -> Content:
    """The name with what was typed in it. Textual's own way takes it for markup, and a title may look like that."""
    content = Content(name)
    for at in matcher.fuzzy_search.match(matcher.query, name)[1]:
        content = content.stylize(matcher.match_style, at, at + 1)
    return content
