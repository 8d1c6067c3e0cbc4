"""The sampling sheet: every setting with its explanation. What is changed is saved at once, in writer.toml."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from writer.config import Settings
from writer.errors import WriterError
from writer.language import say
from writer.manuscript.model import Chapter, Manuscript
from writer.manuscript.writing_table import Value
from writer.text.sanitise import one_line
from writer.tui.aligned import padded
from writer.tui.prompt.drawing import Drawing, change_drawing, read_drawing
from writer.tui.prompt.fields import CANNOT, GROUPS, LABELS, explained, needs_control, next_value, parsed, shown
from writer.tui.prompt.key_hint import KeyHint
from writer.tui.prompt.sheet_style import SHEET
from writer.tui.working import work

_KEYS = (
    ("enter", say("Enter change")),
    ("delete", say("Del take out")),
    ("c", say("C chapter or book")),
    ("escape", say("Esc back")),
)
_SAVED = say("Saved in writer.toml. It holds for the next text.")


class SamplingSheet(ModalScreen[None]):
    """Settings of the manuscript, or of the chapter that is open. `settled` is told what holds after each change."""

    DEFAULT_CSS = SHEET
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", say("Back")),
        Binding("f5", "close", show=False),
        Binding("delete,backspace", "take_out", show=False),
        Binding("c", "scope", show=False),
    ]

    def __init__(
        self,
        manuscript: Manuscript,
        chapter: Chapter | None,
        settled: Callable[[Settings], None],
        *,
        able: bool = True,
        refusal: str = "",
    ) -> None:
        """`able`: the engine has word control, as far as is known. `refusal`: why nothing can be changed."""
        super().__init__()
        self._manuscript, self._chapter, self._settled = manuscript, chapter, settled
        self._able, self._refusal = able, refusal
        self._of_chapter = False
        self._drawing: Drawing | None = None
        self._turn = asyncio.Lock()  # one change after the other

    def compose(self) -> ComposeResult:
        with Vertical(classes="sheet"):
            yield Static("", id="title", markup=False)
            yield OptionList(id="rows")
            yield Static("", id="about", markup=False)
            yield Input(id="value", max_length=4000)
            yield Static("", id="told", markup=False)
            yield KeyHint(*_KEYS)

    def on_mount(self) -> None:
        self.query_one("#value").display = False
        self._name_scope()
        self._tell(self._refusal)
        work(self, "drawing", self._read)

    # Showing --------------------------------------------------------------------------------------------------

    @property
    def _path(self) -> str:
        return self._chapter.path if self._of_chapter and self._chapter else ""

    @property
    def chosen(self) -> str:
        """The setting that is highlighted; "" if none."""
        option = self.query_one(OptionList).highlighted_option
        return (option.id or "") if option else ""

    def _name_scope(self) -> None:
        chapter = self._chapter
        whose = say("Sampling of the whole book")
        if chapter and self._of_chapter:
            whose = say("Sampling of this chapter: {title}", title=one_line(chapter.title, 60))
        self.query_one("#title", Static).update(whose)

    def _show(self, drawing: Drawing) -> None:
        rows = self.query_one(OptionList)
        first, kept = self._drawing is None, rows.highlighted
        self._drawing = drawing
        rows.clear_options()
        for group, names in GROUPS.items():
            rows.add_option(Option(Content.styled(group, "bold"), disabled=True))
            rows.add_options([Option(self._row(drawing, name), id=name) for name in names])
        rows.highlighted = 1 if first or kept is None else kept
        self._explain()

    def _row(self, drawing: Drawing, name: str) -> Content:
        value, able = getattr(drawing.in_force, name), self._able or not needs_control(name)
        whence = say("set here") if name in drawing.own else say("of the book") if name in drawing.above else ""
        whence = whence if able else say("not with this engine")
        note = f"  {whence}" if whence else ""
        room = max(8, self.app.size.width - 26 - cell_len(note) - 6)
        mark = "•" if name in drawing.own else " "
        text = f"{mark} {padded(LABELS[name], 20)} {one_line(shown(value), room) or say('none')}"
        dim = "" if able else "$text-disabled"
        return Content.assemble((text, dim), (note, "$text-muted"))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        self._explain()

    def _explain(self) -> None:
        name = self.chosen
        if name and self._drawing:
            able = self._able or not needs_control(name)
            drawn = self._drawing.in_force.temperature > 0
            about = explained(name, getattr(self._drawing.inherited, name), able=able, drawn=drawn)
            self.query_one("#about", Static).update(about)

    def _tell(self, sentence: str) -> None:
        self.query_one("#told", Static).update(one_line(sentence, 500))

    # Changing -------------------------------------------------------------------------------------------------

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        name = event.option.id or ""
        if not name or self._drawing is None or self._refused():
            return
        value = getattr(self._drawing.in_force, name)
        if not self._able and needs_control(name) and not value:
            self._tell(CANNOT)
        elif (other := next_value(name, value)) is not None:
            self._change(name, other)
        else:
            self._edit(name, value)

    def _edit(self, name: str, value: Value) -> None:
        line = self.query_one(Input)
        line.border_title = LABELS[name]
        line.select_on_focus = not isinstance(value, tuple)  # a number is typed anew, a list is added to
        line.value, line.display = shown(value), True
        line.cursor_position = len(line.value)
        line.focus()
        self._tell(say("Enter saves it; Escape leaves it as it was."))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        name = self.chosen
        if name:
            self._change(name, parsed(name, event.value))

    def action_take_out(self) -> None:
        """The value that is inherited holds again."""
        if self.chosen and self._drawing and not self._refused():
            self._change(self.chosen, None)

    def action_scope(self) -> None:
        """The chapter that is open, or the whole manuscript."""
        if self._chapter is None:
            self._tell(say("No chapter is open: this is for the whole book."))
            return
        self._of_chapter = not self._of_chapter
        self._name_scope()
        self._tell("")
        work(self, "drawing", self._read)

    def action_back(self) -> None:
        if self.query_one(Input).display:
            self._leave_line()
            self._tell("")
        else:
            self.dismiss(None)

    def action_close(self) -> None:
        if self.query_one(Input).display:
            self._tell(say("Enter saves it; Escape leaves it as it was."))
        else:
            self.dismiss(None)

    def _leave_line(self) -> None:
        self.query_one(Input).display = False
        self.query_one(OptionList).focus()

    def _refused(self) -> bool:
        self._tell(self._refusal)
        return bool(self._refusal)

    # Files ----------------------------------------------------------------------------------------------------

    def _change(self, name: str, value: object) -> None:
        work(self, "drawing", self._write, name, value)

    async def _read(self) -> None:
        async with self._turn:
            try:
                self._show(await asyncio.to_thread(read_drawing, self._manuscript, self._path))
            except WriterError as error:
                self._tell(error.sentence)

    async def _write(self, name: str, value: object) -> None:
        async with self._turn:
            try:
                drawing = await asyncio.to_thread(change_drawing, self._manuscript, name, value, self._path)
            except WriterError as error:  # what was typed stays in its line
                self._tell(error.sentence)
                return
        self._leave_line()
        self._show(drawing)
        self._tell(_SAVED)
        self._settled(drawing.settings)
