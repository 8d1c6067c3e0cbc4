"""What lies in a manuscript's folder beside its chapters: found and read within bounds, as it may be a stranger's.

No link leads out of the folder, hidden files are left alone, pipes block nothing. Whatever cannot be read becomes one
sentence, and the rest is read all the same.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import TypeVar

from writer.errors import ManuscriptError
from writer.language import say
from writer.manuscript.encoding import decode
from writer.text.sanitise import one_line, visible

T = TypeVar("T")

MOST_FILES, DEEPEST = 2000, 6
MOST_CHARACTERS = 50_000_000  # of all files of one folder together
_MOST_LOOKED_AT = 50_000  # files, of whatever kind
_MOST_SENTENCES = 20
_LONGEST_NAME = 200


def each(
    root: Path, folder: str, suffixes: Collection[str], read: Callable[[str], T], size: Callable[[T], int]
) -> tuple[tuple[T, ...], tuple[str, ...]]:
    """What `read` makes of each file below `root/folder`, by its path from `root`, and sentences of what is not read.

    `suffixes` are in lower case, with the dot. In the order of names, "2-…" before "10-…". `size` in characters.
    """
    found, sentences = paths(root, folder, suffixes)
    values, total = [], 0
    for path in found:
        try:
            values.append(read(path))
        except ManuscriptError as error:
            sentences.append(error.sentence)
            continue
        total += size(values[-1])
        if total > MOST_CHARACTERS:
            values.pop()
            sentences.append(
                say(
                    "The folder {folder} holds too much text; what comes after {path} is not read.",
                    folder=folder,
                    path=path,
                )
            )
            break
    if len(sentences) > _MOST_SENTENCES:
        more = len(sentences) - _MOST_SENTENCES
        sentences[_MOST_SENTENCES:] = [
            say("{more:,} more files of the folder {folder} cannot be read.", more=more, folder=folder)
        ]
    return tuple(values), tuple(sentences)


def paths(root: Path, folder: str, suffixes: Collection[str]) -> tuple[list[str], list[str]]:
    """Paths of files, from `root`, and sentences about what is left out."""
    if not os.path.lexists(root / folder):
        return [], []
    if not is_inside(root, root / folder):
        return [], [
            say(
                "The folder {folder} leads to a place outside the manuscript. Put the files themselves there.",
                folder=folder,
            )
        ]
    found: list[str] = []
    sentences: list[str] = []
    for path in islice(_walk(root, folder, sentences), _MOST_LOOKED_AT):
        if os.path.splitext(path)[1].lower() in suffixes:
            found.append(path)
        if len(found) > MOST_FILES:
            sentences.append(
                say(
                    "The folder {folder} holds more than {most_files:,} files; the rest are not read.",
                    folder=folder,
                    most_files=MOST_FILES,
                )
            )
            break
    return sorted(found[:MOST_FILES], key=natural), sentences


def read_bytes(root: Path, path: str, most: int) -> bytes:
    """The regular file's bytes, `most` at most. Raises ManuscriptError."""
    shown = one_line(path, 120)
    if not is_inside(root, root / path):
        raise ManuscriptError(
            say("{shown} leads to a place outside the manuscript. Put the file itself there.", shown=shown)
        )
    try:
        fd = os.open(root / path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(fd, "rb") as file:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise ManuscriptError(say("{shown} is not a file. Take it out of the folder.", shown=shown))
            data = file.read(most + 1)
    except OSError as error:
        sentence = say("{shown} cannot be read ({why}). Check the file's permissions.", shown=shown, why=error.strerror)
        raise ManuscriptError(sentence, detail=repr(error)) from error
    if len(data) > most:
        raise ManuscriptError(
            say(
                "{shown} is larger than {most:,} KB, so it is not read. Split the file.", shown=shown, most=most // 1024
            )
        )
    return data


def read_text(root: Path, path: str, most: int) -> str:
    """The file's text with "\\n" as line breaks, `most` bytes at most. Raises ManuscriptError."""
    text = decode(read_bytes(root, path, most), one_line(path, 120)).text
    return text.replace("\r\n", "\n").replace("\r", "\n")


def natural(name: str) -> list[tuple[int, str]]:
    """Sorts "2-…" before "10-…"."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"([0-9]{1,9})", name.lower())]


def _walk(root: Path, folder: str, sentences: list[str]) -> Iterator[str]:
    """Paths of all files, from `root`. Links to folders are not followed, so that no circle is walked."""
    for place, folders, names in os.walk(root / folder, onerror=lambda error: sentences.append(_closed(error))):
        inner = os.path.relpath(place, root)
        folders[:] = sorted(f for f in folders if not f.startswith(".")) if inner.count("/") < DEEPEST else []
        for name in sorted(names):
            if name.startswith("."):
                continue
            if visible(name) != name or "\n" in name or "\t" in name or len(name) > _LONGEST_NAME:
                sentences.append(
                    say("{name} has a name that cannot be shown. Rename the file.", name=one_line(name, 80))
                )
            else:
                yield f"{inner}/{name}"


def _closed(error: OSError) -> str:
    return say(
        "The folder {filename} cannot be read ({why}). Check its permissions.",
        filename=one_line(str(error.filename), 120),
        why=error.strerror,
    )


def is_inside(root: Path, path: Path) -> bool:
    """Whether the path, links followed, lies below the folder."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))
