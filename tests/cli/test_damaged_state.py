"""What the commands say of a damaged state, and what they still get out of it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import CommandLine

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="mounting a disk needs root")


@pytest.fixture
def state(cli: CommandLine, novel: Path, home: dict[str, str]) -> Path:
    """The state of a manuscript with two generations, the first of them sealed and then damaged."""
    for _ in range(2):
        assert cli("draft", novel, "--max-tokens", 30, "--json").code == 0
    path = next(Path(home["XDG_STATE_HOME"]).rglob("state.db"))
    with sqlite3.connect(path) as db:
        db.execute("UPDATE sealed SET crc=crc+1")
    db.close()
    return path


def texts(folder: Path) -> list[int]:
    return sorted(len(file.read_text()) for file in folder.iterdir())


def test_export_takes_from_the_copies_what_is_damaged(
    cli: CommandLine, novel: Path, state: Path, tmp_path: Path
) -> None:
    before = state.read_bytes()
    ran = cli("state", "export", novel, "-o", tmp_path / "out")
    assert "all of it that is known of could be read" in ran.sentence
    assert "left as it is" in ran.sentence
    assert len(texts(tmp_path / "out")) == 2
    assert state.read_bytes() == before
    assert cli("state", "check", novel).code == 1


def test_export_without_copies_says_how_much_is_lost(
    cli: CommandLine, novel: Path, state: Path, tmp_path: Path
) -> None:
    shutil.rmtree(state.parent / "copies")
    ran = cli("state", "export", novel, "-o", tmp_path / "out")
    assert " % of it could be read" in ran.sentence
    assert 0 in texts(tmp_path / "out")


def test_export_into_a_folder_that_is_there(cli: CommandLine, novel: Path) -> None:
    cli("draft", novel, "--max-tokens", 5, "--json")
    assert "--output" in cli("state", "export", novel, "-o", novel).sentence


def test_no_database_at_all(cli: CommandLine, novel: Path, state: Path, tmp_path: Path) -> None:
    state.write_bytes(b"\x00" * 9000)
    for command in (["status"], ["state", "check"]):
        assert "damaged" in cli(*command, novel).sentence
    assert "stands in for it" in cli("state", "export", novel, "-o", tmp_path / "out").sentence
    shutil.rmtree(state.parent / "copies")
    assert "nothing of it could be read" in cli("state", "export", novel, "-o", tmp_path / "none").sentence


def test_writing_goes_on_and_says_what_became_of_the_state(cli: CommandLine, novel: Path, state: Path) -> None:
    bad = state.read_bytes()[:9000]
    state.write_bytes(bad)
    ran = cli("draft", novel, "--max-tokens", 10, "--json")
    assert ran.code == 0
    assert "could be read" in ran.err or "stands in for it" in ran.err
    assert [file.read_bytes() for file in (state.parent / "damaged").glob("*.db")] == [bad]
    again = cli("draft", novel, "--max-tokens", 10, "--json")
    assert "damaged" not in again.err
    assert cli("state", "check", novel).code == 0


@pytest.fixture
def read_only(state: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The state on a disk that can only be read."""
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(disk)], check=True)
    shutil.copytree(state.parents[2], disk, dirs_exist_ok=True)
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    monkeypatch.setenv("XDG_STATE_HOME", str(disk))
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


@root_only
def test_a_disk_that_can_only_be_read_is_looked_at(
    cli: CommandLine, novel: Path, read_only: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("status", novel, "--json").json["resumable"]
    assert cli("state", "check", novel).code == 1  # of what is damaged

    def refused(*words: object, **more: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("tempfile.TemporaryDirectory", refused)  # nor can a file be made anywhere else
    assert cli("status", novel, "--json").json["resumable"]
    assert "Read-only" in cli("draft", novel).sentence
