from __future__ import annotations

import os
import uuid
from pathlib import Path

import pytest
from as_user import shared_folder, unprivileged
from manuscripts import paths, rewrite

from writer import config
from writer.errors import ConfigError, ManuscriptError, NotAManuscript
from writer.manuscript import atomic
from writer.manuscript.model import Manuscript
from writer.manuscript.project import add_chapter, create, open_manuscript


def test_a_new_manuscript_is_a_folder_of_plain_private_files(tmp_path: Path) -> None:
    made = create(tmp_path / "deep" / "novel", title="海港 \x1b[31m", language="zh")
    assert (made.title, made.language) == ("海港 ␛[31m", "zh")
    assert str(uuid.UUID(made.id)) == made.id
    assert [(c.number, c.path, c.title) for c in made.chapters] == [(1, "chapters/01-chapter-1.md", "Chapter 1")]
    assert sorted(os.listdir(made.folder)) == ["chapters", "notes", "outline.md", "prompts", "sources", "writer.toml"]
    assert made.folder.stat().st_mode & 0o777 == 0o700
    for entry in made.folder.rglob("*"):
        assert entry.stat().st_mode & 0o077 == 0
    assert open_manuscript(made.folder) == made
    assert create(tmp_path / "other").title == "other"
    assert create(tmp_path / "third").id != made.id


def test_the_commented_settings_are_valid_ones(novel: Manuscript) -> None:
    text = novel.settings_file.read_text("utf-8")
    assert config.load(novel.folder / "none", novel.settings_file, {}) == config.Settings()
    examples = "\n".join(
        line.removeprefix("# ")
        for line in text.splitlines()
        if line.startswith("# ") and (" = " in line or "[settings" in line)
    )
    novel.settings_file.write_text(examples.replace("temperature = 0.8", "temperature = 0.3"), "utf-8")
    assert config.load(novel.folder / "none", novel.settings_file, {}).writing.temperature == 0.3


def test_an_empty_folder_will_do_and_any_other_will_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert create(Path(".")).title == "empty"
    before = (tmp_path / "empty" / "writer.toml").read_bytes()
    with pytest.raises(ManuscriptError, match="is not empty"):
        create(Path("."))
    assert (tmp_path / "empty" / "writer.toml").read_bytes() == before
    for name in (".git", "chapters", "outline.md", "novel.txt"):
        folder = tmp_path / f"with {name}"
        (folder / name).mkdir(parents=True)
        (folder / name / "file.md").write_text("author's")
        with pytest.raises(ManuscriptError, match="is not empty"):
            create(folder)
        assert [entry.name for entry in folder.rglob("*")] == [name, "file.md"]
    (tmp_path / "file").touch()
    with pytest.raises(ManuscriptError, match="is a file"):
        create(tmp_path / "file")


def test_a_half_made_folder_is_completed_at_every_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    really, whole = atomic.write_new, sorted(p.name for p in create(tmp_path / "whole").folder.rglob("*"))
    for survived in range(3):
        left = iter(range(survived))

        def die(path: Path, data: bytes, left: object = left) -> None:
            if next(left, None) is None:  # type: ignore[call-overload]
                path.with_name(f".{path.name}.w1-0123456789ab.tmp").write_bytes(data[:3])
                raise KeyboardInterrupt
            really(path, data)

        folder = tmp_path / f"half {survived}"
        with monkeypatch.context() as dying:
            dying.setattr(atomic, "write_new", die)
            with pytest.raises(KeyboardInterrupt):
                create(folder, title="T")
        with pytest.raises(NotAManuscript):
            open_manuscript(folder)
        assert create(folder, title="T").title == "T"
        assert sorted(p.name for p in folder.rglob("*") if not atomic.is_temporary(p.name)) == whole


def test_what_cannot_be_made_is_told(tmp_path: Path) -> None:
    with pytest.raises(ManuscriptError, match="language code"):
        create(tmp_path / "novel", language='en"\n')
    assert not (tmp_path / "novel").exists()
    with pytest.raises(ManuscriptError, match="cannot be made"):
        create(tmp_path / ("n" * 300))
    with shared_folder() as folder:

        def check() -> None:
            folder.chmod(0o500)
            with pytest.raises(ManuscriptError, match="cannot be made"):
                create(folder / "novel")

        unprivileged(check)


def test_a_chapter_is_added_and_the_authors_comments_stay(novel: Manuscript) -> None:
    text = novel.settings_file.read_text("utf-8").replace("title =", "# mine\ntitle =")
    novel.settings_file.write_text(
        text.replace("\n", "\r\n") + "[settings.writing]\r\ntop_k = 5 # five\r\n", newline=""
    )
    novel.settings_file.chmod(0o640)
    second = add_chapter(novel, "第二章：海港")
    third = add_chapter(second, "The Harbour; or, Ça va?")
    assert [(c.path, c.title) for c in third.chapters[1:]] == [
        ("chapters/02-第二章-海港.md", "第二章：海港"),
        ("chapters/03-the-harbour-or-ça-va.md", "The Harbour; or, Ça va?"),
    ]
    assert (novel.folder / third.chapters[1].path).read_text("utf-8") == "# 第二章：海港\n\n"
    after = novel.settings_file.read_bytes().decode("utf-8")
    assert after.count("\r\n") == after.count("\n")
    before = {*text.split("\n"), "[settings.writing]", "top_k = 5 # five"}
    assert [line for line in after.split("\r\n") if line not in before] == [
        '    "chapters/02-第二章-海港.md",',
        '    "chapters/03-the-harbour-or-ça-va.md",',
    ]
    assert novel.settings_file.stat().st_mode & 0o777 == 0o640


def test_chapters_of_one_name_get_files_of_their_own(novel: Manuscript) -> None:
    added = novel
    for _ in range(3):
        added = add_chapter(Manuscript(novel.folder, novel.id, "", "en", ()), "Same")  # numbered from stale knowledge
    assert paths(added)[1:] == [f"chapters/01-same{tail}.md" for tail in ("", "-2", "-3")]
    untitled = add_chapter(added, " ")
    assert untitled.chapters[-1].path == "chapters/05-chapter.md"
    assert (novel.folder / "chapters/05-chapter.md").read_bytes() == b""


def test_adding_keeps_the_order_that_was_shown(novel: Manuscript) -> None:
    (novel.folder / "chapters" / "zz.md").write_text("")
    with novel.settings_file.open("a") as file:
        file.write("[settings.writing]\ntop_k = 5\n")
    rewrite(novel, chapters=None)
    shown = open_manuscript(novel.folder)
    added = add_chapter(shown, "A")
    assert paths(added) == [*paths(shown), "chapters/03-a.md"]
    assert config.load(novel.folder / "none", novel.settings_file, {}).writing.top_k == 5


def test_adding_to_a_broken_list_keeps_the_new_file(novel: Manuscript) -> None:
    novel.settings_file.write_text("title = ")
    with pytest.raises(ConfigError, match="the new chapter is kept"):
        add_chapter(novel, "A")
    assert (novel.folder / "chapters" / "02-a.md").exists()
