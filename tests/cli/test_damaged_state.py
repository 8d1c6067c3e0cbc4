"""What the commands say of a damaged state, and what they still get out of it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from command_line import CommandLine


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


def test_export_gets_out_what_can_be_read(cli: CommandLine, novel: Path, state: Path, tmp_path: Path) -> None:
    ran = cli("state", "export", novel, "-o", tmp_path / "out")
    assert "left out" in ran.sentence
    assert len(list((tmp_path / "out").iterdir())) == 1
    assert cli("state", "check", novel).code == 1


def test_export_into_a_folder_that_is_there(cli: CommandLine, novel: Path) -> None:
    cli("draft", novel, "--max-tokens", 5, "--json")
    assert "--output" in cli("state", "export", novel, "-o", novel).sentence


def test_no_database_at_all(cli: CommandLine, novel: Path, state: Path) -> None:
    state.write_bytes(b"\x00" * 9000)
    for command in (["status"], ["state", "check"], ["state", "export"], ["draft"], ["resume"]):
        assert "damaged" in cli(*command, novel).sentence
