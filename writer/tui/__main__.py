"""The app's own process: `python -m writer.tui DIR`, started by the launcher."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from writer import locations
from writer.errors import ManuscriptLocked, WriterError
from writer.language import say
from writer.text.sanitise import one_line
from writer.tui.first_run import begin, is_first
from writer.tui.tuning import hold_collection, resume_collection

if TYPE_CHECKING:
    from writer.catalogue.ports import Models
    from writer.config import Settings
    from writer.manuscript.model import Manuscript
    from writer.runtime.ports import Desk
    from writer.tui.app import WriterApp
    from writer.tui.welcome.steps import Found

WELCOME = "--welcome"
CRASHED = 70
"""Exit code after a fault of ours (sysexits: EX_SOFTWARE)."""
READS_ON = -1
"""Not an exit code: nothing can be written any more, and the window goes on as a reader."""


def open_app(folder: Path) -> tuple[Manuscript, Desk, Settings]:
    """The manuscript, its desk, and what the settings say. Raises WriterError."""
    from writer.bootstrap import harden, writing_thread

    harden()
    manuscript, settings, desk = writing_thread(folder, os.environ)
    return manuscript, desk, settings


def main(argv: list[str]) -> int:
    """Run the app. Returns the exit code: 0 left by the author, 1 with one sentence on stderr, 70 after a fault."""
    asked, folders = argv[:1] == [WELCOME], [word for word in argv if word != WELCOME]
    if len(folders) != 1:
        print(say("Give the manuscript's folder: writer DIR"), file=sys.stderr)  # noqa: T201
        return 2
    hold_collection()
    if first := is_first(os.environ):  # asked before the manuscript's state is made
        begin()
    try:
        opened = _opened(Path(folders[0]))
    except WriterError as error:
        print(one_line(error.sentence, 500), file=sys.stderr)  # noqa: T201
        return 1
    return run(*opened, welcomes=asked or first) if opened else 0


def _opened(folder: Path) -> tuple[Manuscript, Desk, Settings] | None:
    """None if another window writes there and the author leaves it at that."""
    try:
        return open_app(folder)
    except ManuscriptLocked as error:
        resume_collection()  # the author may take his time
        from writer.tui.gatekeeping.entry import knock

        return knock(folder, error, open_app)


def run(manuscript: Manuscript, desk: Desk, settings: Settings, *, welcomes: bool = False) -> int:
    """Claim the terminal, show the screen until it is left, then make sure that every text is saved.

    `welcomes`: the first steps are shown at the beginning.
    """
    from writer.tui import terminal

    log_file = locations.log_dir() / "app.log"
    terminal.claim(log_file)
    logging.basicConfig(filename=log_file, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    code, why = _show(manuscript, desk, settings, welcomes)
    return _read_on(manuscript.folder, why) if code == READS_ON else code


def _read_on(folder: Path, why: str) -> int:
    """The window stays, as a reader; `why` if that is not what the author wanted."""
    from writer.tui.gatekeeping.entry import reading

    try:
        code, _ = _show(*reading(folder, why))
    except WriterError as error:
        _tell(error.sentence)
        return 1
    if why:
        _tell(why)
    return 1 if why else code


def _show(manuscript: Manuscript, desk: Desk, settings: Settings, welcomes: bool = False) -> tuple[int, str]:
    """How the screen was left: the exit code, or READS_ON and why."""
    from writer.tui import terminal
    from writer.tui.app import WriterApp

    window = WriterApp
    if getattr(desk, "only_reads", False):
        from writer.tui.gatekeeping.reading import ReadingApp

        window = ReadingApp
    app = window(manuscript, desk, settings.editor, driver_class=terminal.ForgivingDriver)
    app.models, app.examine = _models, _findings
    app.welcomes = welcomes and not app.main.only_reads
    app.remap(settings.keys)
    app.present(settings.interface)
    try:
        app.run()
    finally:
        app.main.keeping.last_resort()
    return _left(app)


def _models() -> Models:
    from writer.bootstrap import models_here

    return models_here(os.environ)


def _findings() -> Sequence[Found]:
    from writer.bootstrap import settings_for
    from writer.doctor import first_findings

    return first_findings(settings_for(None, os.environ), os.environ)


def _left(app: WriterApp) -> tuple[int, str]:
    keeping = app.main.keeping
    if keeping.reads_on:
        return READS_ON, keeping.failure
    if keeping.failure:
        _tell(keeping.failure)
        return 1, ""
    if app.crashed:
        log_file = locations.log_dir() / "app.log"
        _tell(
            say(
                "writer stopped because of a fault of its own. Your text is saved; start it again. Details: {log_file}",
                log_file=log_file,
            )
        )
        return CRASHED, ""
    return 0, ""


def _tell(sentence: str) -> None:
    if (screen := sys.__stderr__) is not None:  # the terminal, wherever stderr goes by now
        print(one_line(sentence, 500), file=screen, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
