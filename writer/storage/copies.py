"""Rolling copies of the state, to mend a damaged one from. A copy is never worth stopping for, or a full disk."""

from __future__ import annotations

import logging
import os
import re
import shutil
from pathlib import Path

from writer import locations
from writer.errors import StorageError
from writer.storage.database import backup, sync
from writer.storage.library import Database

KEPT = 3
INTERVAL = 300.0  # seconds between two copies at least
_ROOM = 16 << 20  # bytes that a copy must leave free
_NAME = re.compile(r"state-(\d{13})\.db")  # milliseconds of UTC
_UNFINISHED = "unfinished.db"
_log = logging.getLogger(__name__)


class Copies:
    """The copies in `folder`, newest first. The folder is made when the first one is."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def files(self) -> list[Path]:
        """Newest first."""
        try:
            names = sorted((name for name in os.listdir(self._folder) if _NAME.fullmatch(name)), reverse=True)
        except OSError:
            return []
        return [self._folder / name for name in names]

    def due(self, now: float) -> bool:
        """Whether the newest is old enough for another one, or was made by a clock that went ahead."""
        return abs(now - self.newest_at()) >= INTERVAL

    def newest_at(self) -> float:
        """UTC seconds at which the newest was made; 0 if there is none."""
        return max(map(kept_at, self.files()), default=0.0)

    def keep(self, db: Database, path: Path, now: float) -> None:
        """One more copy of the live database at `path`; the oldest goes. That none can be made is logged only."""
        try:
            locations.private(self._folder)
            (self._folder / _UNFINISHED).unlink(missing_ok=True)
            if shutil.disk_usage(self._folder).free < 2 * path.stat().st_size + _ROOM:
                return
            backup(db, self._folder / _UNFINISHED)
            os.rename(self._folder / _UNFINISHED, self._folder / f"state-{int(now * 1000):013d}.db")
            sync(self._folder)
            for old in self.files()[KEPT:]:
                old.unlink(missing_ok=True)
        except (OSError, StorageError) as error:
            _log.warning("no copy of the state was kept: %r", error)


def kept_at(copy: Path) -> float:
    """UTC seconds at which this copy was made."""
    found = _NAME.fullmatch(copy.name)
    return int(found[1]) / 1000 if found else 0.0
