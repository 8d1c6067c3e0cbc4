"""Where the state, the models and the sockets lie: writable, private, on a disk with room that keeps its word."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

from writer import locations
from writer.doctor.finding import Finding, gigabytes
from writer.errors import StorageError
from writer.language import say
from writer.manuscript.file_system import warning

LITTLE, TOO_LITTLE = 1_000_000_000, 50_000_000  # bytes of free space
_FAR = ("nfs", "cifs", "smb", "9p", "fuse", "drvfs", "ceph", "glusterfs", "afs", "lustre")
_MOUNTS = Path("/proc/self/mountinfo")


def findings() -> list[Finding]:
    """Asks about each place in turn; makes it (0700) if it is not there yet."""
    found: list[Finding] = []
    found += _place(say("State folder"), lambda: locations.state_dir(""), of_state=True)
    found += _place(say("Models folder"), locations.data_dir)
    found += _place(say("Sockets folder"), locations.runtime_dir, held_for_long=False)
    return found


def _place(
    subject: str, place: Callable[[], Path], *, held_for_long: bool = True, of_state: bool = False
) -> list[Finding]:
    try:
        folder = place()
    except StorageError as error:
        cause = error.__cause__
        return [unwritable(subject, cause if isinstance(cause, OSError) else OSError(error.sentence))]
    try:
        with tempfile.TemporaryFile(dir=folder) as trial:
            trial.write(b"writer")
        found = [privacy(subject, folder, folder.stat().st_mode)]
        if held_for_long:
            found.append(room(subject, shutil.disk_usage(folder).free))
    except OSError as error:
        return [unwritable(subject, error)]
    if of_state:
        found.append(kind(file_system(folder, _mounts())))
    return found


def unwritable(subject: str, error: OSError) -> Finding:
    """A place that cannot be used at all."""
    sentence = say(
        "{filename} cannot be written ({why}).", filename=error.filename or say("It"), why=error.strerror or error
    )
    return Finding(subject, "bad", sentence, say("Correct its permissions, or free some space."))


def privacy(subject: str, folder: Path, mode: int) -> Finding:
    """Whether others can look in."""
    if stat.S_IMODE(mode) & 0o077:
        step = say("Close it with: chmod 700 {folder}", folder=folder)
        return Finding(subject, "warn", say("Other users of this machine can look into {folder}.", folder=folder), step)
    return Finding(subject, "ok", say("{folder} is writable, and yours alone.", folder=folder))


def room(subject: str, free: int) -> Finding:
    """Whether the disk has space for what comes."""
    sentence = say("{free} are free on its disk.", free=gigabytes(free))
    if free >= LITTLE:
        return Finding(subject, "ok", sentence)
    return Finding(subject, "bad" if free < TOO_LITTLE else "warn", sentence, say("Free some space."))


def kind(name: str) -> Finding:
    """Whether the state's file system keeps its word about locks and fsync. `name`: as the mount table has it."""
    if any(name == far or name.startswith((far + ".", far + "4", far + "3", far + "fs")) for far in _FAR):
        sentence = say(
            "The state lies on a network or foreign file system ({name}), where a power cut may cost more.", name=name
        )
        return Finding(
            say("State disk"), "warn", sentence, say("Point XDG_STATE_HOME at a folder on a disk of this machine.")
        )
    return Finding(
        say("State disk"),
        "ok",
        say("The state lies on a disk of this machine ({name}).", name=name or say("unknown kind")),
    )


def manuscript(folder: Path) -> Finding:
    """Whether others than writer on this machine may change the manuscript without its knowing at once."""
    if sentence := warning(folder):
        return Finding(
            say("Manuscript's folder"), "warn", sentence, say("A folder on a disk of this machine is safest.")
        )
    return Finding(say("Manuscript's folder"), "ok", say("{folder} lies on a disk of this machine.", folder=folder))


def file_system(folder: Path, mounts: str) -> str:
    """The kind of the file system that holds the folder, by the longest mount point above it; "" if unknown."""
    best, found = "", ""
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields, described = before.split(), after.split()
        if len(fields) < 5 or not described:
            continue
        point = fields[4].encode("latin-1", "replace").decode("unicode_escape")  # a space is written \040
        if folder.is_relative_to(point) and len(point) >= len(best):
            best, found = point, described[0]
    return found


def _mounts() -> str:
    try:
        return os.fsdecode(_MOUNTS.read_bytes())
    except OSError:
        return ""
