"""Where state, models, sockets and the manuscript lie: writable, private, on a disk with room that keeps its word."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from writer import locations
from writer.doctor.finding import Finding, gigabytes
from writer.errors import StorageError
from writer.manuscript.file_system import warning

LITTLE, TOO_LITTLE = 1_000_000_000, 50_000_000  # bytes of free space
_FAR = ("nfs", "cifs", "smb", "9p", "fuse", "drvfs", "ceph", "glusterfs", "afs", "lustre")
_MOUNTS = Path("/proc/self/mountinfo")


def findings() -> list[Finding]:
    """Asks about each place in turn; makes it (0700) if it is not there yet."""
    found = []
    for subject, place in (
        ("State folder", lambda: locations.state_dir("")),
        ("Models folder", locations.data_dir),
        ("Cache folder", locations.cache_dir),
        ("Sockets folder", locations.runtime_dir),
    ):
        found += _place(subject, place, held_for_long=subject in ("State folder", "Models folder"))
    return [*found, settings(locations.config_file())]


def _place(subject: str, place: Callable[[], Path], *, held_for_long: bool) -> list[Finding]:
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
    if subject == "State folder":
        found.append(kind(file_system(folder, _mounts())))
    return found


def unwritable(subject: str, error: OSError) -> Finding:
    """A place that cannot be used at all."""
    sentence = f"{error.filename or 'It'} cannot be written ({error.strerror or error})."
    return Finding(subject, "bad", sentence, "Correct its permissions, or free some space on its disk.")


def privacy(subject: str, folder: Path, mode: int) -> Finding:
    """Whether others can look in."""
    if stat.S_IMODE(mode) & 0o077:
        step = f"Close it with: chmod 700 {folder}"
        return Finding(subject, "warn", f"Other users of this machine can look into {folder}.", step)
    return Finding(subject, "ok", f"{folder} is writable, and yours alone.")


def room(subject: str, free: int) -> Finding:
    """Whether the disk has space for what comes."""
    sentence = f"{gigabytes(free)} are free on its disk."
    if free >= LITTLE:
        return Finding(subject, "ok", sentence)
    return Finding(subject, "bad" if free < TOO_LITTLE else "warn", sentence, "Free some space.")


def kind(name: str) -> Finding:
    """Whether the state's file system keeps its word about locks and fsync. `name`: as the mount table has it."""
    if any(name == far or name.startswith((far + ".", far + "4", far + "3", far + "fs")) for far in _FAR):
        sentence = f"The state lies on a network or foreign file system ({name}), where a power cut may cost more."
        return Finding("State disk", "warn", sentence, "Point XDG_STATE_HOME at a folder on a disk of this machine.")
    return Finding("State disk", "ok", f"The state lies on a disk of this machine ({name or 'unknown kind'}).")


def disk() -> Finding:
    """How much room there is for models, in one sentence."""
    try:
        free = shutil.disk_usage(locations.data_dir()).free
    except (StorageError, OSError) as error:
        return Finding("Disk", "bad", f"The disk does not tell its free space ({error}).", "Run: writer doctor")
    found = room("Disk", free)
    return replace(found, sentence=f"{gigabytes(free)} are free for models and for what is written.")


def settings(file: Path) -> Finding:
    """Whether the user's settings can be written: choosing a model does that."""
    there = file.exists()
    nearest = file if there else next(place for place in file.parents if place.exists())
    if os.access(nearest, os.W_OK):
        sentence = f"They are in {file}." if there else f"There are none of your own yet; they would be in {file}."
        return Finding("Settings", "ok", sentence)
    sentence = f"{file} cannot be written, so a model cannot be chosen with writer models or in the app."
    return Finding("Settings", "warn", sentence, f"Correct the permissions of {nearest}.")


def own(folder: Path) -> list[Finding]:
    """Of a manuscript's folder: whether it can be written, on what disk it lies, and how much is free there."""
    found = [manuscript(folder)]
    shut = [place for place in (folder, folder / "chapters", *sorted(folder.glob("chapters/*.md"))) if _is_shut(place)]
    if shut:
        sentence = f"{shut[0]} cannot be read and written by you" + (
            f", nor can {len(shut) - 1} more." if len(shut) > 1 else "."
        )
        found.append(Finding("Manuscript", "bad", sentence, f"Open it for yourself: chmod -R u+rwX {folder}"))
    else:
        found.append(Finding("Manuscript", "ok", "Its folder and chapters can be read and written."))
    try:
        found.append(room("Manuscript's disk", shutil.disk_usage(folder).free))
    except OSError as error:
        found.append(unwritable("Manuscript's disk", error))
    return found


def _is_shut(place: Path) -> bool:
    try:
        wanted = os.R_OK | os.W_OK | (os.X_OK if place.is_dir() else 0)
        return place.exists() and not os.access(place, wanted)
    except OSError:
        return True  # something above it is shut


def manuscript(folder: Path) -> Finding:
    """Whether others than writer on this machine may change the manuscript without its knowing at once."""
    if sentence := warning(folder):
        return Finding("Manuscript's folder", "warn", sentence, "A folder on a disk of this machine is safest.")
    return Finding("Manuscript's folder", "ok", f"{folder} lies on a disk of this machine.")


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
