"""The app on the real desk with the scripted engine: a window that an author opens and leaves."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from desktop import Desktop
from fake_desk import FakeDesk
from textual.pilot import Pilot

from writer.bootstrap import writing_thread
from writer.manuscript.model import Manuscript
from writer.tui.app import WriterApp


@asynccontextmanager
async def window(novel: Manuscript, **script: object) -> AsyncIterator[Desktop]:
    """The app on this manuscript, left as an author leaves it."""
    environ = {"WRITER_ENGINE": "scripted", "WRITER_SCRIPT": json.dumps(script)}
    manuscript, settings, desk = writing_thread(novel.folder, environ)
    app = WriterApp(manuscript, desk, settings.editor)
    async with app.run_test(size=(100, 30)) as pilot:
        typed: Pilot[None] = pilot
        desktop = Desktop(app, FakeDesk(), typed)
        await desktop.until(lambda: app.main.page is not None and app.main.page.traced)
        yield desktop
        await app.main.keeping.leave()
