"""A new manuscript for a book that comes: made whole beside its place, then moved there in one step."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import tomlkit

from writer.errors import ExchangeError
from writer.exchange.splitting import Piece
from writer.language import say
from writer.manuscript import atomic
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.names import file_name
from writer.manuscript.project import create
from writer.text.sanitise import one_line

MOST_CHAPTERS = 5000
IMAGES = "images"
_UNTITLED = say("Beginning")


def settle(
    folder: Path,
    title: str,
    language: str,
    pieces: Sequence[Piece],
    images: Mapping[str, bytes],
    about: Mapping[str, str],
) -> None:
    """Make the manuscript. A folder that is there must be empty. Raises ExchangeError, ManuscriptError."""
    if len(pieces) > MOST_CHAPTERS:
        raise ExchangeError(
            say("That would be {pieces:,} chapters. Look at the headings of the file first.", pieces=len(pieces))
        )
    folder = Path(os.path.abspath(folder))
    refuse_full(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{folder.name[:60]}.importing-", dir=folder.parent))
        try:
            _fill(beside, title, language, pieces, images, about)
            os.rename(beside, folder)
        except BaseException:
            shutil.rmtree(beside, ignore_errors=True)
            raise
        atomic.sync_folder(folder.parent)
    except OSError as error:
        raise ExchangeError(_sentence(error, folder), detail=repr(error)) from error


def refuse_full(folder: Path) -> None:
    """Raises ExchangeError if there is something at that place."""
    name = one_line(str(folder), 120)
    try:
        if os.listdir(folder):
            raise ExchangeError(say("{name} is not empty. Name a new folder for the book.", name=name))
    except FileNotFoundError:
        return
    except OSError as error:
        raise ExchangeError(
            say("{name} cannot be used ({why}). Name a new folder for the book.", name=name, why=error.strerror)
        ) from None


def _fill(
    folder: Path,
    title: str,
    language: str,
    pieces: Sequence[Piece],
    images: Mapping[str, bytes],
    about: Mapping[str, str],
) -> None:
    made = create(folder, title=title, language=language)
    settings = tomlkit.parse(made.settings_file.read_text(encoding="utf-8"))
    for chapter in made.chapters:
        (folder / chapter.path).unlink()
    listed, tables = tomlkit.array().multiline(True), tomlkit.table(is_super_table=True)
    for number, piece in enumerate(pieces, 1):
        path = f"chapters/{file_name(number, piece.title or _UNTITLED)}"
        ChapterFile(folder / path, root=folder).create(piece.text)
        listed.append(path)
        if piece.part:
            tables[path] = {"part": piece.part}
    settings["chapters"] = listed
    if about:
        settings["book"] = dict(about)
    if tables:
        settings["chapter"] = tables
    if images:
        (folder / IMAGES).mkdir(mode=0o700)
    for name, data in images.items():
        atomic.write_new(folder / IMAGES / name, data)
    made.settings_file.unlink()
    atomic.write_new(made.settings_file, tomlkit.dumps(settings).encode("utf-8"))


def _sentence(error: OSError, folder: Path) -> str:
    name = one_line(str(folder), 120)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return say("The disk is full: {name} is not made. Free some space, then import again.", name=name)
    if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
        return say("{name} is not empty any more. Name a new folder for the book.", name=name)
    return say("{name} cannot be made ({why}). Name a folder that you may write in.", name=name, why=error.strerror)
