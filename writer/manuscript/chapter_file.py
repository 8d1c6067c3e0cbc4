"""A chapter's file: read as it is, saved whole or not at all, and never over what another program wrote.

Where two files cannot change places in one step (see exchange), microseconds lie between the last look at the disk
and the rename, in which another program can still slip in.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from writer import locations
from writer.errors import ChapterChangedOnDisk, ChapterUnreadable, SaveFailed, StorageError
from writer.language import say
from writer.manuscript import atomic, in_place
from writer.manuscript.encoding import decode, digest, encode, whole
from writer.manuscript.model import ChapterText
from writer.manuscript.names import aside_name
from writer.text.sanitise import one_line

MAX_BYTES = 64 * 1024 * 1024

_CAUSES = {
    errno.ENOSPC: say(
        "The disk is full: {name} is not saved, its old version is whole. Free some space, then save again."
    ),
    errno.EROFS: say(
        "The disk is read-only: {name} is not saved. Copy the manuscript to another disk and open it there."
    ),
    errno.EACCES: say("{name} may not be written: it is not saved. Check the permissions of the file and its folder."),
    errno.EIO: say("The disk reports an error: {name} is not saved. Copy your manuscript to another disk soon."),
}
_CAUSES[errno.EDQUOT] = _CAUSES[errno.ENOSPC]
_CAUSES[errno.EPERM] = _CAUSES[errno.EACCES]


class ChapterFile:
    """One chapter on disk, for as long as it is open. `path` may be a symlink; its target is what is written.

    `backup_dir` holds the records of writes in place, and is for the holder of the manuscript's lock: reading then
    first finishes what was cut short. Without it, a folder in the user's state folder holds them.
    `root` is the manuscript's folder: a link that leads out of it, now or later, is neither read nor written.
    """

    encode = staticmethod(encode)

    def __init__(self, path: Path, *, backup_dir: Path | None = None, root: Path | None = None) -> None:
        self.path = path
        self._root = root
        self._backup_dir = backup_dir
        self._unsure: set[str] = set()  # digests we wrote without an answer that they are durable
        self._aside: tuple[Path, str] | None = None

    @property
    def name(self) -> str:
        """The file's name, safe in a sentence."""
        return one_line(self.path.name, 80)

    def exists(self) -> bool:
        """Whether there is a file. Raises ChapterUnreadable if its disk does not tell."""
        try:
            return self.path.exists()
        except OSError as error:
            raise self._unreadable(error) from None

    def read(self) -> ChapterText:
        """The chapter's text. Raises ChapterUnreadable."""
        return decode(self.read_bytes(), self.name)

    def read_bytes(self) -> bytes:
        """The chapter as it lies on the disk, whatever it is. Raises ChapterUnreadable."""
        try:
            if self._backup_dir is not None:
                in_place.settle(self._target, self._backup_dir)
            return _bytes(self._target)
        except FileNotFoundError:
            sentence = say(
                "{name} is not there any more. Put the file back, or choose another chapter.", name=self.name
            )
            raise ChapterUnreadable(sentence) from None
        except OSError as error:
            raise self._unreadable(error) from None

    def changed(self, loaded: ChapterText) -> bool:
        """Whether the file is there and holds something else than what was `loaded`, which we have not written."""
        try:
            found = digest(self.read_bytes())
        except ChapterUnreadable:
            return False
        return found != loaded.sha256 and found not in self._unsure

    def save(self, text: str, loaded: ChapterText) -> ChapterText:
        """Make the file hold `text`, if it still holds what was `loaded`; what it holds now, for the next save.

        Raises ChapterChangedOnDisk (nothing written), SaveFailed (the old file is whole).
        """
        data = encode(text, loaded)
        saved = replace(loaded, text=whole(text), sha256=digest(data))
        with self._save_errors():
            in_place.settle(self._target, self._records)
            known = {loaded.sha256, saved.sha256, *self._unsure}
            on_disk = digest(self._unchanged(known))
            if on_disk != saved.sha256 or on_disk in self._unsure:
                self._unsure.add(saved.sha256)
                self._write(data, known)
                self._unchanged({saved.sha256})
                self._unsure.clear()
        return saved

    def create(self, text: str) -> ChapterText:
        """Make the file, which must not exist yet. Raises SaveFailed."""
        data = encode(text, ChapterText("", ""))
        with self._save_errors():
            self._inside(self.path.parent)
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic.write_new(self.path, data)
        return ChapterText(whole(text), digest(data))

    def keep_aside(self, text: str, label: str = "conflict") -> Path:
        """Write `text` to a file beside the chapter, "name (conflict 2026-11-29).md"; that file.

        Called again with a longer version of that text, it brings the same file up to date, unless someone has changed
        that meanwhile; the same text is never kept twice. Where the folder refuses, the file goes to the backup
        folder. Raises SaveFailed.
        """
        data = encode(text, ChapterText("", ""))
        with self._save_errors():
            if self._aside and self._refresh_aside(*self._aside, data):
                return self._aside[0]
            try:
                path = self._new_aside(self._inside(self.path.parent), data, label)
            except (OSError, ChapterUnreadable):
                path = self._new_aside(locations.private(self._records), data, label)
        self._aside = path, digest(data)
        return path

    def _unreadable(self, error: OSError) -> ChapterUnreadable:
        sentence = say(
            "{name} cannot be read ({why}). Check the file's permissions, then try again.",
            name=self.name,
            why=error.strerror,
        )
        return ChapterUnreadable(sentence, detail=repr(error))

    @property
    def _target(self) -> Path:
        return self._inside(self.path)

    def _inside(self, path: Path) -> Path:
        """What the path leads to. Raises ChapterUnreadable if that lies outside of the manuscript."""
        real = Path(os.path.realpath(path))
        if self._root is not None and not real.is_relative_to(os.path.realpath(self._root)):
            raise ChapterUnreadable(
                say("{name} leads to a place outside the manuscript. Put the file itself there.", name=self.name)
            )
        return real

    @property
    def _records(self) -> Path:
        return self._backup_dir or locations.state_dir("records")

    def _write(self, data: bytes, known: set[str]) -> None:
        target, guard = self._target, partial(self._unchanged, known)
        if len(data) > MAX_BYTES:
            raise SaveFailed(
                say("{name} would be larger than 64 MB. Split the chapter, then save again.", name=self.name)
            )
        os.close(os.open(target, os.O_WRONLY | os.O_CLOEXEC))  # a write-protected file is not to be replaced
        try:
            if os.stat(target).st_nlink > 1:
                raise atomic.CannotReplace(say("the file has other names"))
            atomic.replace(target, data, guard)
        except FileNotFoundError:
            self._unchanged(known)  # tells that it was taken away
            raise
        except atomic.CannotReplace:
            in_place.overwrite(target, data, self._records, guard)

    def _unchanged(self, known: set[str], path: Path | None = None) -> bytes:
        """The bytes of the file, or of the one at `path`, if their digest is known. Raises ChapterChangedOnDisk."""
        try:
            data = _bytes(path or self._target)
        except FileNotFoundError:
            sentence = say(
                "{name} was deleted or renamed by another program. Your text is kept; save it elsewhere.",
                name=self.name,
            )
            raise ChapterChangedOnDisk(sentence) from None
        except ChapterUnreadable:  # now a folder, or far too large
            data = b""
        if digest(data) not in known:
            raise ChapterChangedOnDisk(
                say(
                    "{name} was changed by another program, so it is not overwritten. Compare the two versions, "
                    "then keep the one you want.",
                    name=self.name,
                )
            )
        return data

    def _new_aside(self, folder: Path, data: bytes, label: str) -> Path:
        for number in range(1, 10_000):
            path = folder / aside_name(self.path, label, number)
            try:
                atomic.write_new(path, data)
            except FileExistsError:
                if _holds(path, data):
                    return path
            else:
                return path
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(folder))

    def _refresh_aside(self, path: Path, kept: str, data: bytes) -> bool:
        try:
            old = _bytes(path)
            if digest(old) != kept or not data.startswith(old):  # another text must not take this one's place
                return False
            atomic.replace(path, data, lambda found: None)
        except (OSError, atomic.CannotReplace):
            return False
        self._aside = path, digest(data)
        return True

    @contextlib.contextmanager
    def _save_errors(self) -> Iterator[None]:
        try:
            yield
        except FileExistsError:
            raise SaveFailed(say("There is already a file {name}. Choose another name.", name=self.name)) from None
        except ChapterUnreadable as error:  # it leads outside
            raise SaveFailed(error.sentence) from error
        except StorageError as error:  # the state folder refuses a record or a copy
            raise SaveFailed(error.sentence, detail=error.detail) from error
        except OSError as error:
            other = say("{name} could not be saved ({why}). Try again; your text is still here.")
            sentence = _CAUSES.get(error.errno or 0, other).format(name=self.name, why=error.strerror)
            raise SaveFailed(sentence, detail=repr(error)) from error


