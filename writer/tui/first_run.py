"""Whether somebody is here for the first time, so that the first steps are shown; and that they are shown once.

A few files are looked at and nothing is loaded. Scripts and tests meet no guide: they name an engine or a model in the
environment, have settings, or set WRITER_NO_WELCOME.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from writer import locations
from writer.errors import StorageError

MARK = "welcomed"
BEGUN = "welcoming"
"""The first steps were shown and not left yet: whoever quits or is killed among them sees them again."""
VARIABLE = "WRITER_NO_WELCOME"
_NOT_NEW = (VARIABLE, "WRITER_ENGINE", "WRITER_MODEL", "CI")


def is_first(environ: Mapping[str, str]) -> bool:
    """Whether nothing was ever written, set or skipped here. Ask before a manuscript's state is made."""
    if any(environ.get(name) for name in _NOT_NEW):
        return False
    try:
        state = locations.state_dir("")
    except StorageError:
        return False  # whoever opens the manuscript tells that
    if (state / BEGUN).exists() and not (state / MARK).exists():
        return True
    known = (state / MARK, locations.config_file(), *state.glob("*/state.db"))
    return not any(map(os.path.lexists, known))


def begin() -> None:
    """The first steps are about to be shown for the first time."""
    _mark(BEGUN)


def remember() -> None:
    """The first steps were done or skipped. Where that cannot be kept they are shown again, which harms nobody."""
    _mark(MARK)


def _mark(name: str) -> None:
    try:
        (locations.state_dir("") / name).touch()
    except (StorageError, OSError):
        pass
