"""The way into the guide and out of it: it is remembered as seen, and who wants to try sees a first paragraph."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from writer import locations
from writer.tui.first_run import remember
from writer.tui.welcome.guide import TRY, Guide
from writer.tui.welcome.steps import first_instruction
from writer.tui.working import work

if TYPE_CHECKING:
    from writer.tui.app import WriterApp
    from writer.tui.screens.manuscript import ManuscriptScreen


def show(app: WriterApp) -> None:
    """The guide, over the text."""
    if any(isinstance(screen, Guide) for screen in app.screen_stack):
        return
    app.main.opening.unasked.hold()
    state = locations.state_dir(app.main.manuscript.id)
    app.push_screen(Guide(app.main, state, app.shop(), app.examine), lambda answer: _left(app.main, answer))


def _left(screen: ManuscriptScreen, answer: str | None) -> None:
    work(screen, "welcome", asyncio.to_thread, remember)
    if screen.page is not None:
        screen.page.editor.focus()
    if answer == TRY:
        begin(screen)
    screen.opening.unasked.let_go()


def begin(screen: ManuscriptScreen) -> None:
    """Write at the end of the chapter that is shown; what is paused there goes on, what is being written stays."""
    page = screen.page
    if screen.here.busy:
        return
    if page is not None and page.resumable:
        screen.action_go_on()
    else:
        screen.action_draft(first_instruction(page.editor.text, screen.manuscript.language) if page else "")
