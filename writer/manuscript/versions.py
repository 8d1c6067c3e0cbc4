"""Earlier states of chapters, as bytes: undo that outlives a crash. In the state folder, never in the manuscript."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import time
import zlib
from dataclasses import dataclass
from pathlib import Path

from writer import locations
from writer.errors import ManuscriptError, SaveFailed, StorageError
from writer.language import say
from writer.manuscript import atomic
from writer.manuscript.encoding import digest

PER_CHAPTER = 50
TOTAL_BYTES = 100 * 1024 * 1024

_NAME = re.compile(r"\d{20}-\d+-[0-9a-f]{64}\.z")  # nanoseconds, size, sha256


@dataclass(frozen=True, slots=True)
class Version:
    """One kept state of a chapter."""

    chapter: str
    kept_at: float  # UTC seconds
    size: int  # bytes of the chapter as it was
    sha256: str
    file: Path


class Versions:
    """The versions of one manuscript, in `folder` (the caller gives `<state>/versions`)."""

    def __init__(self, folder: Path, *, per_chapter: int = PER_CHAPTER, total_bytes: int = TOTAL_BYTES) -> None:
        self._folder = folder
        self._per_chapter = per_chapter
        self._total_bytes = total_bytes

    def keep(self, chapter_path: str, data: bytes) -> None:
        """Keep this state, unless the newest is the same; the oldest make room. Raises SaveFailed."""
        try:
            kept = self.listing(chapter_path)
            if kept and kept[0].sha256 == digest(data):
                return
            # A clock that was set back changes no order.
            now = max(time.time_ns(), _nanoseconds(kept[0].file) + 1 if kept else 0)
            name = f"{now:020d}-{len(data)}-{digest(data)}.z"
            folder = locations.private(self._chapter_folder(chapter_path))
            atomic.sweep(folder)
            atomic.write_new(folder / name, zlib.compress(data))
            self._make_room(folder)
        except OSError as error:
            sentence = say("No earlier version could be kept ({why}). Free some space on the disk.", why=error.strerror)
            raise SaveFailed(sentence, detail=repr(error)) from error
        except StorageError as error:  # the state folder cannot be made
            raise SaveFailed(error.sentence, detail=error.detail) from error

    def listing(self, chapter_path: str) -> list[Version]:
        """All kept states of a chapter, newest first."""
        return [_version(chapter_path, file) for file in _files(self._chapter_folder(chapter_path))]

    def read(self, version: Version) -> bytes:
        """The bytes as they were. Raises ManuscriptError if the file is gone or damaged."""
        try:
            data = zlib.decompress(version.file.read_bytes())
        except (OSError, zlib.error) as error:
            raise ManuscriptError(_damaged(version), detail=repr(error)) from error
        if digest(data) != version.sha256:
            raise ManuscriptError(_damaged(version))
        return data

    def carry(self, old: str, new: str) -> None:
        """The chapter `old` is called `new` now: its versions go along, to those that are there already, if any.

        Raises SaveFailed. Called again, it does what is left to do.
        """
        source, target = self._chapter_folder(old), self._chapter_folder(new)
        try:
            for file in _files(source):
                os.replace(file, locations.private(target) / file.name)
            with contextlib.suppress(OSError):  # something foreign lies in it
                source.rmdir()
        except OSError as error:
            sentence = say(
                "Earlier versions of a chapter stay under its old name ({why}). Try again.", why=error.strerror
            )
            raise SaveFailed(sentence, detail=repr(error)) from error
        except StorageError as error:
            raise SaveFailed(error.sentence, detail=error.detail) from error

    def _chapter_folder(self, chapter_path: str) -> Path:
        return self._folder / hashlib.sha256(os.fsencode(chapter_path)).hexdigest()[:16]

    def _make_room(self, folder: Path) -> None:
        for file in _files(folder)[self._per_chapter :]:
            file.unlink(missing_ok=True)
        chapters = [_files(chapter) for chapter in self._folder.iterdir() if chapter.is_dir()]
        total = sum(file.stat().st_size for files in chapters for file in files)
        newest = {files[0] for files in chapters if files}
        old = sorted((file for files in chapters for file in files), key=lambda f: (f in newest, _nanoseconds(f)))
        for file in old[:-1]:
            if total <= self._total_bytes:
                break
            total -= file.stat().st_size
            file.unlink(missing_ok=True)


def _version(chapter_path: str, file: Path) -> Version:
    nanoseconds, size, rest = file.name.split("-")
    return Version(chapter_path, int(nanoseconds) / 1e9, int(size), rest.removesuffix(".z"), file)


def _files(folder: Path) -> list[Path]:
    """Version files, newest first."""
    if not folder.is_dir():
        return []
    return sorted((f for f in folder.iterdir() if _NAME.fullmatch(f.name)), key=_nanoseconds, reverse=True)


def _nanoseconds(file: Path) -> int:
    return int(file.name[:20])


def _damaged(version: Version) -> str:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(version.kept_at))
    return say("The version of {when} is damaged or gone. Choose another version.", when=when)
