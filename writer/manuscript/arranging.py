"""Does an arrangement so that nothing is lost or in doubt, whenever it is cut short.

First all that is to change is kept among the versions, and the whole plan is written down in the state folder. Then
one step after the other, each only if its file still holds what the plan was made from. At the next start `finish`
does the rest. If another program has written in between, it stops there: after every step all words are in a file.

For the holder of the manuscript's lock.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from writer.errors import ChapterChangedOnDisk, ChapterUnreadable, ManuscriptError, SaveFailed, WriterError
from writer.language import say, together
from writer.manuscript import atomic
from writer.manuscript.arrangement import Arrangement, Carried, Kind, Step, dumped, parsed
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.encoding import digest
from writer.manuscript.material import is_inside
from writer.manuscript.model import ChapterText
from writer.manuscript.names import RECORD as RECORD
from writer.manuscript.versions import Versions
from writer.text.sanitise import one_line

SETTINGS = "writer.toml"
Carry = Callable[[tuple[Carried, ...]], None]
"""Lets the saved state follow: renamed chapters, moved places. Is called again after a kill, and must not mind."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where an arrangement is done: the manuscript's folder, its state folder, its versions."""

    folder: Path
    state_dir: Path
    versions: Versions
    carry: Carry = lambda carried: None

    @property
    def record(self) -> Path:
        """The plan that is under way."""
        return self.state_dir / RECORD


def arrange(shelf: Shelf, plan: Arrangement) -> tuple[str, ...]:
    """Do all of it, after what an earlier one left. What the author is to be told, if anything.

    Raises ChapterChangedOnDisk, ManuscriptError (nothing is changed), SaveFailed, StorageError.
    After a SaveFailed that comes in the middle, or a StorageError, the next `finish` does the rest.
    """
    said = finish(shelf)
    named = {step.to for step in plan.steps if step.to}  # is there under its old name
    present = [step for step in plan.steps if step.path not in named]
    for step in present:
        _check(shelf, step)
    try:
        for step in present:
            if step.before:
                shelf.versions.keep(step.path, _file(shelf, step.path).read_bytes())
        atomic.write_new(shelf.record, dumped(plan))
    except OSError as error:
        raise _refused(error, say("Nothing is changed.")) from error
    try:
        for step in plan.steps:
            _take(shelf, step)
    except (OSError, WriterError) as error:
        raise _cut_short(shelf, plan, error) from error
    _complete(shelf, plan)
    return (*said, *plan.told)


def finish(shelf: Shelf) -> tuple[str, ...]:
    """Do the rest of what was cut short, if something was. What the author is to be told, if anything.

    Raises SaveFailed or StorageError if the disk refuses; the next call tries again.
    """
    plan, said = _rest(shelf)
    if plan is not None:
        _complete(shelf, plan)
        return (*said, *plan.told)
    return said


def finish_files(shelf: Shelf) -> None:
    """Only what concerns the files, for one who does not hold the state. `finish` follows. Raises as it does."""
    _rest(shelf)


def _rest(shelf: Shelf) -> tuple[Arrangement | None, tuple[str, ...]]:
    """Take all steps that are left; the plan, or None if there is none any more."""
    try:
        plan = parsed(shelf.record.read_bytes())
    except FileNotFoundError:
        return None, ()
    except (OSError, ValueError) as error:
        why = say("What is left of a change of chapters cannot be read ({error}).", error=one_line(str(error), 80))
        return None, _given_up(shelf, why)
    for number, step in enumerate(plan.steps):
        try:
            _take(shelf, step)
        except OSError as error:
            raise _refused(error, say("Free its disk or mend its permissions, then open it again.")) from error
        except (ChapterChangedOnDisk, ChapterUnreadable) as error:
            _log.warning("a change of chapters stopped at step %d of %d", number + 1, len(plan.steps))
            if _untouched(shelf, plan):
                _undo(shelf, plan)
            why = say(
                "A change of chapters was cut short and could not be finished. {sentence}", sentence=error.sentence
            )
            return None, _given_up(shelf, why)
    return plan, ()


def _cut_short(shelf: Shelf, plan: Arrangement, error: OSError | WriterError) -> WriterError:
    """What to raise when a step fails, after what can be taken back has been."""
    if _untouched(shelf, plan):
        _undo(shelf, plan)
        return _refused(error, say("Nothing is changed.")) if isinstance(error, OSError) else error
    if isinstance(error, ChapterChangedOnDisk):
        return SaveFailed(_given_up(shelf, say("Only a part is done. {sentence}", sentence=error.sentence))[0])
    return _refused(error, say("The rest is done when the manuscript is opened again; no word is lost."))


def _complete(shelf: Shelf, plan: Arrangement) -> None:
    for old, new in plan.renames:
        shelf.versions.carry(old, new)
    shelf.carry(plan.carried)
    _forget(shelf.record)


def _given_up(shelf: Shelf, why: str) -> tuple[str, ...]:
    with contextlib.suppress(OSError):
        os.replace(shelf.record, shelf.record.with_suffix(".kept"))
    return (say("{why} No word is lost: look for chapters that stand there twice.", why=why),)


