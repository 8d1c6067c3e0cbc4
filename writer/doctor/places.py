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
from writer.language import many, say
from writer.manuscript.file_system import warning

LITTLE, TOO_LITTLE = 1_000_000_000, 50_000_000  # bytes of free space
_FAR = ("nfs", "cifs", "smb", "9p", "fuse", "drvfs", "ceph", "glusterfs", "afs", "lustre")
_MOUNTS = Path("/proc/self/mountinfo")


def findings() -> list[Finding]:
    """Asks about each place in turn; makes it (0700) if it is not there yet."""
    found: list[Finding] = []
    found += _place(say("State folder"), lambda: locations.state_dir(""), of_state=True)
    found += _place(say("Models folder"), locations.data_dir)
    found += _place(say("Cache folder"), locations.cache_dir, held_for_long=False)
    found += _place(say("Sockets folder"), locations.runtime_dir, held_for_long=False)
    return [*found, settings(locations.config_file())]


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
    return Finding(subject, "bad", sentence, say("Correct its permissions, or free some space on its disk."))


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


def disk() -> Finding:
    """How much room there is for models, in one sentence."""
    try:
        free = shutil.disk_usage(locations.data_dir()).free
    except (StorageError, OSError) as error:
        why = getattr(error, "strerror", None) or error
        sentence = say("The disk does not tell its free space ({error}).", error=why)
        return Finding(say("Disk"), "bad", sentence, say("Run: writer doctor"))
    found = room(say("Disk"), free)
    sentence = say("{free} are free for models and for what is written.", free=gigabytes(free))
    return replace(found, sentence=sentence)


def settings(file: Path) -> Finding:
    """Whether the user's settings can be written: choosing a model does that."""
    there = file.exists()
    nearest = file if there else next(place for place in file.parents if place.exists())
    if os.access(nearest, os.W_OK):
        if there:
            return Finding(say("Settings"), "ok", say("They are in {file}.", file=file))
        sentence = say("There are none of your own yet; they would be in {file}.", file=file)
        return Finding(say("Settings"), "ok", sentence)
    sentence = say("{file} cannot be written, so a model cannot be chosen with writer models or in the app.", file=file)
    return Finding(say("Settings"), "warn", sentence, say("Correct the permissions of {nearest}.", nearest=nearest))


def own(folder: Path) -> list[Finding]:
    """Of a manuscript's folder: whether it can be written, on what disk it lies, and how much is free there."""
    found = [manuscript(folder)]
    shut = [place for place in (folder, folder / "chapters", *sorted(folder.glob("chapters/*.md"))) if _is_shut(place)]
    if shut:
        step = say("Open it for yourself: chmod -R u+rwX {folder}", folder=folder)
        found.append(Finding(say("Manuscript"), "bad", _shut(shut), step))
    else:
        found.append(Finding(say("Manuscript"), "ok", say("Its folder and chapters can be read and written.")))
    try:
        found.append(room(say("Manuscript's disk"), shutil.disk_usage(folder).free))
    except OSError as error:
        found.append(unwritable(say("Manuscript's disk"), error))
    return found


def _shut(places: list[Path]) -> str:
    if len(places) == 1:
        return say("{place} cannot be read and written by you.", place=places[0])
    return many(
        "{place} cannot be read and written by you, nor can {count} more.",
        "{place} cannot be read and written by you, nor can {count} more.",
        len(places) - 1,
        place=places[0],
    )


def _is_shut(place: Path) -> bool:
    try:
        wanted = os.R_OK | os.W_OK | (os.X_OK if place.is_dir() else 0)
        return place.exists() and not os.access(place, wanted)
    except OSError:
        return True  # something above it is shut


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
