"""A folder for one conversion, readable by its owner alone and gone afterwards; and how its result gets out of it."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from writer import locations, process
from writer.errors import ExchangeError
from writer.language import say
from writer.manuscript import atomic
from writer.text.sanitise import one_line

_PREFIX = "export-"
_READABLE = 0o666


@contextlib.contextmanager
def workplace() -> Iterator[Path]:
    """In the cache folder, which may be emptied at any time. Raises StorageError, ExchangeError."""
    with _told(say("A temporary folder")):
        cache = locations.cache_dir()
        _sweep(cache)
        place = tempfile.TemporaryDirectory(dir=cache, prefix=f"{_PREFIX}{os.getpid()}-")
    with place as name:
        yield Path(name)


def _sweep(cache: Path) -> None:
    """Remove what killed processes left there."""
    for left in cache.glob(f"{_PREFIX}*"):
        pid = left.name.removeprefix(_PREFIX).split("-")[0]
        if pid.isdecimal() and process.start_ticks(int(pid)) is None:
            shutil.rmtree(left, ignore_errors=True)


def refuse_to_replace(path: Path, *, force: bool) -> None:
    """Raises ExchangeError if the file may not be made there."""
    if path.is_dir():
        raise ExchangeError(say("{path} is a folder. Name a file in it, with --output.", path=_name(path)))
    if not force and os.path.lexists(path):
        raise ExchangeError(
            say(
                "There is already a file {path}. Take another name with --output, or replace it with --force.",
                path=_name(path),
            )
        )


def put(path: Path, data: bytes, *, force: bool) -> None:
    """Make the file, whole or not at all. It may be read by whoever may read its folder. Raises ExchangeError."""
    refuse_to_replace(path, force=force)
    with _told(_name(path)):
        path.parent.mkdir(parents=True, exist_ok=True)
        target = Path(os.path.realpath(path))
        try:
            atomic.write_new(target, data)
        except FileExistsError:
            if not force:
                refuse_to_replace(path, force=False)
                raise
            atomic.replace(target, data, lambda found: None)
            return
        os.chmod(target, _READABLE & stat.S_IMODE(target.parent.stat().st_mode))


@contextlib.contextmanager
def _told(what: str) -> Iterator[None]:
    try:
        yield
    except atomic.CannotReplace as error:
        sentence = say(
            "{what} belongs to another, or its folder is closed to you. Take another name with --output.", what=what
        )
        raise ExchangeError(sentence, detail=repr(error)) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise ExchangeError(
                say("The disk is full: {what} is not made. Free some space, then try again.", what=what)
            ) from error
        sentence = say(
            "{what} cannot be made ({why}). Take another place with --output.", what=what, why=error.strerror
        )
        raise ExchangeError(sentence, detail=repr(error)) from error


def _name(path: Path) -> str:
    return one_line(str(path), 120)
