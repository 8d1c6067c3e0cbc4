"""What stands in a manuscript's folder, checked: whose it is, what writer.toml says, which files are its chapters.

Every path that comes out lies inside the folder; everything wrong is one plain sentence.
"""

from __future__ import annotations

import os
import pwd
import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from writer import config
from writer.errors import ChapterUnreadable, ForeignOwner, ManuscriptError, NotAManuscript
from writer.language import say
from writer.text.sanitise import one_line, visible

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Contents:
    """What writer.toml says, checked."""

    id: str
    title: str
    language: str
    listed: tuple[str, ...]


def read_contents(folder: Path) -> Contents:
    """Check the folder and its writer.toml. Raises NotAManuscript, ForeignOwner, ConfigError, ManuscriptError."""
    return _readable(folder, lambda: _read(folder))


def _read(folder: Path) -> Contents:
    if not folder.exists():
        raise NotAManuscript(
            say("There is no folder {folder}. Make a manuscript with: writer new {folder}", folder=shown(folder))
        )
    if not folder.is_dir():
        raise NotAManuscript(say("{folder} is a file. Name the manuscript's folder instead.", folder=shown(folder)))
    refuse_foreign(folder)
    os.listdir(folder)  # a folder that cannot be listed is told apart from one without writer.toml
    source = folder / "writer.toml"
    if not source.is_file():
        raise NotAManuscript(
            say(
                "{folder} is not a manuscript: it has no writer.toml. Make one with: writer new FOLDER",
                folder=shown(folder),
            )
        )
    refuse_foreign(source)
    _leads_inside(folder, source)
    return _checked(folder, source, config.read_toml(source))


def _checked(folder: Path, source: Path, tables: dict[str, Any]) -> Contents:
    title, language = tables.get("title", folder.name), tables.get("language", "en")
    for key, value in (("title", title), ("language", language)):
        if not isinstance(value, str):
            raise ManuscriptError(
                say(
                    '{source}: "{key}" must be text in quotes. Correct it, then start again.',
                    source=shown(source),
                    key=key,
                )
            )
    listed = tables.get("chapters", [])
    if not isinstance(listed, list) or not all(isinstance(entry, str) for entry in listed):
        raise ManuscriptError(
            say('{source}: "chapters" must be a list of file names in quotes. Correct it.', source=shown(source))
        )
    return Contents(
        _identity(source, tables.get("id")), one_line(title), one_line(language, 40), _order(folder, listed)
    )


def _identity(source: Path, value: object) -> str:
    """The id in its one canonical form: it becomes the name of a folder."""
    try:
        found = str(uuid.UUID(str(value)))
    except ValueError:
        found = ""
    if not found or found != str(value).lower():
        raise ManuscriptError(
            say(
                '{source}: "id" is missing or not a UUID. Restore that line from a copy; if there is none, '
                'add the line: id = "{uuid}"',
                source=shown(source),
                uuid=uuid.uuid4(),
            )
        )
    return found


def _order(folder: Path, listed: list[str]) -> tuple[str, ...]:
    order: dict[Path, str] = {}
    for entry in listed:
        path, file = _inside(folder, entry)
        if file in order:
            raise ManuscriptError(
                say("writer.toml lists the chapter {path} twice. Remove one of the two lines.", path=shown(path))
            )
        order[file] = path
    return tuple(order.values())


def _inside(folder: Path, entry: str) -> tuple[str, Path]:
    """A chapter's path in its simplest form, and the file behind it. Raises ManuscriptError if it leads outside."""
    pure = PurePosixPath(entry)
    if visible(entry) != entry or "\n" in entry or "\t" in entry:
        raise ManuscriptError(
            say("The chapter {entry} has unprintable characters in its name. Rename the file.", entry=shown(entry))
        )
    file, root = Path(os.path.realpath(folder / pure)), Path(os.path.realpath(folder))
    if pure.is_absolute() or ".." in pure.parts or not file.is_relative_to(root):
        raise ManuscriptError(
            say(
                "The chapter {entry} lies outside the manuscript. Copy the file into the folder chapters.",
                entry=shown(entry),
            )
        )
    if any(part.startswith(".") for part in file.relative_to(root).parts):
        raise ManuscriptError(
            say("The chapter {entry} is hidden. Rename its file or folder, without the dot.", entry=shown(entry))
        )
    if pure.suffix.lower() != ".md":
        raise ManuscriptError(
            say("The chapter {entry} is not a .md file. Correct its name in writer.toml.", entry=shown(entry))
        )
    return str(pure), file


