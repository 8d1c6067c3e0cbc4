from __future__ import annotations

import errno
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from writer.errors import ManuscriptError, SaveFailed
from writer.manuscript import atomic, versions
from writer.manuscript.versions import Versions


@pytest.fixture
def kept(tmp_path: Path) -> Versions:
    return Versions(tmp_path / "versions")


def test_versions_come_back_newest_first(kept: Versions) -> None:
    states = [b"", b"one", "第二".encode(), b"\xff\r\n"]
    for data in states:
        kept.keep("chapters/01.md", data)
    listing = kept.listing("chapters/01.md")
    assert [kept.read(version) for version in listing] == states[::-1]
    assert [version.size for version in listing] == [len(data) for data in states[::-1]]
    assert all(abs(version.kept_at - time.time()) < 60 for version in listing)
    assert kept.listing("chapters/02.md") == []


def test_the_same_state_is_kept_once_in_a_row(kept: Versions) -> None:
    for data in (b"a", b"a", b"b", b"a"):
        kept.keep("c", data)
    assert [kept.read(version) for version in kept.listing("c")] == [b"a", b"b", b"a"]


def test_a_clock_that_is_set_back_does_not_change_the_order(kept: Versions, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([2_000_000_000_000_000_000, 1_000_000_000_000_000_000, 1])
    monkeypatch.setattr(versions.time, "time_ns", lambda: next(clock))
    for data in (b"1", b"2", b"3"):
        kept.keep("c", data)
    assert [kept.read(version) for version in kept.listing("c")] == [b"3", b"2", b"1"]


@settings(max_examples=40)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.binary(max_size=40)), max_size=40))
def test_limits_hold_and_the_newest_states_stay(steps: list[tuple[str, bytes]]) -> None:
    with TemporaryDirectory() as folder:
        kept = Versions(Path(folder), per_chapter=3, total_bytes=150)
        for chapter, data in steps:
            kept.keep(chapter, data)
            assert kept.read(kept.listing(chapter)[0]) == data
            assert all(len(kept.listing(name)) <= 3 for name in "abc")
            sizes = [version.file.stat().st_size for name in "abc" for version in kept.listing(name)]
            assert sum(sizes) <= 150
        total = len({name for name, _ in steps if kept.listing(name)})
        assert total == len({name for name, _ in steps})  # three small newest states fit, so each chapter has one


def test_fifty_per_chapter(kept: Versions) -> None:
    for number in range(versions.PER_CHAPTER + 5):
        kept.keep("c", b"%d" % number)
    listing = kept.listing("c")
    assert len(listing) == 50
    assert kept.read(listing[-1]) == b"5"


def test_files_are_private_and_names_cannot_lead_outside(tmp_path: Path, kept: Versions) -> None:
    kept.keep("../../../evil\0\n", b"x")
    (version,) = kept.listing("../../../evil\0\n")
    assert version.file.is_relative_to(tmp_path / "versions")
    assert version.file.stat().st_mode & 0o777 == 0o600
    assert version.file.parent.stat().st_mode & 0o777 == 0o700


def test_damage_is_told_not_returned(kept: Versions) -> None:
    kept.keep("c", b"text " * 100)
    (version,) = kept.listing("c")
    whole = version.file.read_bytes()
    for at in range(0, len(whole), 3):
        version.file.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        with pytest.raises(ManuscriptError, match="damaged or gone"):
            kept.read(version)
    version.file.write_bytes(whole[:-5])
    with pytest.raises(ManuscriptError, match="damaged or gone"):
        kept.read(version)
    version.file.unlink()
    with pytest.raises(ManuscriptError, match="damaged or gone"):
        kept.read(version)


def test_a_full_disk_is_told_and_harms_no_kept_version(kept: Versions, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.keep("c", b"one")

    def full(fd: int, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(atomic, "write_all", full)
        with pytest.raises(SaveFailed, match="No space left"):
            kept.keep("c", b"two")
    (version,) = kept.listing("c")
    assert kept.read(version) == b"one"
    assert [version.file] == list(version.file.parent.iterdir())


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SaveFailed, match="cannot be written"):
        Versions(tmp_path / "file").keep("c", b"one")
