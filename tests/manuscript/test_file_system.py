"""Shared, foreign and synchronised folders are told apart from disks of this machine. The kernel's answer is faked."""

from __future__ import annotations

from pathlib import Path

import pytest

from writer.manuscript import file_system

FAR = [(0x6969, "NFS"), (0xFF534D42, "CIFS"), (0xFE534D42, "SMB"), (0x517B, "SMB"), (0x01021997, "9p")]
NEAR = [0xEF53, 0x9123683E, 0x58465342, 0x01021994, 0x794C7630, 0]  # ext4, btrfs, xfs, tmpfs, overlay, not told


@pytest.mark.parametrize(("number", "kind"), FAR)
def test_far_disks_are_warned_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, kind: str) -> None:
    monkeypatch.setattr(file_system, "magic", lambda folder: number)
    assert file_system.far(tmp_path) == kind
    assert f"({kind})" in file_system.warning(tmp_path)


@pytest.mark.parametrize("number", NEAR)
def test_near_disks_are_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(file_system, "magic", lambda folder: number)
    assert file_system.far(tmp_path) == file_system.warning(tmp_path) == ""


def test_a_program_that_drives_a_disk_of_this_machine_is_near(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_system, "magic", lambda folder: 0x65735546)
    monkeypatch.setattr(file_system, "_has_device", lambda folder: True)
    assert file_system.far(tmp_path) == ""
    monkeypatch.setattr(file_system, "_has_device", lambda folder: False)
    assert file_system.far(tmp_path) == "FUSE"


@pytest.mark.parametrize(
    ("mark", "program"), [(".dropbox.cache", "Dropbox"), (".sync_0a1b.db", "Nextcloud"), (".stfolder", "Syncthing")]
)
def test_a_synchronised_folder_is_told_by_what_lies_above(tmp_path: Path, mark: str, program: str) -> None:
    folder = tmp_path / "cloud" / "books" / "novel"
    folder.mkdir(parents=True)
    assert file_system.warning(folder) == ""
    (tmp_path / "cloud" / mark).touch()
    assert program in file_system.warning(folder)


def test_the_kernel_is_asked(tmp_path: Path) -> None:
    assert file_system.magic(Path("/proc")) == 0x9FA0
    assert file_system.magic(tmp_path / "missing") == 0
    assert file_system.far(Path("/proc")) == ""
