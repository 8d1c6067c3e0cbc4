"""A desk for a command: opened, told of Ctrl-C and of a reader that has gone, closed in any case."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from writer.bootstrap import open_desk, settings_for
from writer.cli.output import Listener, tell
from writer.manuscript.project import open_manuscript

if TYPE_CHECKING:
    from writer.runtime.desk import Desk
    from writer.runtime.events import DeskOpened, Event
    from writer.runtime.headless import Headless

T = TypeVar("T")
_PATIENCE = 2  # tries of a refused commit; a script is told at once, the app waits


async def with_desk(
    folder: Path, shown: Callable[[Event], None], work: Callable[[Desk, Headless, DeskOpened], Awaitable[T]]
) -> T:
    """What `work` gives. Ctrl-C pauses all that is written. `shown` gets the events. Raises WriterError."""
    from writer.runtime.drafting import Outcome
    from writer.runtime.headless import Headless

    settings = settings_for(open_manuscript(folder), os.environ)
    show = Listener(shown)
    front = Headless(show, autosave=settings.editor.autosave)
    desk = open_desk(folder, os.environ, front, patience=_PATIENCE)
    loop = asyncio.get_running_loop()
    try:
        opened = await desk.open()
        front.desk = desk
        for note in (*opened.notes, *(offer.note for offer in opened.offers if offer.note)):
            tell(note, error=True)
        show.gone = front.stop
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, front.stop)
        done = await work(desk, front, opened)
        for sentence in front.refused:
            if not isinstance(done, Outcome) or done.sentence != sentence:  # that one is told by itself
                tell(sentence, error=True)
        return done
    finally:
        await desk.close()
