from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from as_user import shared_folder, unprivileged

from writer.errors import SaveFailed
from writer.manuscript import atomic, chapter_file, in_place
from writer.manuscript.chapter_file import ChapterFile


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_permissions_of_a_user_without_privileges() -> None:
    with shared_folder() as folder:

        def check() -> None:
            chapter = folder / "01.md"
            chapter.write_bytes(b"old\n")
            file = ChapterFile(chapter, backup_dir=folder / "records")
            (folder / "records").mkdir()
            loaded = file.read()
            chapter.chmod(0o400)
            with pytest.raises(SaveFailed, match="permissions"):
                file.save("new\n", loaded)
            assert chapter.read_bytes() == b"old\n"

            chapter.chmod(0o600)
            folder.chmod(0o500)  # no new file can be made here: written in place
            inode = os.stat(chapter).st_ino
            loaded = file.save("new\n", loaded)
            assert (chapter.read_bytes(), os.stat(chapter).st_ino) == (b"new\n", inode)
            assert names(folder / "records") == []
            assert file.keep_aside("mine").parent == folder / "records"

            chapter.chmod(0o000)
            with pytest.raises(chapter_file.ChapterUnreadable, match="Permission denied"):
                file.read()

        unprivileged(check)


def test_an_owner_that_cannot_be_kept_means_writing_in_place(
    chapter: Path, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(source: Path, fd: int) -> None:
        raise atomic.CannotReplace

    monkeypatch.setattr(atomic, "_copy_attributes", refuse)
    inode = os.stat(chapter).st_ino
    file = ChapterFile(chapter, backup_dir=records)
    file.save("new", file.read())
    assert (chapter.read_bytes(), os.stat(chapter).st_ino) == (b"new", inode)
    assert names(chapter.parent) == ["01.md"]


def test_without_a_record_nothing_is_written_in_place(
    chapter: Path, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.link(chapter, chapter.with_name("twin.md"))
    file = ChapterFile(chapter, backup_dir=records)
    loaded = file.read()

    def full(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(atomic, "write_new", full)
    with pytest.raises(SaveFailed, match="full"):
        file.save("new", loaded)
    assert chapter.read_bytes() == b"old\n"


@pytest.mark.parametrize("size", [3, 700, 5000])
def test_a_failed_write_in_place_is_undone_or_settled(
    chapter: Path, records: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    os.link(chapter, chapter.with_name("twin.md"))
    chapter.write_bytes(b"o" * size)
    file = ChapterFile(chapter, backup_dir=records)
    loaded = file.read()
    failures = iter([True, False])

    def half(target: Path, data: bytes) -> None:
        with target.open("r+b") as opened:
            if next(failures, False):
                opened.write(data[: len(data) // 2])
                raise OSError(errno.EIO, "Input/output error")
            opened.write(data)
            opened.truncate()

    monkeypatch.setattr(in_place, "_fill", half)
    with pytest.raises(SaveFailed):
        file.save("n" * 900, loaded)
    assert chapter.read_bytes() == b"o" * size
    assert names(records) == []

    failures = iter([True, True])  # the way back fails as well
    with pytest.raises(SaveFailed):
        file.save("n" * 900, loaded)
    monkeypatch.undo()
    assert file.read().text in ("n" * 900, "o" * size)
    assert names(records) == []


def test_a_file_changed_since_a_broken_save_is_left_alone(chapter: Path, records: Path) -> None:
    os.link(chapter, chapter.with_name("twin.md"))
    records.mkdir()
    record = in_place._record(chapter.resolve(), records)
    record.write_bytes(b"writer-record-1 4 4\nold\nnew\n")
    chapter.write_bytes(b"rewritten by the author")
    assert ChapterFile(chapter, backup_dir=records).read().text == "rewritten by the author"
    assert names(records) == [record.with_suffix(".kept").name]


def test_tidying_finishes_and_removes_what_a_killed_process_left(chapter: Path, records: Path) -> None:
    records.mkdir()
    record = in_place._record(chapter.resolve(), records)
    record.write_bytes(b"writer-record-1 4 8\nold\nnew text")
    chapter.write_bytes(b"new ")  # cut short
    leftover = chapter.with_name(".01.md.w999999999-0123456789ab.tmp")
    leftover.write_bytes(b"new te")
    os.utime(leftover, (0, 0))
    assert ChapterFile(chapter).read().text == "new "  # one who does not hold the lock changes nothing
    chapter_file.tidy(chapter.parent.parent, ["chapters/01.md", "chapters/missing.md"], records)
    assert chapter.read_bytes() == b"new text"
    assert (names(records), names(chapter.parent)) == ([], ["01.md"])
