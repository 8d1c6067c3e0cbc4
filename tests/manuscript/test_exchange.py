"""The moment between the last look at a file and its rename: another program writes in it, and nothing is lost."""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from writer.errors import ChapterChangedOnDisk
from writer.manuscript import atomic
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.exchange import _renameat2, exchange


@pytest.fixture(autouse=True)
def supported(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    if not exchange(tmp_path / "a", tmp_path / "b"):
        pytest.skip("files cannot change places here")
    assert ((tmp_path / "a").read_text(), (tmp_path / "b").read_text()) == ("b", "a")


def meanwhile(monkeypatch: pytest.MonkeyPatch, *texts: str | None, chapter: Path) -> None:
    """Before each exchange the other program writes its next text; None takes the file away."""
    left: Iterator[str | None] = iter(texts)

    def late(one: Path, other: Path) -> bool:
        for text in left:
            if text is None:
                chapter.unlink()
            else:
                chapter.write_text(text)
            break
        return exchange(one, other)

    monkeypatch.setattr(atomic, "exchange", late)


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_what_slipped_in_gets_its_place_back(chapter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = ChapterFile(chapter)
    loaded = file.read()
    meanwhile(monkeypatch, "theirs", chapter=chapter)
    with pytest.raises(ChapterChangedOnDisk):
        file.save("mine", loaded)
    assert chapter.read_text() == "theirs"
    assert names(chapter.parent) == ["01.md"]


def test_what_slips_in_twice_is_kept_beside(chapter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = ChapterFile(chapter)
    loaded = file.read()
    meanwhile(monkeypatch, "theirs", "theirs again", chapter=chapter)
    with pytest.raises(ChapterChangedOnDisk):
        file.save("mine", loaded)
    kept = [name for name in names(chapter.parent) if "(conflict " in name]
    assert chapter.read_text() == "theirs"
    assert [(chapter.parent / name).read_text() for name in kept] == ["theirs again"]
    assert len(names(chapter.parent)) == 2


def test_what_cannot_go_back_is_kept_beside(chapter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = ChapterFile(chapter)
    loaded = file.read()
    calls = []

    def once(one: Path, other: Path) -> bool:
        calls.append(one)
        if len(calls) > 1:
            raise OSError(errno.EIO, "Input/output error")
        chapter.write_text("theirs")
        return exchange(one, other)

    monkeypatch.setattr(atomic, "exchange", once)
    with pytest.raises(Exception, match=r"disk reports|changed by another"):
        file.save("mine", loaded)
    texts = {(chapter.parent / name).read_text() for name in names(chapter.parent)}
    assert texts == {"mine", "theirs"}
    assert not any(atomic.is_temporary(name) for name in names(chapter.parent))


def test_a_chapter_that_goes_at_the_last_moment_is_told(chapter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = ChapterFile(chapter)
    loaded = file.read()
    meanwhile(monkeypatch, None, chapter=chapter)
    with pytest.raises(ChapterChangedOnDisk, match="deleted or renamed"):
        file.save("mine", loaded)
    assert names(chapter.parent) == []


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.EINVAL])
def test_where_it_is_unknown_a_rename_serves(chapter: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    def unknown(*words: object) -> int:
        ctypes.set_errno(code)
        return -1

    monkeypatch.setattr("writer.manuscript.exchange._renameat2", lambda: unknown)
    file = ChapterFile(chapter)
    file.save("mine", file.read())
    assert chapter.read_text() == "mine"
    assert names(chapter.parent) == ["01.md"]
    monkeypatch.setattr("writer.manuscript.exchange._renameat2", lambda: None)
    file.save("mine too", file.read())
    assert chapter.read_text() == "mine too"


def test_the_call_is_there() -> None:
    assert _renameat2() is not None
