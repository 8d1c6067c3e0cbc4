"""The Textual application: joins a desk to the screen. No logic of its own.

It must not import an engine, the store or an HTTP library: the desk is handed in, and the first paint waits
for nothing.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.driver import Driver
from textual.screen import Screen

from writer.config import EditorSettings
from writer.key_names import key_map
from writer.language import say
from writer.tui.calmed import CalmApp
from writer.tui.commands import WriterCommands
from writer.tui.gate import close_gate
from writer.tui.messages import Reported
from writer.tui.placing import place_every_part
from writer.tui.quit_hint import hint_at_quitting
from writer.tui.screens.manuscript import ManuscriptScreen
from writer.tui.theme import dress
from writer.tui.tuning import resume_collection
from writer.tui.working import work

if TYPE_CHECKING:
    from writer.catalogue.ports import Models
    from writer.key_names import KeySettings
    from writer.manuscript.model import Manuscript
    from writer.runtime.events import Event
    from writer.runtime.ports import Desk
    from writer.tui.key_door import KeyDoor
    from writer.tui.models.entry import Shop
    from writer.tui.welcome.steps import Found

close_gate()
place_every_part()
_log = logging.getLogger(__name__)
_MOVES = {"open", "takes", "summary", "convert"}
"""Groups of work that end with another chapter or a question on the screen."""
_LIST = 0.25  # seconds for which what is typed waits for the rows of a list, which a key of it may mean


class WriterApp(CalmApp[None]):
    """One window on one manuscript."""

    CSS_PATH = "styles/app.tcss"
    TITLE = "writer"
    COMMANDS: ClassVar[set[object]] = {WriterCommands}  # type: ignore[assignment]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", say("Quit"), priority=True, id="quit"),
        Binding(
            "ctrl+p",
            "command_palette",
            say("palette"),
            show=False,
            priority=True,
            tooltip=say("Open the command palette"),
        ),
    ]

    def __init__(
        self,
        manuscript: Manuscript,
        desk: Desk,
        settings: EditorSettings | None = None,
        *,
        driver_class: type[Driver] | None = None,
    ) -> None:
        """The app closes the desk when it is left."""
        super().__init__(driver_class=driver_class)
        settings = settings or EditorSettings()
        self._undressed = dress(self, settings.theme)
        self._door: KeyDoor | None = None
        self.desk = desk
        self.main = ManuscriptScreen(manuscript, desk, settings)
        self.crashed = False
        self.models: Callable[[], Models] | None = None
        """The models of this machine, which are looked at when the author asks; None where there are none to choose."""
        self._shop: Shop | None = None
        self.examine: Callable[[], Sequence[Found]] | None = None
        """Looks at the machine for the first steps; blocks."""
        self.welcomes = False
        """Whether the first steps are shown at the beginning."""
        self.changed_keys: dict[str, str] = {}
        """Name → key, of those that are not the usual ones."""

    async def on_event(self, event: events.Event) -> None:
        """What is typed goes in by the door: never into the text while something opens that it is meant for."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            if self._door is None:
                from writer.tui.key_door import KeyDoor

                self._door = KeyDoor(self, super().on_event, self._moving)
            await self._door.comes(event)
        else:
            await super().on_event(event)

    def _moving(self, seconds: float) -> bool:
        """Whether another chapter or a question is about to be shown, or the rows of a list that was just opened."""
        works = [(work.group, work.node) for work in self.workers if not work.is_finished]
        listed = seconds < _LIST and ("read", self.screen) in works
        return listed or self.main.rearranged or self.main.asks_soon or any(group in _MOVES for group, _ in works)

    def remap(self, keys: KeySettings) -> None:
        """These keys hold from now on. They are known not to be in conflict."""
        self.changed_keys = key_map(keys)
        self.set_keymap(self.changed_keys)

    def handle_bindings_clash(self, clashed_bindings: set[Binding], node: DOMNode) -> None:
        """Three actions share one key, and one of them is possible at a time: no conflict."""

    def get_default_screen(self) -> Screen[None]:
        return self.main

    def shop(self) -> Shop | None:
        """The models to choose from, and the download of this window; None where there are none to choose."""
        if self._shop is None and self.models is not None:
            from writer.tui.models.entry import Shop

            self._shop = Shop(self.main, self.models())
        return self._shop

    def action_models(self) -> None:
        """What is here and what would fit; a download goes on when the sheet is left."""
        if shop := self.shop():
            shop.open()

    def action_first_steps(self) -> None:
        """The guide for someone new."""
        from writer.tui.welcome.entry import show

        show(self)

    def on_unmount(self) -> None:
        if self._shop is not None:
            self._shop.close()

    def on_mount(self) -> None:
        for number in (signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, self._leave_now)
        self.call_after_refresh(resume_collection)
        self.call_after_refresh(self.desk.start, self.report)
        if self.welcomes:
            self.main.opening.unasked.hold()
            self.call_after_refresh(self.action_first_steps)
        if self._undressed:
            self.main.complain(self._undressed, "warning")

    def report(self, event: Event) -> None:
        """Take a report; called in the writing thread."""
        if not self.post_message(Reported(event)):
            self.main.keeping.heard_late(event)

    def on_reported(self, message: Reported) -> None:
        self.main.receive(message.event)

    async def action_quit(self) -> None:
        work(self, "leave", self.main.keeping.leave)

    def _leave_now(self) -> None:
        """The terminal is gone, or someone wants us to end: there is nobody to ask."""
        work(self, "leave", self.main.keeping.leave, ask=False)

    def action_command_palette(self) -> None:
        """As Textual's own, in the user's language."""
        from writer.tui.palette import Palette

        if not isinstance(self.screen, Palette):
            self.push_screen(Palette())

    def action_help_quit(self) -> None:
        hint_at_quitting(self)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        return ()

    def _fatal_error(self) -> None:
        """A fault of ours. The log gets the traceback without any text of the author's; the screen just ends."""
        _log.error("the app failed", exc_info=self._exception)
        self.crashed = True
        self._close_messages_no_wait()
