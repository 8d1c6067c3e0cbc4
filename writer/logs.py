"""Where a command's log goes: to a file, made when there is something to say, and never to the terminal."""

from __future__ import annotations

import logging

from writer import locations
from writer.errors import WriterError

_FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"


class _LogFile(logging.Handler):
    """Opens its file with the first record. What cannot be written is dropped: nobody has to mend a log."""

    def __init__(self, name: str) -> None:
        super().__init__(logging.WARNING)
        self._name = name
        self._file: logging.Handler | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """One record. Raises nothing."""
        try:
            if self._file is None:
                self._file = logging.FileHandler(locations.log_dir() / self._name, encoding="utf-8")
                self._file.setFormatter(logging.Formatter(_FORMAT))
                self._file.handleError = lambda record: None  # type: ignore[method-assign]
            self._file.emit(record)
        except (OSError, WriterError):
            pass


def to_file(name: str) -> None:
    """From now on warnings and errors of this process go to that file in the log folder; once is enough."""
    root = logging.getLogger()
    if not any(isinstance(handler, _LogFile) for handler in root.handlers):
        root.addHandler(_LogFile(name))
