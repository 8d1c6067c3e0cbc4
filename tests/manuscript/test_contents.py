from __future__ import annotations

import os
from pathlib import Path

import pytest
from as_user import NOBODY, shared_folder, unprivileged
from manuscripts import paths, rewrite

from writer.errors import ConfigError, ForeignOwner, ManuscriptError, NotAManuscript, WriterError
from writer.manuscript.model import Manuscript
from writer.manuscript.project import create, missing_chapters, open_manuscript


@pytest.mark.parametrize("name", ["missing", "file", "plain folder"])
def test_what_is_no_manuscript_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "plain folder").mkdir()
    with pytest.raises(NotAManuscript, match=name):
        open_manuscript(tmp_path / name)


def test_broken_toml_is_told_with_its_line(novel: Manuscript) -> None:
    with novel.settings_file.open("a") as file:
        file.write("\nautosave = = 3\n")
    lines = len(novel.settings_file.read_text().splitlines())
    with pytest.raises(ConfigError, match=f"line {lines}"):
        open_manuscript(novel.folder)


@pytest.mark.parametrize("bad", [None, "", "../../evil", "{%s}", "urn:uuid:%s", "1234", 7, "%s/x"])
def test_the_id_must_be_a_uuid_since_it_names_a_folder(novel: Manuscript, bad: object) -> None:
    rewrite(novel, id=bad.replace("%s", novel.id) if isinstance(bad, str) else bad)
    with pytest.raises(ManuscriptError, match='"id" is missing or not a UUID'):
        open_manuscript(novel.folder)


def test_an_id_in_capitals_is_the_same_id(novel: Manuscript) -> None:
    rewrite(novel, id=novel.id.upper())
    assert open_manuscript(novel.folder).id == novel.id


@pytest.mark.parametrize(
    ("key", "value"), [("title", 1), ("language", ["en"]), ("chapters", "one.md"), ("chapters", [1])]
)
def test_values_of_a_wrong_kind_are_told(novel: Manuscript, key: str, value: object) -> None:
    rewrite(novel, **{key: value})
    with pytest.raises(ManuscriptError, match=f'"{key}" must be'):
        open_manuscript(novel.folder)


def test_listed_chapters_come_first_then_the_others_by_name(novel: Manuscript) -> None:
    for name in ("10-ten.md", "2-two.md", "b.md", ".hidden.md", "note.txt", "last.MD"):
        (novel.folder / "chapters" / name).write_text("text")
    (novel.folder / "chapters" / "folder.md").mkdir()
    os.mkfifo(novel.folder / "chapters" / "pipe.md")
    rewrite(novel, chapters=["./chapters//b.md", "chapters/gone.md", "chapters/01-chapter-1.md"])
    opened = open_manuscript(novel.folder)
    assert [path.removeprefix("chapters/") for path in paths(opened)] == [
        "b.md",
        "01-chapter-1.md",
        "2-two.md",
        "10-ten.md",
        "last.MD",
    ]
    assert [chapter.number for chapter in opened.chapters] == [1, 2, 3, 4, 5]
    assert missing_chapters(opened) == ("chapters/gone.md",)
    assert opened.chapter("chapters/b.md").title == "B"


def test_without_a_list_or_chapters_a_manuscript_still_opens(novel: Manuscript) -> None:
    rewrite(novel, chapters=None, title=None, language=None)
    opened = open_manuscript(novel.folder)
    assert (opened.title, opened.language, paths(opened)) == ("novel", "en", ["chapters/01-chapter-1.md"])
    (novel.folder / "chapters" / "01-chapter-1.md").unlink()
    (novel.folder / "chapters").rmdir()
    assert open_manuscript(novel.folder).chapters == ()
    assert missing_chapters(opened) == ()


@pytest.mark.parametrize(
    "entry",
    [
        "../outside.md",
        "chapters/../../outside.md",
        "/etc/x.md",
        "chapters/link.md",
        "away/x.md",
        "chapters/notes.txt",
        "",
    ],
)
def test_a_chapter_cannot_lie_outside(novel: Manuscript, entry: str) -> None:
    outside = novel.folder.parent / "outside.md"
    outside.write_text("secret")
    if entry == "chapters/link.md":
        (novel.folder / entry).symlink_to(outside)
    (novel.folder / "away").symlink_to("..")
    rewrite(novel, chapters=[entry])
    with pytest.raises(ManuscriptError, match=r"outside the manuscript|not a \.md file"):
        open_manuscript(novel.folder)


def test_an_unlisted_link_to_the_outside_is_told(novel: Manuscript) -> None:
    outside = novel.folder.parent / "outside.md"
    outside.write_text("secret")
    (novel.folder / "chapters" / "link.md").symlink_to(outside)
    with pytest.raises(ManuscriptError, match="outside the manuscript"):
        open_manuscript(novel.folder)


def test_a_chapter_listed_twice_is_told(novel: Manuscript) -> None:
    one = "chapters/01-chapter-1.md"
    (novel.folder / "chapters" / "same.md").symlink_to("01-chapter-1.md")
    for other in (one, f"./{one}", "chapters/same.md"):
        rewrite(novel, chapters=[one, other])
        with pytest.raises(ManuscriptError, match="twice"):
            open_manuscript(novel.folder)
    rewrite(novel, chapters=[one])
    assert paths(open_manuscript(novel.folder)) == [one]


@pytest.mark.parametrize("name", ["a\x1b[2J.md", "a\nb.md", "a\u202eb.md", "a\x9b.md", "\udcff.md"])
def test_unprintable_names_are_told_in_printable_words(novel: Manuscript, name: str) -> None:
    (novel.folder / "chapters" / name).write_text("x")
    with pytest.raises(ManuscriptError, match="unprintable") as refusal:
        open_manuscript(novel.folder)
    refusal.value.sentence.encode("utf-8")
    assert not set("\x1b\n\u202e\x9b") & set(refusal.value.sentence)


def test_a_folder_of_another_user_is_refused(novel: Manuscript, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() == 0:
        os.chown(novel.settings_file, NOBODY, NOBODY)
        with pytest.raises(ForeignOwner, match=r"writer\.toml belongs to another user"):
            open_manuscript(novel.folder)
        os.chown(novel.settings_file, 0, 0)
        os.chown(novel.folder, 12345, 12345)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(ForeignOwner, match=r"belongs to another user .* Copy it"):
        open_manuscript(novel.folder)


def test_folders_and_files_that_may_not_be_read_are_told() -> None:
    with shared_folder() as folder:

        def check() -> None:
            novel = create(folder / "novel")
            for path, mode in ((novel.folder, 0o300), (novel.folder / "chapters", 0o000), (novel.settings_file, 0o000)):
                before = path.stat().st_mode
                path.chmod(mode)
                with pytest.raises(WriterError, match="cannot be read"):
                    open_manuscript(novel.folder)
                path.chmod(before)
            (novel.folder / paths(novel)[0]).chmod(0o000)
            assert open_manuscript(novel.folder) == novel  # one unreadable chapter does not close the others

        unprivileged(check)
