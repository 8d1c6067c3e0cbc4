"""The first bytes of a state: what is not noted yet, changed, from a newer writer, or lost."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from filled import PAGE, Filled, add, change, closed, loaded, reopened

from writer.errors import StateTooNew
from writer.storage.migrations import LATEST
from writer.storage.opening import open_state


@pytest.fixture
def filled(tmp_path: Path) -> Filled:
    return closed(tmp_path / "s" / "state.db")


@pytest.mark.parametrize("pragmas", [("journal_mode=WAL",), ("journal_mode=WAL", "application_id=1465010516")])
def test_a_start_that_was_killed_before_the_first_table_is_no_damage(tmp_path: Path, pragmas: tuple[str, ...]) -> None:
    path = tmp_path / "state.db"
    db = sqlite3.connect(path)
    for pragma in pragmas:
        db.execute(f"PRAGMA {pragma}")
    db.close()
    assert path.read_bytes()[56:60] == bytes(4), "the encoding is noted with the first table"
    state = open_state(path, boot_id="b")
    assert state.notes == ()
    add(state, 1)
    state.close()
    assert not (tmp_path / "damaged").exists()


@pytest.mark.parametrize(("at", "value"), [(18, 3), (18, 0), (19, 4), (21, 65), (47, 5), (44, 1), (59, 2)])
def test_a_changed_byte_of_the_header_is_told_and_costs_nothing(filled: Filled, at: int, value: int) -> None:
    """SQLite calls some of these read-only, or a format it does not know, and others nothing at all."""
    data = bytearray(filled.path.read_bytes())
    data[at] = value
    filled.path.write_bytes(data)
    state = reopened(filled)
    assert "all of it" in state.notes[0]
    assert loaded(state) == filled.truth
    state.close()


def test_a_lost_first_page_costs_nothing(filled: Filled) -> None:
    data = filled.path.read_bytes()
    filled.path.write_bytes(bytes(PAGE) + data[PAGE:])
    state = reopened(filled)
    assert loaded(state) == filled.truth
    assert "all of it that is known of" in state.notes[0]
    state.close()


def test_a_newer_state_is_refused_and_not_changed(filled: Filled) -> None:
    change(filled.path, f"PRAGMA user_version={LATEST + 1}")
    before = filled.path.read_bytes()
    with pytest.raises(StateTooNew, match="newer version of writer, so nothing is changed"):
        reopened(filled)
    assert filled.path.read_bytes()[100:] == before[100:]


def test_a_version_that_no_writer_has_is_damage(filled: Filled) -> None:
    change(filled.path, "PRAGMA user_version=65538")
    state = reopened(filled)
    assert loaded(state) == filled.truth
    state.close()
