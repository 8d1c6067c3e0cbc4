from __future__ import annotations

import errno
import itertools
import os
from pathlib import Path

import pytest

from writer.errors import ChapterChangedOnDisk, SaveFailed
from writer.manuscript import atomic, chapter_file
from writer.manuscript.chapter_file import ChapterFile


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_a_save_can_be_read_again_and_followed_by_another(chapter: Path) -> None:
    file = ChapterFile(chapter)
    first = file.save("one\n", file.read())
    assert first == file.read()
    second = file.save("two\n", first)
    assert second == ChapterFile(chapter).read()
    assert chapter.read_bytes() == b"two\n"
    assert names(chapter.parent) == ["01.md"]


@pytest.mark.parametrize(
    ("bom", "ends", "link", "mode", "xattr", "twin"),
    list(
        itertools.product(
            (b"", b"\xef\xbb\xbf"), (b"\n", b"\r\n"), (False, True), (0o600, 0o664), (False, True), (False, True)
        )
    ),
)
def test_everything_but_the_words_stays(
    chapter: Path, records: Path, bom: bytes, ends: bytes, link: bool, mode: int, xattr: bool, twin: bool
) -> None:
    chapter.write_bytes(bom + b"old" + ends)
    chapter.chmod(mode)
    if xattr:
        os.setxattr(chapter, "user.mark", b"mine")
    if twin:
        os.link(chapter, chapter.with_name("twin.md"))
    opened = chapter
    if link:
        opened = chapter.parent.parent / "link.md"
        opened.symlink_to("chapters/01.md")
    before = os.stat(chapter)
    file = ChapterFile(opened, backup_dir=records)
    saved = file.save("old\nnew\n", file.read())

    after = os.stat(chapter)
    assert chapter.read_bytes() == bom + b"old" + ends + b"new" + ends
    assert opened.is_symlink() is link
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert os.listxattr(chapter) == (["user.mark"] if xattr else [])
    assert after.st_nlink == (2 if twin else 1)
    assert not twin or chapter.with_name("twin.md").read_bytes() == chapter.read_bytes()
    assert file.read() == saved
    assert names(chapter.parent) == (["01.md", "twin.md"] if twin else ["01.md"])
    assert not records.exists() or names(records) == []


def test_an_access_list_stays(chapter: Path) -> None:
    acl = bytes.fromhex("02000000 01000600ffffffff 02000400e8030000 04000400ffffffff 10000600ffffffff 20000000ffffffff")
    try:
        os.setxattr(chapter, "system.posix_acl_access", acl)
    except OSError as error:
        pytest.skip(f"no access lists here: {error}")
    file = ChapterFile(chapter)
    file.save("new", file.read())
    assert os.getxattr(chapter, "system.posix_acl_access") == acl


def test_unchanged_text_is_not_written(chapter: Path) -> None:
    file = ChapterFile(chapter)
    loaded = file.read()
    before = os.stat(chapter)
    assert file.save(loaded.text, loaded) == loaded
    after = os.stat(chapter)
    assert (after.st_ino, after.st_mtime_ns, after.st_ctime_ns) == (
        before.st_ino,
        before.st_mtime_ns,
        before.st_ctime_ns,
    )


@pytest.mark.parametrize("theirs", [b"theirs\n", b"OLD\n", b"", None])
def test_what_another_program_wrote_is_never_overwritten(chapter: Path, theirs: bytes | None) -> None:
    file = ChapterFile(chapter)
    loaded = file.read()
    times = os.stat(chapter)
    if theirs is None:
        chapter.unlink()
    else:
        chapter.write_bytes(theirs)  # in place, and with the old times: only the content tells
        os.utime(chapter, ns=(times.st_atime_ns, times.st_mtime_ns))
    with pytest.raises(ChapterChangedOnDisk):
        file.save("mine\n", loaded)
    assert (chapter.read_bytes() if chapter.exists() else None) == theirs
    assert names(chapter.parent) == ([] if theirs is None else ["01.md"])


