"""Run in a pseudo-terminal: shows payloads at one place and then leaves. The app is the real one, on a fake desk.

Usage: escape_app.py FOLDER SCREEN PAYLOADS [PLANT]. What could not be shown is written to PAYLOADS.unseen. Plants:
"gate" (the last line of defence is off), "all" (nothing cleans any text).
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[1])]

PATIENCE = 20.0  # seconds for one screenful of payloads


def main(folder: Path, screen: str, file: Path, plant: str) -> int:
    payloads = json.loads(file.read_text())
    _plant(plant)
    from escape_outside import OUTSIDE

    if screen in OUTSIDE:
        OUTSIDE[screen](payloads, folder)
        return 0
    from escape_places import writable
    from fake_desk import FakeDesk

    from writer.config import EditorSettings, InterfaceSettings, Settings
    from writer.manuscript.project import open_manuscript
    from writer.tui import __main__ as entry

    manuscript = open_manuscript(folder)
    shown = payloads if screen in ("editor", "copying") else ["The lamp had gone out."]  # else it shines through
    (folder / manuscript.chapters[0].path).write_text("\n\n".join(map(writable, shown)) + "\n")
    unseen: list[str] = []
    _drive(screen, payloads, unseen)
    desk: Any = FakeDesk()
    code = entry.run(
        manuscript, desk, Settings(editor=EditorSettings(autosave=3600), interface=InterfaceSettings(motion="full"))
    )
    Path(f"{file}.unseen").write_text(json.dumps(unseen))
    return code


def _plant(plant: str) -> None:
    from writer import launcher
    from writer.text import sanitise

    if plant == "all":
        sanitise.visible = lambda text: text
        sanitise.one_line = lambda text, limit=200: text
        launcher._last = lambda argv: argv[-1]
    from writer.tui import gate

    if plant:
        gate.close_gate = lambda: None


def _drive(screen: str, payloads: Sequence[str], unseen: list[str]) -> None:
    """Begin once a chapter is open; note what is written to the terminal meanwhile."""
    from escape_screens import SCREENS

    from writer.tui import terminal
    from writer.tui.app import WriterApp

    written: list[str] = []

    class Watched(terminal.ForgivingDriver):
        def write(self, data: str) -> None:
            written.append(data)
            super().write(data)

    async def painted(chunk: Sequence[str]) -> None:
        """Waits for the marks of these payloads."""
        marks = {payload.partition(".")[0] + "." for payload in chunk}
        try:
            async with asyncio.timeout(PATIENCE):
                while marks := {mark for mark in marks if mark not in "".join(written)}:
                    await asyncio.sleep(0.005)  # the poll's interval, not a condition
        except TimeoutError:
            unseen.extend(marks)
        written[:-20] = []

    async def show(app: WriterApp) -> None:
        try:
            while app.main.page is None:
                await asyncio.sleep(0.01)
            await SCREENS[screen](app, payloads, painted)
        finally:
            app.exit()

    start = WriterApp.on_mount

    def on_mount(self: WriterApp) -> None:
        start(self)
        self.run_worker(show(self), exit_on_error=True)

    WriterApp.on_mount = on_mount  # type: ignore[method-assign]
    terminal.ForgivingDriver = Watched  # type: ignore[misc]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), "".join(sys.argv[4:5])))
