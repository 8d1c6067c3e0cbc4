"""A damaged log is told from one that is torn at its end, and its good frames are found."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from writer.storage.wal import FRAME, HEADER, mended

PAGE = 4096
STEP = FRAME + PAGE


@pytest.fixture
def wal(tmp_path: Path) -> Path:
    """A log of many small transactions, of which some hold several pages, over the end of an older one."""
    db = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA wal_autocheckpoint=0")
    db.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b BLOB)")
    for number in range(40):
        db.execute("INSERT INTO t VALUES(?, randomblob(900))", (number,))
    db.execute("PRAGMA wal_checkpoint(RESTART)")
    for number in range(40, 55):
        db.execute("INSERT INTO t VALUES(?, randomblob(9000))", (number,))
    for name in ("x.db", "x.db-wal"):
        shutil.copyfile(tmp_path / name, tmp_path / f"left-{name}")
    db.close()
    return tmp_path / "left-x.db-wal"


def rows(wal: Path, data: bytes) -> list[int]:
    """What SQLite reads through this log."""
    wal.write_bytes(data)
    db = sqlite3.connect(wal.with_name("left-x.db"))
    try:
        return [row[0] for row in db.execute("SELECT a FROM t ORDER BY a")]
    finally:
        db.close()


def test_a_whole_log_is_no_damage(wal: Path) -> None:
    assert mended(wal, PAGE) is None
    assert rows(wal, wal.read_bytes()) == list(range(55))


@pytest.mark.parametrize("short", [1, 100, STEP, STEP + 1, 3 * STEP])
def test_a_log_that_ends_early_is_no_damage(wal: Path, short: int) -> None:
    wal.write_bytes(wal.read_bytes()[: HEADER + 30 * STEP - short])
    assert mended(wal, PAGE) is None


def test_no_log_and_an_empty_one_are_no_damage(wal: Path) -> None:
    wal.write_bytes(b"")
    assert mended(wal, PAGE) is None
    wal.unlink()
    assert mended(wal, PAGE) is None


@pytest.mark.parametrize("where", [FRAME + 2000, 3, 17, 9], ids=["page", "number", "checksum", "salt"])
def test_a_bad_frame_in_the_middle_is_damage_and_the_rest_is_kept(wal: Path, where: int) -> None:
    whole = bytearray(wal.read_bytes())
    whole[HEADER + 8 * STEP + where] ^= 16
    wal.write_bytes(whole)
    better = mended(wal, PAGE)
    assert better is not None
    read = rows(wal, better)
    wal.write_bytes(whole)
    assert len(read) > len(rows(wal, bytes(whole)))


@pytest.mark.parametrize("at", [0, 8, 17, 25])
def test_a_bad_header_is_damage_and_nothing_is_lost(wal: Path, at: int) -> None:
    whole = bytearray(wal.read_bytes())
    whole[at] ^= 1
    wal.write_bytes(whole)
    better = mended(wal, PAGE)
    assert better is not None
    assert rows(wal, better)[-1] == 54
