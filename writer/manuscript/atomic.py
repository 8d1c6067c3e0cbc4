"""Writing a file so that a crash, a power cut or a full disk leaves the old bytes or the new, never anything else.

Temporary file in the same folder, fsync, rename, fsync of the folder. Knows bytes and paths, nothing of chapters;
an OSError comes out as it is, with the old file whole and the temporary one gone. Between the last look at a file and
its rename another program can still write: so the two exchange places, and what comes out is looked at once more.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from writer import process
from writer.manuscript.exchange import exchange
from writer.manuscript.names import aside_name

_TEMPORARY = re.compile(r"\..+\.w(\d+)-[0-9a-f]{12}\.tmp")
_REFUSED = (errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.EINVAL)
_ACL = "system.posix_acl_access"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class CannotReplace(Exception):
    """A new file cannot take the old one's place: the folder is closed to us, or owner or attributes would be lost."""


def replace(target: Path, data: bytes, guard: Callable[[Path], object]) -> None:
    """Put `data` in the place of the existing file `target` (no symlink); mode, owner and attributes stay.

    `guard` looks at the file that is to be replaced, under the name that it has then, and raises if it is not to be:
    then nothing has changed. Raises CannotReplace, OSError.
    """
    temporary = temporary_of(target)
    try:
        fd = os.open(temporary, _NEW, 0o600)
    except PermissionError as error:
        raise CannotReplace(error.strerror or str(error)) from error
    with _removed_on_error(temporary):
        try:
            write_all(fd, data)
            _copy_attributes(target, fd)
            os.fsync(fd)
        finally:
            os.close(fd)
        guard(target)
        _put(temporary, target, data, guard)
    sync_folder(target.parent)


def write_new(path: Path, data: bytes) -> None:
    """Make the file `path`, readable by its owner alone. Raises FileExistsError if there is one, OSError."""
    temporary = temporary_of(path)
    fd = os.open(temporary, _NEW, 0o600)
    with _removed_on_error(temporary):
        try:
            write_all(fd, data)
            os.fsync(fd)
        finally:
            os.close(fd)
        move_new(temporary, path)
    sync_folder(path.parent)


def write_all(fd: int, data: bytes) -> None:
    """All of `data`, however little one call takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def sync_folder(folder: Path) -> None:
    """Make the folder's entries durable: without this a rename may be undone by a power cut."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def sweep(folder: Path) -> int:
    """Remove what killed processes left half-written in `folder`; the number of files removed. Never raises OSError."""
    removed = 0
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            writer = _TEMPORARY.fullmatch(entry.name)
            if writer and _abandoned(entry, int(writer[1])):
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)
                    removed += 1
    return removed


def is_temporary(name: str) -> bool:
    """Whether a file of that name was begun by this module."""
    return _TEMPORARY.fullmatch(name) is not None


def _abandoned(entry: os.DirEntry[str], pid: int) -> bool:
    facts = entry.stat(follow_symlinks=False)
    older = facts.st_mtime < process.started_at()  # in a shared folder the pid may be another machine's
    gone = pid == os.getpid() or process.start_ticks(pid) is None
    return stat.S_ISREG(facts.st_mode) and facts.st_uid == os.geteuid() and older and gone


def temporary_of(target: Path) -> Path:
    """A name beside `target` that nobody else uses; `sweep` removes what a killed process leaves there."""
    name = os.fsdecode(os.fsencode(target.name)[:200])  # a file name holds 255 bytes
    return target.with_name(f".{name}.w{os.getpid()}-{secrets.token_hex(6)}.tmp")


def _put(temporary: Path, target: Path, data: bytes, guard: Callable[[Path], object]) -> None:
    """Give our file the name of the target. What another program wrote since the last look gets its place back."""
    if not exchange(temporary, target):
        os.replace(temporary, target)
        return
    try:
        guard(temporary)
    except BaseException:
        try:
            exchange(temporary, target)
        finally:
            if temporary.read_bytes() != data:  # it wrote once more, or the way back is barred
                _keep(temporary, target)
        raise
    os.unlink(temporary)


def _keep(temporary: Path, target: Path) -> None:
    for number in itertools.count(1):
        try:
            move_new(temporary, target.with_name(aside_name(target, "conflict", number)))
        except FileExistsError:
            continue
        return


@contextlib.contextmanager
def _removed_on_error(temporary: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def move_new(file: Path, path: Path) -> None:
    """Rename that never replaces: a second name, then the first is dropped. Raises FileExistsError, OSError."""
    try:
        os.link(file, path, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError as error:  # a file system without hard links
        if error.errno not in (*_REFUSED, errno.ENOSYS, errno.EMLINK):
            raise
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        os.rename(file, path)
    else:
        os.unlink(file)


def _copy_attributes(source: Path, fd: int) -> None:
    """Owner, mode, extended attributes and access list of `source`. Raises CannotReplace if one cannot be kept."""
    old, new = os.stat(source), os.fstat(fd)
    try:
        if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
            os.fchown(fd, old.st_uid, old.st_gid)
        _copy_xattrs(source, fd, stat.S_IMODE(old.st_mode))
    except OSError as error:
        if error.errno in _REFUSED:
            raise CannotReplace(error.strerror or str(error)) from error
        raise


def _copy_xattrs(source: Path, fd: int, mode: int) -> None:
    names = _xattrs(source)
    if _ACL not in names and _ACL in _xattrs(fd):  # inherited from the folder, which the old file did not
        os.removexattr(fd, _ACL)
    os.fchmod(fd, mode)
    for name in names:
        try:
            os.setxattr(fd, name, os.getxattr(source, name))
        except OSError:
            if name.startswith("user.") or name == _ACL:
                raise
            # labels of the security system are given by the system itself


def _xattrs(file: Path | int) -> list[str]:
    try:
        return os.listxattr(file)
    except OSError as error:
        if error.errno in (errno.ENOTSUP, errno.ENOSYS):
            return []
        raise
