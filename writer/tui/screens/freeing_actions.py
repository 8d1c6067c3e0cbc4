"""Pause and free the GPU: for a game, a film, another model. The engine stays, and writing takes the GPU again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, cast

from textual.binding import Binding, BindingType
from textual.screen import Screen

from writer.language import say

if TYPE_CHECKING:
    from writer.tui.command import Command
    from writer.tui.screens.manuscript import ManuscriptScreen


class FreeingActions(Screen[None]):
    """The part of the main screen that concerns the GPU."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("alt+p", "free_gpu", show=False, id="free_gpu")]

    def freeing_commands(self) -> Iterator[Command]:
        """What the palette offers of it now: nothing where the engine has no GPU."""
        engine = cast("ManuscriptScreen", self).engine
        if engine and engine.can_sleep and engine.state != "asleep":
            yield (
                say("Pause and free the GPU"),
                say("The engine stays; writing takes the GPU again"),
                self.action_free_gpu,
            )

    def action_free_gpu(self) -> None:
        """Pause all that is written here, and give the GPU's memory back. Where that cannot be, the answer says why."""
        screen = cast("ManuscriptScreen", self)
        if screen.only_reads:
            screen.complain(say("This window only reads: free the GPU in the one that writes."), "information")
            return
        for writing in screen.writings.busy:
            writing.pausing = True
        screen.desk.free_gpu()
        screen.show_state()
