"""The main screen: chapter list, editor, status line. It turns keys into orders and never waits for their answers.

Reports from the writing thread come in through `reception`; chapters are opened in `opening`, saved in `keeping`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import ContentSwitcher, Static

from writer.language import say
from writer.text.sanitise import one_line
from writer.tui.announcing import Announcer
from writer.tui.keeping import Keeping
from writer.tui.keys_shown import shown
from writer.tui.opening import Opening
from writer.tui.screens.book_actions import BookActions
from writer.tui.screens.editor_actions import EditorActions
from writer.tui.screens.freeing_actions import FreeingActions
from writer.tui.screens.prompt_actions import PromptActions
from writer.tui.screens.rewrite_actions import RewriteActions
from writer.tui.screens.takes_actions import TakesActions
from writer.tui.screens.thinking_actions import ThinkingActions
from writer.tui.screens.undo_actions import UndoActions
from writer.tui.typed import typed
from writer.tui.widgets.keys_row import KeysRow
from writer.tui.widgets.outline import Outline
from writer.tui.widgets.status import StatusLine, activity, saved_words
from writer.tui.writing import Writing, Writings

if TYPE_CHECKING:
    from writer.config import EditorSettings
    from writer.engine.base import EngineStatus
    from writer.manuscript.model import Manuscript
    from writer.runtime.events import Event, Offer
    from writer.runtime.ports import Desk
    from writer.tui.editor.widget import Editor
    from writer.tui.page import Page

NOTE_SECONDS = 10.0


class ManuscriptScreen(
    EditorActions,
    TakesActions,
    RewriteActions,
    PromptActions,
    ThinkingActions,
    BookActions,
    FreeingActions,
    UndoActions,
):
    """One manuscript, open for writing."""

    only_reads = False
    """Another window writes: editors here cannot be typed in."""
    HORIZONTAL_BREAKPOINTS: ClassVar[list[tuple[int, str]]] = [(0, "-narrow"), (60, "-wide")]  # type: ignore[misc]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+g", "pause", say("Pause"), id="write"),
        Binding("ctrl+g", "go_on", say("Go on"), id="write"),
        Binding("ctrl+g", "draft", say("Write on"), id="write"),
        Binding("escape", "pause_writing", show=False),
        Binding("f2", "instruct", say("Instruct"), id="instruct"),
        Binding("ctrl+f", "find", say("Find"), id="find"),
        Binding("ctrl+s", "save", say("Save"), id="save"),
        Binding("ctrl+n", "new_chapter", say("New chapter"), id="new_chapter"),
        Binding("f1", "help", say("Help"), id="help"),
    ]

    def __init__(self, manuscript: Manuscript, desk: Desk, settings: EditorSettings) -> None:
        super().__init__()
        self.manuscript = manuscript
        self.desk = desk
        self.language = manuscript.language
        self.editing = self.filed = settings
        self.pages: dict[str, Page] = {}
        self.page: Page | None = None
        self.writings = Writings()
        self.engine: EngineStatus | None = None
        self.offers: dict[str, Offer] = {}
        self.beside: set[str] = set()
        """Generations whose text stands beside its chapter."""
        self.opening = Opening(self)
        self.keeping = Keeping(self, settings.autosave)
        self.announcer = Announcer(self)
        self.open_for_writing = False
        self.typed_ahead = ""
        """What the author typed before a chapter was open."""
        self._note = ("", 0.0)

    @property
    def writing(self) -> Writing:
        """What is told of: the chapter that is shown, or else another one that is being written."""
        return self.writings.told_of(self.page.chapter.path if self.page else "")

    @property
    def here(self) -> Writing:
        """The chapter that is shown; none is shown at the start."""
        return self.writings.of(self.page.chapter.path) if self.page else self.writing

    def compose(self) -> ComposeResult:
        with Horizontal(id="desk"):
            yield Outline(self.manuscript.chapters)
            with Vertical(id="pane"), ContentSwitcher(id="pages", initial="opening"):
                yield Static(say("Opening…"), id="opening", markup=False)
        yield StatusLine()
        yield KeysRow()

    def on_mount(self) -> None:
        self.set_interval(0.25, self.show_state)
        self.keeping.start()
        self.call_after_refresh(self.opening.prepare)

    def receive(self, event: Event) -> None:
        """The writing thread has reported this."""
        from writer.tui.reception import receive

        news = self.announcer.news(event)
        if not self.rewrites(event):
            receive(self, event)
        for heard in (self.takes_heard, self.rewrite_heard, self.prompt_heard, self.thinking_heard, self.book_heard):
            heard(event)
        self.keeping.heard()
        self.show_state()
        self.announcer.tell(news)

    # Chapters -------------------------------------------------------------------------------------------------

    def open_chapter(self, path: str) -> None:
        """Show this chapter, reading it first if need be. What is being written elsewhere goes on."""
        self.opening.begin(path)

    def on_outline_chapter_chosen(self, event: Outline.ChapterChosen) -> None:
        self.open_chapter(event.path)

    def action_new_chapter(self) -> None:
        self.arranging.adding.ask(self.page.chapter.path if self.page else "")

    # Writing --------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        resumable = bool(self.page and self.page.resumable)
        if self.keeping.leaving or (self.rearranged and action in ("go_on", "draft", "instruct")):
            return False
        match action:
            case "pause":
                return self.here.busy
            case "go_on":
                return not self.here.busy and resumable
            case "draft":
                return not self.here.busy and not resumable
        return True

    def action_draft(self, instruction: str = "") -> None:
        page = self.page if self.open_for_writing else None
        if page is None:
            self.complain(self.opening.why_none(), "information")
        elif why := page.only_read or page.beside:
            self.complain(why, "information")
        else:
            self.draft(page, instruction)

    def draft(self, page: Page, instruction: str = "") -> None:
        """Write at the end of the page's chapter."""
        self.writings.asked(page.chapter.path)
        self.desk.draft(page.draft_order(instruction))
        self.order_given(page)

    def action_go_on(self) -> None:
        if self.page is not None:
            self.resume(self.page)

    def resume(self, page: Page) -> None:
        """Go on with the page's generation."""
        if self.writings.of(page.chapter.path).busy or (order := page.resume_order()) is None:
            return
        self.writings.asked(page.chapter.path)
        self.desk.resume(order)
        self.order_given(page)

    def order_given(self, page: Page) -> None:
        """Show that something is coming."""
        page.editor.show_end()
        self.refresh_bindings()
        self.show_state()
        self.announcer.ordered(page.chapter.path)

    def action_pause(self) -> None:
        self.pause(self.here)

    def action_pause_writing(self) -> None:
        if self.writings.busy:
            self.action_pause_all()
        elif self._summaries is not None and self._summaries.busy:
            self._summaries.pause()
        elif self.page is None or not self.page.editor.deselect():
            raise SkipAction

    def action_instruct(self) -> None:
        if self.here.busy or (self.page and self.page.resumable):
            self.complain(say("This chapter has paused text. Press Ctrl+P to keep or discard it first."), "information")
            return
        if self.page and (why := self.page.only_read or self.page.beside):
            self.complain(why, "information")
            return
        from writer.tui.screens.ask import Ask

        self.desk.warm_up()
        hint = say("Enter writes on; Escape goes back.")
        self.app.push_screen(Ask(say("What should happen next? (optional)"), hint), self._instructed)

    def _instructed(self, line: str | None) -> None:
        if line is not None and not self.here.busy:
            self.action_draft(line)

    def keep(self, page: Page) -> None:
        """The paused text stays as it is."""
        if page.resumable:
            self.desk.keep(page.resumable)
            page.resumable = ""
            page.editor.forget_generated()
            page.editor.accept_generated()
            self.refresh_bindings()

    def on_editor_generation_touched(self, event: Editor.GenerationTouched) -> None:
        """The author edits what is being written: both stay, and he goes on when he wants to."""
        writing = next((w for w in self.writings.busy if w.generation == event.generation), self.here)
        if writing.busy and not writing.pausing:
            self.pause(writing)
            self.note(say("Paused, because you changed the text that was being written"))

    def action_save(self) -> None:
        self.announcer.save_asked()
        for page in self.pages.values():
            self.keeping.save(page, always=True)

    def on_key(self, event: events.Key) -> None:
        if self.page is None and typed(event.character, event.key):
            self.typed_ahead += event.character or ""

    def action_help(self) -> None:
        from writer.tui.screens.help import Help

        self.app.push_screen(Help(str(self.manuscript.folder), self.with_keys))

    # Telling --------------------------------------------------------------------------------------------------

    def with_keys(self, text: str) -> str:
        """The text with the keys that the author has set."""
        return shown(text, getattr(self.app, "changed_keys", {}))

    def complain(self, sentence: str, severity: str = "error") -> None:
        """Show one sentence for a while."""
        if self.announcer.complained(sentence, severity):
            return
        self.notify(one_line(self.with_keys(sentence), 300), severity=severity, timeout=12, markup=False)  # type: ignore[arg-type]

    def note(self, sentence: str) -> None:
        """Add this to the status line for a few seconds."""
        self.announcer.tell(sentence)
        self._note = (self.with_keys(sentence), time.monotonic() + NOTE_SECONDS)

    def show_state(self) -> None:
        """Bring status line and chapter list up to date."""
        if not self.query(StatusLine):  # a report that comes while the screen is taken down
            return
        self.query_one(StatusLine).say(self._parts())
        self.show_thought()
        paused = {page.chapter.path for page in self.pages.values() if page.resumable} | set(self.offers)
        writing = {each.chapter for each in self.writings.busy}
        statuses = {path: said.status for path, said in self.facts.items() if said.status}
        self.query_one(Outline).show(self.manuscript.chapters, writing, paused, statuses)

    def _parts(self) -> list[str]:
        if self.keeping.leaving:
            return [say("Saving…")]
        if self.app.size.width < 40 or self.app.size.height < 12:
            return [say("Too small: 40 × 15 shows all")]
        writing = self.writing
        number = next((c.number for c in self.manuscript.chapters if c.path == writing.chapter), 0)
        parts = [*activity(writing, number, self.engine, writing.speed()), *self.more_parts(writing)]
        if self.page is None:
            return parts
        if self.page.legacy:
            return [*parts, self.page.editor.count, say("read only: {name}", name=self.page.legacy.name)]
        if self.page.resumable and not self.here.busy:
            parts.append(self.with_keys(say("Paused: Ctrl+G goes on")))
        note, until = self._note
        if note and time.monotonic() < until:  # in place of the rest, so that it fits into 80 columns
            return [parts[0], *self.more_parts(writing), note, saved_words(self.page)]
        return [*parts, *self.word_parts(), saved_words(self.page), self.context_words()]
