"""A window that found the manuscript taken: shows the card, and opens what the author has chosen."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from writer import locations
from writer.config import InterfaceSettings, Settings, load
from writer.errors import ManuscriptLocked, WriterError
from writer.manuscript.lock import take_over
from writer.manuscript.model import Manuscript
from writer.manuscript.project import open_manuscript
from writer.runtime.ports import Desk
from writer.runtime.reading import ReadingDesk
from writer.tui.gatekeeping.gate import READ, TAKE, Gate
from writer.tui.terminal import ForgivingDriver

Opened = tuple[Manuscript, Desk, Settings]


def knock(folder: Path, refused: ManuscriptLocked, open_app: Callable[[Path], Opened]) -> Opened | None:
    """What `open_app` gives once the other window has let go, or a desk that only reads; None: the author leaves.

    Raises WriterError.
    """
    state_dir = locations.state_dir(open_manuscript(folder).id)
    while True:
        gate = Gate(refused.sentence, lambda: take_over(state_dir), driver_class=ForgivingDriver)
        gate.present(_interface(folder))
        answer = gate.run()
        if answer == READ:
            return reading(folder)
        if answer != TAKE:
            return None
        try:
            return open_app(folder)
        except ManuscriptLocked as error:  # a third window was faster
            refused = error


def _interface(folder: Path) -> InterfaceSettings:
    """How the card is to look. Settings that are wrong are told by what opens the manuscript."""
    try:
        return _settings(open_manuscript(folder)).interface
    except WriterError:
        return InterfaceSettings()


def _settings(manuscript: Manuscript) -> Settings:
    return load(locations.config_file(), manuscript.settings_file, _of_the_screen(os.environ))


def reading(folder: Path, why: str = "") -> Opened:
    """The manuscript for a window that only reads; `why` if not because another one writes. Raises WriterError."""
    manuscript = open_manuscript(folder)
    settings = _settings(manuscript)
    return manuscript, ReadingDesk(manuscript.folder, why), settings


def _of_the_screen(environ: Mapping[str, str]) -> dict[str, str]:
    """What of the environment concerns a window that only reads."""
    names = ("WRITER_LANGUAGE", "WRITER_MOTION", "WRITER_SCREEN_READER")
    return {name: environ[name] for name in names if name in environ}
