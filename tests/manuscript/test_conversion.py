"""The UTF-8 copy of a chapter that is not: in its place, with the original untouched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from manuscripts import paths, rewrite

from writer.errors import ChapterChangedOnDisk, ManuscriptError, SaveFailed
from writer.manuscript import conversion
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.conversion import convert_copy
from writer.manuscript.legacy import LegacyText, read
from writer.manuscript.model import Manuscript
from writer.manuscript.project import add_chapter, open_manuscript

TEXT = "# 海港\r\n\r\n雨下了一夜。\r\n清晨，船终于进港了。"
BYTES = TEXT.encode("gb18030")
FIRST, COPY = "chapters/01-chapter-1.md", "chapters/01-chapter-1 (UTF-8).md"


@pytest.fixture
def old(novel: Manuscript) -> Manuscript:
    """Three chapters; the first is not UTF-8."""
    three = add_chapter(add_chapter(novel, "Two"), "Three")
    (three.folder / FIRST).write_bytes(BYTES)
    return open_manuscript(three.folder)


def shown(manuscript: Manuscript, path: str = FIRST) -> LegacyText:
    found = read(ChapterFile(manuscript.folder / path))
    assert isinstance(found, LegacyText)
    return found


def test_the_copy_takes_the_place_and_the_original_stays(old: Manuscript) -> None:
    before = os.stat(old.folder / FIRST)
    after, copy = convert_copy(old, old.chapters[0], shown(old))
    assert paths(after) == [COPY, *paths(old)[1:]]
    assert (copy.number, copy.path, copy.title) == (1, COPY, "海港")
    assert after == open_manuscript(old.folder)
    assert (old.folder / COPY).read_bytes() == TEXT.encode("utf-8")
    assert (old.folder / FIRST).read_bytes() == BYTES
    stays = os.stat(old.folder / FIRST)
    assert (stays.st_ino, stays.st_mtime_ns, stays.st_mode) == (before.st_ino, before.st_mtime_ns, before.st_mode)
    assert os.stat(old.folder / COPY).st_mode & 0o777 == 0o600
    assert ChapterFile(old.folder / COPY).read().crlf


def test_comments_and_spelling_of_writer_toml_stay(old: Manuscript) -> None:
    text = old.settings_file.read_text("utf-8").replace(
        f'    "{FIRST}",\n', f'    "./{FIRST}",  # the old one\n    # then\n'
    )
    assert "# the old one" in text
    old.settings_file.write_text(text, "utf-8")
    convert_copy(old, old.chapters[0], shown(old))
    assert old.settings_file.read_text("utf-8") == text.replace(f'"./{FIRST}"', f'"{COPY}"')


def test_an_unlisted_chapter_keeps_its_place_too(old: Manuscript) -> None:
    rewrite(old, chapters=None)
    names = ["chapters/02-two.md", "chapters/03-three.md"]
    assert paths(open_manuscript(old.folder)) == [FIRST, *names]
    (old.folder / names[0]).write_bytes(BYTES)
    after, copy = convert_copy(old, old.chapter(names[0]), shown(old, names[0]))
    assert paths(after) == [FIRST, "chapters/02-two (UTF-8).md", names[1]]
    assert copy.number == 2


def test_the_original_is_a_chapter_again_without_the_copy_or_once_it_is_utf8(old: Manuscript) -> None:
    convert_copy(old, old.chapters[0], shown(old))
    (old.folder / FIRST).write_text("now UTF-8 ä", "utf-8")
    assert FIRST in paths(open_manuscript(old.folder))
    (old.folder / FIRST).write_bytes(BYTES)
    assert FIRST not in paths(open_manuscript(old.folder))
    (old.folder / COPY).unlink()
    assert FIRST in paths(open_manuscript(old.folder))


def test_nothing_is_overwritten(old: Manuscript) -> None:
    (old.folder / COPY).write_text("the author's own", "utf-8")
    after, copy = convert_copy(old, old.chapters[0], shown(old))
    assert copy.path == "chapters/01-chapter-1 (UTF-8 2).md"
    assert paths(after)[0] == copy.path
    assert (old.folder / COPY).read_text("utf-8") == "the author's own"


def test_a_copy_that_was_cut_short_is_finished(old: Manuscript, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr(conversion, "list_instead", killed)
        with pytest.raises(KeyboardInterrupt):
            convert_copy(old, old.chapters[0], shown(old))
    assert paths(open_manuscript(old.folder)) == [*paths(old), COPY], "nothing is hidden"
    after, _ = convert_copy(old, old.chapters[0], shown(old))
    assert paths(after) == [COPY, *paths(old)[1:]]
    assert len(os.listdir(old.folder / "chapters")) == 4


def test_a_file_that_has_changed_is_not_copied(old: Manuscript) -> None:
    seen = shown(old)
    (old.folder / FIRST).write_bytes("别的文字。".encode("gb18030"))
    with pytest.raises(ChapterChangedOnDisk, match="changed by another program"):
        convert_copy(old, old.chapters[0], seen)
    assert not (old.folder / COPY).exists()


def test_what_is_not_whole_is_not_copied(old: Manuscript) -> None:
    (old.folder / FIRST).write_bytes(BYTES[:-1])
    with pytest.raises(ManuscriptError, match="Save it as UTF-8"):
        convert_copy(old, old.chapters[0], shown(old))
    assert not (old.folder / COPY).exists()


def test_a_copy_that_could_not_be_opened_is_not_made(old: Manuscript, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = shown(old)
    monkeypatch.setattr(conversion, "MAX_BYTES", len(BYTES))
    with pytest.raises(SaveFailed, match="larger than 64 MB"):
        convert_copy(old, old.chapters[0], seen)
    assert not (old.folder / COPY).exists()


def test_a_folder_that_refuses_is_told_in_one_sentence(old: Manuscript, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, data: bytes) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    seen = shown(old)
    monkeypatch.setattr("writer.manuscript.atomic.write_new", refuse)
    with pytest.raises(SaveFailed, match="permissions"):
        convert_copy(old, old.chapters[0], seen)
    assert paths(open_manuscript(old.folder)) == paths(old)


def test_a_long_name_still_has_room_for_the_mark(old: Manuscript) -> None:
    name = f"chapters/{'海' * 80}.md"
    (old.folder / name).write_bytes(BYTES)
    longer = open_manuscript(old.folder)
    after, copy = convert_copy(longer, longer.chapter(name), shown(longer, name))
    assert copy.path.endswith(" (UTF-8).md")
    assert name not in paths(after)


def test_a_heading_that_is_not_utf8_gives_no_title(old: Manuscript) -> None:
    assert old.chapters[0].title == "Chapter 1"
