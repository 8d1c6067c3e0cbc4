"""The guide itself: one plain screen after the other, each with next, back and skip. Nothing in it waits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import Button, OptionList, Static

from writer.catalogue.ports import Shelf
from writer.errors import WriterError
from writer.language import say
from writer.text.sanitise import one_line
from writer.tui.book.sheet import Rows, Sheet
from writer.tui.models.waiting import aside
from writer.tui.prompt.key_line import KeyLine
from writer.tui.welcome import choosing, steps
from writer.tui.welcome.steps import STEPS, Found, Step
from writer.tui.widgets.hanging import Hanging
from writer.tui.working import work_anew

if TYPE_CHECKING:
    from writer.tui.models.entry import Shop
    from writer.tui.screens.manuscript import ManuscriptScreen

TRY = "try"
"""The answer of who wants to see it write."""
_LOOK = 0.5
"""Seconds between two looks at a download."""


class Guide(Sheet[str]):
    """Answers TRY, or None."""

    KEYS: ClassVar[str] = say("n next · b back · Enter what is marked · Esc skip; Ctrl+P, First steps shows it again")
    LAST_KEYS: ClassVar[str] = say("b back · Enter what is marked · Esc not now; Ctrl+P, First steps shows it again")
    DEFAULT_CSS = """
    Guide {
        #said { height: 1fr; padding: 1 2 0 2; scrollbar-size-vertical: 1; scrollbar-background: $background; }
        #said Static { height: auto; max-width: 84; }
        #models { display: none; margin: 1 1 0 1; }
        #told { height: auto; max-height: 3; padding: 0 2; color: $text-accent; }
        .buttons { margin: 0 0 1 0; }
        .buttons Button { min-width: 10; }
        &.-model #said { height: auto; max-height: 6; }
        &.-model #models { display: block; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,right", "next", say("Next step"), priority=True),  # the list takes the arrows otherwise
        Binding("b,left", "back", say("Back"), priority=True),
        Binding("up", "scroll_said(-1)", show=False),
        Binding("down", "scroll_said(1)", show=False),
    ]

    def __init__(
        self, screen: ManuscriptScreen, state: Path, shop: Shop | None, examine: Callable[[], Sequence[Found]] | None
    ) -> None:
        """`state`: where the manuscript's state lies. `examine` looks at the machine; it may block for seconds."""
        super().__init__("")
        self._screen, self._state, self._shop, self._examine = screen, state, shop, examine
        self._steps = [step for step in STEPS if (step != "model" or shop) and (step != "machine" or examine)]
        self._at = 0
        self._found: Sequence[Found] | None = None
        self._shelf: Shelf | None = None
        self._problem = ""
        self._chosen = False
        self._rows = Rows()
        self._rows.id = "models"

    @property
    def step(self) -> Step:
        """The screen that is shown."""
        return self._steps[self._at]

    @property
    def _is_last(self) -> bool:
        return self._at == len(self._steps) - 1

    def body(self) -> Widget:
        return Vertical(
            VerticalScroll(Static(id="words", markup=False), id="said", can_focus=False),
            self._rows,
            Static(id="told", markup=False),
            Horizontal(*self._buttons(), classes="buttons"),
            classes="body",
        )

    def _buttons(self) -> ComposeResult:
        for name, label in (("next", say("Next step")), ("back", say("Back")), ("skip", say("Skip"))):
            button = Button(label, id=name, variant="primary" if name == "next" else "default")
            button.active_effect_duration = 0  # else a second Enter that comes fast would be lost
            yield button

    def on_mount(self) -> None:
        self.set_interval(_LOOK, self._look)
        self._fill()
        self._show()

    def on_screen_resume(self) -> None:
        """At the beginning, and back from the sheet of models: another one may be in use now."""
        self.refresh_rows()
        self._look_at_machine()

    # Showing --------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        step = self.step
        number = say("{number} of {count}", number=self._at + 1, count=len(self._steps))
        self.entitle(f"{say('First steps')} · {number} · {steps.title(step)}")
        self.set_class(step == "model", "-model")
        self._write()
        self.query_one("#told", Static).update("")
        last = self._is_last
        self.query_one("#next", Button).label = say("Write now") if last else say("Next step")
        self.query_one("#skip", Button).label = say("Not now") if last else say("Skip")
        self.query_one("#back", Button).disabled = self._at == 0
        self.query_one(KeyLine).say(self.LAST_KEYS if last else self.KEYS)
        self.query_one("#said").scroll_home(animate=False)
        (self._rows if step == "model" else self.query_one("#next", Button)).focus()

    def _write(self) -> None:
        self.query_one("#words", Static).update(Hanging("\n\n".join(self._said())))

    def _said(self) -> list[str]:
        screen, keys = self._screen, self._screen.with_keys
        match self.step:
            case "welcome":
                return steps.welcome(screen.manuscript)
            case "machine":
                return steps.machine(self._found)
            case "model":
                return steps.model(self._problem, none_here=choosing.none_here(self._shelf))
            case "words":
                return steps.words(screen.manuscript, self._state, (keys("Ctrl+S"), keys("Ctrl+Z")))
            case "try":
                shown = map(keys, ("Ctrl+G", "F2", "Ctrl+P", "F1"))
                chapter = screen.page.chapter.title if screen.page else ""
                engine = None if self._chosen else screen.engine  # a warm one is not what writes now
                return steps.trying(chapter, engine, shown, self._found, self._shelf.server if self._shelf else "")

    def refresh_rows(self) -> None:
        """Look at the models again."""
        if self._shop is not None:
            work_anew(self, "shelf", self._read, self._shop)  # waited for by no key

    async def _read(self, shop: Shop) -> None:
        language = self._screen.manuscript.language
        try:
            self._shelf = await aside(lambda: shop.models.look(language))
            self._problem = ""
        except (WriterError, OSError) as error:
            self._problem = str(error)
        self._fill()
        self._write()

    def _fill(self) -> None:
        if self._shop is not None:
            marked = self._rows.chosen or choosing.in_use(self._shelf)
            self._rows.fill(list(choosing.rows(self._shelf, self._shop)), marked)

    def _look(self) -> None:
        if self._shop is not None and self._shop.download is not None:
            self._fill()
        if self.step == "try":  # the chapter may have been opened meanwhile, and the engine be there
            self._write()

    def _look_at_machine(self) -> None:
        if self._examine is not None:
            work_anew(self, "examine", self._looked_at, self._examine)

    async def _looked_at(self, examine: Callable[[], Sequence[Found]]) -> None:
        try:
            self._found = await aside(examine)
        except (WriterError, OSError) as error:
            self._tell(str(error))
            self._found = ()
        self._write()

    # What the author does -------------------------------------------------------------------------------------

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        match event.button.id:
            case "next" if self._is_last:
                self.dismiss(TRY)
            case "next":
                self.action_next()
            case "back":
                self.action_back()
            case _:
                self.dismiss(None)

    def action_next(self) -> None:
        """The next screen. Behind the last one it would write, which a key for turning pages does not."""
        if not self._is_last:
            self._at += 1
            self._show()

    def action_back(self) -> None:
        """The screen before."""
        if self._at > 0:
            self._at -= 1
            self._show()

    def action_scroll_said(self, rows: int) -> None:
        """On a low terminal the text is longer than its place."""
        self.query_one("#said").scroll_relative(y=rows, animate=False)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        name, shop = self._rows.name_at(event.option_index), self._shop
        if shop is None:
            return
        model = choosing.model_of(self._shelf, name)
        if model is not None and model.chosen:
            self.action_next()  # nothing to be chosen: Enter goes on
        elif model is not None:
            self._use(lambda: shop.models.use(model))
        elif name == choosing.SERVER:
            from writer.tui.screens.ask import Ask

            hint = say("Enter keeps it; Escape goes back. Your text goes there when it writes.")
            known = self._shelf.server if self._shelf else ""
            card = Ask(say("Address of the server, such as https://lab.example:8000"), hint, known)
            self.app.push_screen(
                card, lambda url: self._use(lambda: shop.models.use_server(url or "")) if url else None
            )
        else:
            shop.open(name.removeprefix(choosing.HUB) if name.startswith(choosing.HUB) else "")

    def _use(self, choose: Callable[[], str]) -> None:
        work_anew(self, "use", self._used, choose)

    async def _used(self, choose: Callable[[], str]) -> None:
        try:
            self._tell(await aside(choose))
            self._chosen = True
            self.query_one("#next", Button).focus()
        except WriterError as error:
            self._tell(error.sentence)
        self.refresh_rows()
        self._look_at_machine()

    def _tell(self, sentence: str) -> None:
        self.query_one("#told", Static).update(one_line(self._screen.with_keys(sentence), 300))