def chapter_paths(folder: Path, listed: tuple[str, ...]) -> list[str]:
    """All chapter files in reading order: those that are `listed` and there, then the others of chapters/, by name.

    Raises ManuscriptError.
    """
    return _readable(folder, lambda: [p for p in listed if (folder / p).is_file()] + _unlisted(folder, listed))


def _leads_inside(folder: Path, path: Path) -> None:
    """Raises ManuscriptError if what we would write through this name lies elsewhere."""
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise ManuscriptError(
            say("{path} leads to a place outside the manuscript. Put the original there instead.", path=shown(path))
        )


def _unlisted(folder: Path, listed: tuple[str, ...]) -> list[str]:
    _leads_inside(folder, folder / "chapters")
    seen = {os.path.realpath(folder / path) for path in listed}
    found = []
    for entry in sorted(_chapter_files(folder / "chapters"), key=_natural):
        path, file = _inside(folder, f"chapters/{entry}")
        if str(file) not in seen:
            seen.add(str(file))
            found.append(path)
    return found


def _chapter_files(chapters: Path) -> Iterator[str]:
    if chapters.is_dir():
        names = set(os.listdir(chapters))
        for name in names:
            ours = name.startswith(".") or _ASIDE.search(name) or _is_original(chapters / name, names)
            if not ours and name.lower().endswith(".md") and (chapters / name).is_file():
                yield name


# Copies that were kept beside a chapter (ChapterFile.keep_aside) are not chapters, unless the author lists them.
_ASIDE = re.compile(r" \([\w -]+ \d{4}-\d{2}-\d{2}( \d+)?\)\.md$")


def copy_name(name: str, number: int = 1) -> str:
    """What the UTF-8 copy of a chapter's file is called: "01-the-sea (UTF-8).md"."""
    stem, suffix = os.path.splitext(name)
    stem = os.fsencode(stem)[:200].decode("utf-8", "ignore")  # a file name holds 255 bytes
    return f"{stem} (UTF-8{f' {number}' if number > 1 else ''}){suffix}"


def _is_original(file: Path, names: set[str]) -> bool:
    """Whether this is no UTF-8 and a copy that is stands beside it: then that one is the chapter."""
    if copy_name(file.name) not in names:
        return False
    from writer.manuscript.chapter_file import ChapterFile
    from writer.manuscript.encoding import is_utf8

    try:
        data = ChapterFile(file).read_bytes()
    except ChapterUnreadable:
        return False
    return not is_utf8(data)


def _natural(name: str) -> list[tuple[int, str]]:
    """Sorts "2-…" before "10-…"."""
    return [(int(part), "") if part.isdecimal() else (0, part) for part in re.split(r"([0-9]{1,9})", name.lower())]


def refuse_foreign(path: Path) -> None:
    """Raises ForeignOwner if `path` is not ours: its settings could name programs to run. Raises OSError."""
    owner = os.stat(path).st_uid
    if owner != os.geteuid():
        try:
            name = pwd.getpwuid(owner).pw_name
        except KeyError:
            name = say("number {owner}", owner=owner)
        raise ForeignOwner(
            say(
                "{path} belongs to another user ({name}). Copy it to a folder of your own, then open the copy.",
                path=shown(path),
                name=name,
            )
        )


def _readable(folder: Path, read: Callable[[], T]) -> T:
    try:
        return read()
    except OSError as error:
        sentence = say(
            "{folder} cannot be read ({why}). Check the folder's permissions.", folder=shown(folder), why=error.strerror
        )
        raise ManuscriptError(sentence, detail=repr(error)) from error


def shown(path: Path | str) -> str:
    """A path as one safe line for a sentence."""
    return one_line(str(path), 200)