def tidy(folder: Path, chapters: Iterable[str], backup_dir: Path) -> None:
    """Finish or remove what killed processes left of their saves. For the holder of the manuscript's lock, at start."""
    paths = [folder / chapter for chapter in chapters]
    for place in {folder, backup_dir, *(Path(os.path.realpath(path)).parent for path in paths)}:
        atomic.sweep(place)
    for path in paths:
        with contextlib.suppress(OSError):  # reading that chapter will tell
            in_place.settle(Path(os.path.realpath(path)), backup_dir)


def _holds(path: Path, data: bytes) -> bool:
    try:
        return _bytes(path) == data
    except (OSError, ChapterUnreadable):
        return False


def _bytes(path: Path) -> bytes:
    """The regular file's bytes. Never blocks on a pipe. Raises ChapterUnreadable, OSError."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(fd, "rb") as file:
        facts = os.fstat(fd)
        if not stat.S_ISREG(facts.st_mode):
            raise ChapterUnreadable(say("{path} is not a file. Choose another chapter.", path=one_line(path.name)))
        if facts.st_size > MAX_BYTES:
            raise ChapterUnreadable(
                say("{path} is larger than 64 MB. Split it into chapters first.", path=one_line(path.name))
            )
        return file.read(MAX_BYTES + 1)
