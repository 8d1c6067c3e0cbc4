"""A manuscript's folder: made, opened, given one more chapter. writer.toml tells the order; the files hold the text.

Whatever an author or another program did to the folder, the answer is a manuscript or one plain sentence. Opening one
stands before the first paint: what only writes is imported where it writes.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

from writer.errors import ConfigError, ManuscriptError
from writer.language import say
from writer.manuscript.contents import chapter_paths, read_contents, refuse_foreign, shown
from writer.manuscript.model import Chapter, Manuscript
from writer.manuscript.names import file_name, title_of
from writer.text.sanitise import one_line

_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")


def create(
    folder: Path, *, title: str = "", language: str = "en", instructions: str = "", preset: str = ""
) -> Manuscript:
    """Make a manuscript with one empty chapter. A folder that an earlier call left half-made is completed.

    `instructions` become the note that tells the model what it is, `preset` a setting of this manuscript.

    Raises ManuscriptError if the folder is not empty or cannot be made.
    """
    from writer.manuscript import atomic, template

    if not _LANGUAGE.fullmatch(language):
        raise ManuscriptError(
            say('"{language}" is not a language code. Use one like en, de or zh.', language=one_line(language, 40))
        )
    folder = Path(os.path.abspath(folder))
    chosen = template.Chosen(one_line(title, 200) or one_line(folder.name, 200), language, instructions, preset)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        refuse_foreign(folder)
        if not template.unfinished(folder, chosen):
            raise ManuscriptError(
                say("{folder} is not empty. Choose a new folder for the manuscript.", folder=shown(folder))
            )
        atomic.sweep(folder)
        template.fill(folder, chosen)
    except FileExistsError:
        raise ManuscriptError(
            say("{folder} is a file. Choose a new folder for the manuscript.", folder=shown(folder))
        ) from None
    except OSError as error:
        sentence = say(
            "{folder} cannot be made ({why}). Choose a folder that you may write in.",
            folder=shown(folder),
            why=error.strerror,
        )
        raise ManuscriptError(sentence, detail=repr(error)) from error
    return open_manuscript(folder)


def open_manuscript(folder: Path) -> Manuscript:
    """Read a manuscript's folder. Raises NotAManuscript, ForeignOwner, ConfigError, ManuscriptError."""
    folder = Path(os.path.abspath(folder))
    contents = read_contents(folder)
    paths = chapter_paths(folder, contents.listed)
    chapters = tuple(Chapter(n, path, title_of(folder / path)) for n, path in enumerate(paths, start=1))
    return Manuscript(folder, contents.id, contents.title, contents.language, chapters)


def missing_chapters(manuscript: Manuscript) -> tuple[str, ...]:
    """Paths that writer.toml lists but for which there is no file. Raises as `open_manuscript`."""
    listed = read_contents(manuscript.folder).listed
    there = chapter_paths(manuscript.folder, listed)
    return tuple(path for path in listed if path not in there)


def add_chapter(manuscript: Manuscript, title: str) -> Manuscript:
    """One more chapter at the end, its title as heading; the manuscript with it. Raises ManuscriptError, SaveFailed."""
    from writer.manuscript.chapter_file import ChapterFile

    title = one_line(title, 200)
    present = [chapter.path for chapter in manuscript.chapters]
    path = _free_path(manuscript.folder, len(present) + 1, title)
    ChapterFile(manuscript.folder / path, root=manuscript.folder).create(f"# {title}\n\n" if title else "")
    _list_chapters(manuscript, [*present, path])
    return open_manuscript(manuscript.folder)


def _free_path(folder: Path, number: int, title: str) -> str:
    for attempt in range(1, 10_000):
        path = f"chapters/{file_name(number, title, attempt)}"
        if not os.path.lexists(folder / path):
            return path
    raise ManuscriptError(say("There are too many chapters of that name. Choose another title."))


def list_instead(manuscript: Manuscript, old: str, new: str) -> None:
    """Let writer.toml list the chapter `new` in the place of `old`. Raises ConfigError, SaveFailed, ManuscriptError."""
    present = [chapter.path for chapter in manuscript.chapters if chapter.path != new]
    _list_chapters(manuscript, [new if path == old else path for path in present], (old, new))


def _list_chapters(manuscript: Manuscript, paths: list[str], instead: tuple[str, str] | None = None) -> None:
    """Write those of `paths` that writer.toml does not list at the end of its list; comments and order stay.

    `instead` is a path that is listed, perhaps, and the one that takes its place.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    from writer.manuscript.chapter_file import ChapterFile

    file = ChapterFile(manuscript.settings_file, root=manuscript.folder)
    loaded = file.read()
    try:
        document = tomlkit.parse(loaded.text)
    except TOMLKitError as error:
        sentence = say(
            "writer.toml is not valid TOML: {error}. Correct that line; the new chapter is kept.", error=error
        )
        raise ConfigError(sentence) from None
    listed = document.setdefault("chapters", tomlkit.array().multiline(True))
    known = [str(PurePosixPath(entry)) for entry in listed]
    if instead and instead[0] in known and instead[1] not in known:
        place = known.index(instead[0])
        listed[place] = known[place] = instead[1]
    for path in paths:
        if path not in known:
            listed.append(path)
    file.save(tomlkit.dumps(document), loaded)