def _check(shelf: Shelf, step: Step) -> None:
    """Raises ChapterChangedOnDisk if a file is not as the plan expects it."""
    new = step.to or (step.path if step.kind is Kind.MAKE else "")
    if new and os.path.lexists(shelf.folder / new):
        raise ChapterChangedOnDisk(say("There is already a file {new}. Choose another name.", new=one_line(new, 120)))
    if step.before and _digest(shelf, step.path) != step.before:
        raise _changed(step.path)


def _take(shelf: Shelf, step: Step) -> None:
    """Do one step, unless it is done. Raises ChapterChangedOnDisk, ChapterUnreadable, SaveFailed, OSError."""
    _STEPS[step.kind](shelf, step)


def _make(shelf: Shelf, step: Step) -> None:
    if _digest(shelf, step.path) == step.after:
        return
    path = shelf.folder / step.path
    _refuse_outside(shelf, path.parent)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        atomic.write_new(path, step.data)
    except FileExistsError:
        raise _changed(step.path) from None


def _name(shelf: Shelf, step: Step) -> None:
    old, new = shelf.folder / step.path, shelf.folder / step.to
    there, other = _digest(shelf, step.path), _digest(shelf, step.to)
    if not there and other:  # done; what it holds now may be of a later step, or of the author
        return
    if there != step.before or (other and not os.path.samefile(old, new)):
        raise _changed(step.path)
    _refuse_outside(shelf, new.parent)
    if other:  # killed between its second name and the loss of the first
        os.unlink(old)
    else:
        atomic.move_new(old, new)
    atomic.sync_folder(new.parent)
    if old.parent != new.parent:
        atomic.sync_folder(old.parent)


def _write(shelf: Shelf, step: Step) -> None:
    found = _digest(shelf, step.path)
    if found == step.after:
        return
    if found != step.before:
        raise _changed(step.path)
    _file(shelf, step.path).save(step.text, ChapterText("", step.before, crlf=step.crlf, bom=step.bom))


def _drop(shelf: Shelf, step: Step) -> None:
    """Under another name first, and looked at there: another program may write at the last moment."""
    path = shelf.folder / step.path
    if not os.path.lexists(path):
        return
    if _digest(shelf, step.path) != step.before:
        raise _changed(step.path)
    away = atomic.temporary_of(path)
    atomic.move_new(path, away)
    if digest(away.read_bytes()) != step.before:
        atomic.move_new(away, path)
        raise _changed(step.path)
    os.unlink(away)
    atomic.sync_folder(path.parent)


_STEPS: dict[Kind, Callable[[Shelf, Step], None]] = {
    Kind.MAKE: _make,
    Kind.NAME: _name,
    Kind.WRITE: _write,
    Kind.DROP: _drop,
}


def _untouched(shelf: Shelf, plan: Arrangement) -> bool:
    """Whether files were only made so far, of whose words each is where it was, and nothing lists them."""
    try:
        listing = _file(shelf, SETTINGS).read().text
        return all(_is_before(shelf, step, listing) for step in plan.steps)
    except WriterError:
        return False


def _is_before(shelf: Shelf, step: Step, listing: str) -> bool:
    if step.kind is Kind.MAKE:
        return step.path not in listing
    if step.path == SETTINGS:  # if another program has changed it, what it lists is all that matters
        return _digest(shelf, step.path) != step.after
    if step.to and _digest(shelf, step.to):
        return False
    return _digest(shelf, step.path) in (step.before, "" if step.kind is Kind.WRITE else step.before)


def _undo(shelf: Shelf, plan: Arrangement) -> None:
    """Takes back what was only made. What cannot be removed stays, a chapter twice."""
    for step in plan.steps:
        with contextlib.suppress(OSError, WriterError):
            if step.kind is Kind.MAKE and _digest(shelf, step.path) == step.after:
                os.unlink(shelf.folder / step.path)
    with contextlib.suppress(OSError):
        _forget(shelf.record)


def _forget(record: Path) -> None:
    record.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # done again it changes nothing
        atomic.sync_folder(record.parent)


def _digest(shelf: Shelf, path: str) -> str:
    """SHA-256 of the file; "" if there is none. Raises ChapterUnreadable, also for what leads outside."""
    if not os.path.lexists(shelf.folder / path):
        return ""
    return digest(_file(shelf, path).read_bytes())


def _file(shelf: Shelf, path: str) -> ChapterFile:
    return ChapterFile(shelf.folder / path, backup_dir=shelf.state_dir / "saving", root=shelf.folder)


def _refuse_outside(shelf: Shelf, folder: Path) -> None:
    if not is_inside(shelf.folder, folder):
        raise ChapterUnreadable(
            say("The folder {folder} leads outside the manuscript. Put its files there.", folder=one_line(folder.name))
        )


def _changed(path: str) -> ChapterChangedOnDisk:
    return ChapterChangedOnDisk(
        say("{path} was changed by another program. Look at it, then try again.", path=one_line(path, 120))
    )


def _refused(error: OSError | WriterError, what: str) -> ManuscriptError:
    if isinstance(error, WriterError):
        return SaveFailed(together(error.sentence, what), detail=error.detail)
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    why = (
        say("The disk is full.")
        if full
        else say("The manuscript's folder cannot be changed ({why}).", why=error.strerror)
    )
    return SaveFailed(together(why, what), detail=repr(error))