def test_a_change_that_comes_during_the_save_is_seen(chapter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = ChapterFile(chapter)
    loaded = file.read()
    really = atomic._copy_attributes

    def meanwhile(source: Path, fd: int) -> None:
        chapter.write_bytes(b"theirs\n")
        really(source, fd)

    monkeypatch.setattr(atomic, "_copy_attributes", meanwhile)
    with pytest.raises(ChapterChangedOnDisk):
        file.save("mine\n", loaded)
    assert chapter.read_bytes() == b"theirs\n"
    assert names(chapter.parent) == ["01.md"]


def test_a_change_right_after_the_save_is_seen(chapter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = ChapterFile(chapter)
    monkeypatch.setattr(atomic, "sync_folder", lambda folder: chapter.write_bytes(b"theirs\n"))
    with pytest.raises(ChapterChangedOnDisk):
        file.save("mine\n", file.read())
    assert chapter.read_bytes() == b"theirs\n"


def test_the_same_words_from_elsewhere_are_no_conflict(chapter: Path) -> None:
    file = ChapterFile(chapter)
    loaded = file.read()
    chapter.write_bytes(b"same\n")
    assert file.save("same\n", loaded) == file.read()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (errno.ENOSPC, "The disk is full"),
        (errno.EDQUOT, "The disk is full"),
        (errno.EROFS, "read-only"),
        (errno.EIO, "disk reports an error"),
    ],
)
@pytest.mark.parametrize("call", ["write", "fsync", "exchange", "replace", "close"])
def test_a_refusing_disk_leaves_the_old_file_whole(
    chapter: Path, monkeypatch: pytest.MonkeyPatch, code: int, said: str, call: str
) -> None:
    file = ChapterFile(chapter)
    loaded = file.read()
    if call == "replace":
        monkeypatch.setattr(atomic, "exchange", lambda one, other: False)
    place = atomic if call == "exchange" else os
    really = getattr(place, call)

    def refuse(*args: object) -> object:
        if call == "close":
            if os.readlink(f"/proc/self/fd/{args[0]}").endswith(".tmp"):
                really(*args)
                raise OSError(code, os.strerror(code))
            return really(*args)
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as broken:
        broken.setattr(place, call, refuse)
        with pytest.raises(SaveFailed, match=said):
            file.save("new\n", loaded)
    assert chapter.read_bytes() == b"old\n"
    assert names(chapter.parent) == ["01.md"]
    file.save("new\n", loaded)  # the disk is well again
    assert chapter.read_bytes() == b"new\n"


def test_a_save_of_unknown_fate_is_repeated_not_taken_for_a_change(
    chapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = ChapterFile(chapter)
    loaded = file.read()

    def refuse(folder: Path) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr(atomic, "sync_folder", refuse)
        with pytest.raises(SaveFailed):
            file.save("new\n", loaded)
    assert chapter.read_bytes() == b"new\n"  # renamed, but nobody knows whether that lasts
    inode = os.stat(chapter).st_ino
    loaded = file.save("new\n", loaded)
    assert os.stat(chapter).st_ino != inode  # written once more, this time with an answer
    file.save("newer\n", loaded)
    assert chapter.read_bytes() == b"newer\n"


def test_too_large_a_chapter_is_refused(chapter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chapter_file, "MAX_BYTES", 10)
    file = ChapterFile(chapter)
    with pytest.raises(SaveFailed, match="larger"):
        file.save("x" * 11, file.read())
    assert chapter.read_bytes() == b"old\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_an_owner_that_root_can_keep_is_kept(chapter: Path) -> None:
    os.chown(chapter, 12345, 54321)
    file = ChapterFile(chapter)
    file.save("new", file.read())
    assert (os.stat(chapter).st_uid, os.stat(chapter).st_gid) == (12345, 54321)
