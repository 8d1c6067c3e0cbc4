"""A chapter that is not UTF-8 gets a copy that is, in its place of the manuscript. The original stays as it lies."""

from __future__ import annotations

import os
from pathlib import PurePosixPath

from writer.errors import ChapterChangedOnDisk, ChapterUnreadable, ManuscriptError, SaveFailed
from writer.language import say
from writer.manuscript.chapter_file import MAX_BYTES, ChapterFile
from writer.manuscript.contents import copy_name
from writer.manuscript.encoding import digest, encode
from writer.manuscript.legacy import LegacyText
from writer.manuscript.model import Chapter, ChapterText, Manuscript
from writer.manuscript.project import list_instead, open_manuscript


def convert_copy(manuscript: Manuscript, chapter: Chapter, shown: LegacyText) -> tuple[Manuscript, Chapter]:
    """Write what is `shown` of the chapter to "name (UTF-8).md" beside it, and list that file in its place.

    The manuscript as it is now, and the copy in it. A copy that an earlier call left unlisted is taken. Raises
    ChapterChangedOnDisk (nothing written), ManuscriptError, SaveFailed, ConfigError, ChapterUnreadable.
    """
    original = ChapterFile(manuscript.folder / chapter.path, root=manuscript.folder)
    if not shown.whole:
        raise ManuscriptError(
            say(
                "Not all of {original} can be read, so no copy is made. Save it as UTF-8 in the program it "
                "comes from, then open it again.",
                original=original.name,
            )
        )
    if digest(original.read_bytes()) != shown.sha256:
        raise ChapterChangedOnDisk(
            say("{original} was changed by another program. Open it again, then make the copy.", original=original.name)
        )
    before = open_manuscript(manuscript.folder)
    path = _write(before, chapter.path, shown.text)
    list_instead(before, chapter.path, path)
    after = open_manuscript(manuscript.folder)
    return after, after.chapter(path)


def _write(manuscript: Manuscript, path: str, text: str) -> str:
    """The path of the copy."""
    data = encode(text, ChapterText("", ""))
    if len(data) > MAX_BYTES:
        raise SaveFailed(say("The copy would be larger than 64 MB. Split the chapter in the program it comes from."))
    for number in range(1, 1000):
        copy = str(PurePosixPath(path).with_name(copy_name(PurePosixPath(path).name, number)))
        file = ChapterFile(manuscript.folder / copy, root=manuscript.folder)
        if not os.path.lexists(file.path):
            file.create(text)
            return copy
        if _holds(file, data):
            return copy
    raise SaveFailed(say("There are too many copies of that chapter. Move some of them to another folder."))


def _holds(file: ChapterFile, data: bytes) -> bool:
    try:
        return file.read_bytes() == data
    except ChapterUnreadable:
        return False
