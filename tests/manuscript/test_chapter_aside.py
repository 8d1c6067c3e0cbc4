from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from writer import process
from writer.errors import SaveFailed
from writer.manuscript import atomic
from writer.manuscript.chapter_file import ChapterFile


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_create_makes_a_private_file_once(tmp_path: Path) -> None:
    file = ChapterFile(tmp_path / "chapters" / "01.md")
    assert file.create("one") == file.read()
    assert os.stat(file.path).st_mode & 0o777 == 0o600
    with pytest.raises(SaveFailed, match="already"):
        file.create("two")
    assert file.read().text == "one"
    assert names(file.path.parent) == ["01.md"]


def test_create_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    file = ChapterFile(tmp_path / "01.md")
    file.create("one")
    with pytest.raises(SaveFailed, match="already"):
        file.create("two")
    assert file.read().text == "one"
    assert names(tmp_path) == ["01.md"]


def test_text_kept_aside_is_one_file_until_someone_touches_it(chapter: Path) -> None:
    file = ChapterFile(chapter)
    kept = file.keep_aside("mine", "conflict")
    assert kept.parent == chapter.parent
    assert kept.name.startswith("01 (conflict 2")
    assert kept.suffix == ".md"
    assert file.keep_aside("mine, longer", "conflict") == kept
    assert kept.read_text() == "mine, longer"
    kept.write_text("edited by the author")
    other = file.keep_aside("mine again", "conflict")
    assert other != kept
    assert (kept.read_text(), other.read_text()) == ("edited by the author", "mine again")
    assert ChapterFile(chapter).keep_aside("another window", "conflict") not in (kept, other)
    assert ChapterFile(chapter).keep_aside("mine again", "conflict") == other  # the same text is kept once
    assert chapter.read_bytes() == b"old\n"


def test_another_text_kept_aside_never_takes_the_place_of_the_first(chapter: Path) -> None:
    file = ChapterFile(chapter)
    first = file.keep_aside("what was generated", "recovered")
    second = file.keep_aside("what was generated later", "other program")
    third = file.keep_aside("something else", "other program")
    assert third not in (first, second)
    assert first.read_text().startswith("what was generated")
    assert third.read_text() == "something else"


def test_a_label_cannot_leave_the_folder(chapter: Path) -> None:
    assert ChapterFile(chapter).keep_aside("x", "../../evil\x1b").parent == chapter.parent


def test_long_names_can_be_saved_and_kept_aside(tmp_path: Path) -> None:
    path = tmp_path / ("海" * 80 + ".md")
    path.write_bytes(b"old")
    file = ChapterFile(path)
    file.save("new", file.read())
    assert path.read_bytes() == b"new"
    assert file.keep_aside("mine").read_text() == "mine"


def test_sweeping_takes_only_what_dead_writers_left(tmp_path: Path) -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    old = process.started_at() - 100
    files = {
        f".01.md.w{pid}-0123456789ab.tmp": old,  # dead: goes
        f".02.md.w{os.getpid()}-0123456789ab.tmp": old,  # an earlier process that had our pid: goes
        f".03.md.w{os.getpid()}-0123456789ab.tmp": None,  # ours, now
        f".04.md.w{os.getppid()}-0123456789ab.tmp": old,  # alive
        f".05.md.w{pid}-0123456789ab.tmp": None,  # young: may be another machine's
        ".06.md.tmp": old,
        "07.md": old,
    }
    for name, at in files.items():
        (tmp_path / name).write_bytes(b"")
        if at is not None:
            os.utime(tmp_path / name, (at, at))
    (tmp_path / f".08.md.w{pid}-0123456789ab.tmp").symlink_to("07.md")
    assert atomic.sweep(tmp_path) == 2
    assert names(tmp_path) == sorted([*list(files)[2:], f".08.md.w{pid}-0123456789ab.tmp"])
    assert atomic.sweep(tmp_path / "missing") == 0


def test_text_that_can_be_kept_nowhere_is_a_failed_save(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    file = ChapterFile(tmp_path / "gone" / "01.md", backup_dir=tmp_path / "file")
    with pytest.raises(SaveFailed, match="cannot be written"):
        file.keep_aside("mine")
