"""What the model is given, and how tokens are drawn: inspector, context meter, sampling."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.screen import Screen

from writer.config import Settings
from writer.manuscript.model import Manuscript
from writer.runtime.events import EngineAttached, Event
from writer.runtime.ports import Desk
from writer.tui.command import Command

if TYPE_CHECKING:
    from writer.tui.page import Page

_ONLY_READS = "This window only reads: settings are changed in the one that writes."


class PromptActions(Screen[None]):
    """The part of the main screen that concerns the prompt."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f5", "sampling", show=False)]
    manuscript: Manuscript
    desk: Desk
    page: Page | None
    only_reads: bool
    _word_control = True
    """Of the engine, as far as is known."""

    def prompt_commands(self) -> Iterator[Command]:
        """What the palette offers of it now."""
        yield "Sampling", "How the next words are drawn: temperature, repetition, banned words", self.action_sampling

    def prompt_heard(self, event: Event) -> None:
        """The writing thread has reported this."""
        match event:
            case EngineAttached(facts=facts):
                self._word_control = facts.word_control

    # Sampling -------------------------------------------------------------------------------------------------

    def action_sampling(self) -> None:
        """Show how text is drawn, to be changed."""
        from writer.tui.prompt.sampling_sheet import SamplingSheet

        chapter = self.page.chapter if self.page else None
        refusal = _ONLY_READS if self.only_reads else ""
        sheet = SamplingSheet(self.manuscript, chapter, self._settled, able=self._word_control, refusal=refusal)
        self.app.push_screen(sheet)

    def _settled(self, settings: Settings) -> None:
        self.desk.settings(settings)
