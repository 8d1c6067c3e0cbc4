"""Databases of every old version come up to date with all that is in them; a copy of each stays."""

from __future__ import annotations

import shutil
import sqlite3
import stat
from pathlib import Path

import old_states
import pytest

from writer.errors import StateDamaged, StateFull
from writer.generation.model import Fingerprint, Sampling, State, StopCause
from writer.storage import database, migrations
from writer.storage.codec import fold, rowed
from writer.storage.opening import open_state
from writer.storage.state_file import StateFile

OLD = sorted(old_states.FOLDER.glob("v*.db"))


@pytest.fixture(params=OLD, ids=lambda path: path.stem)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copyfile(request.param, tmp_path / "state.db"))


def version(path: Path) -> int:
    db = sqlite3.connect(path)
    try:
        return int(db.execute("PRAGMA user_version").fetchone()[0])
    finally:
        db.close()


def check(state: StateFile) -> None:
    """All that `old_states.fill` put in."""
    found = {generation.chapter: generation for generation in state.generations.all()}
    assert tuple(found) == old_states.CHAPTERS
    states = [(g.state, g.finish_reason, g.stopped_by) for g in found.values()]
    assert states == [
        (State.FINISHED, "stop", None),
        (State.PAUSED, None, StopCause.PAUSED),
        (State.RUNNING, None, None),
    ]
    for chapter, generation in found.items():
        whole = state.generations.generation(generation.id)
        assert whole.prompt_ids == tuple(range(len(chapter), 300))
        assert whole.sampling == Sampling(seed=len(chapter), temperature=0.7)
        assert whole.fingerprint == Fingerprint("model", "tokenizer", "engine 1")
        rows, crc = [], 0
        for batch in old_states.batches(generation.id, chapter):
            rows.append(rowed(batch, crc))
            crc = rows[-1].crc
        assert state.generations.load(generation.id) == fold(rows)[0]
    sealed, *others = (state.spans.of(generation.id) for generation in found.values())
    assert sealed == []
    assert [(len(spans), spans[0].end) for spans in others] == [(1, 19), (1, 19)]


def test_there_is_a_database_of_each_version_before_this_one() -> None:
    assert [path.stem for path in OLD] == [f"v{number}" for number in range(1, migrations.LATEST)]


def test_all_of_it_comes_over_and_a_copy_stays(old: Path) -> None:
    before = version(old)
    state = open_state(old, boot_id="b")
    assert state.notes == ()
    check(state)
    state.close()
    assert version(old) == migrations.LATEST
    copy = old.with_name(f"state.db.bak-v{before}")
    assert version(copy) == before
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    shutil.copyfile(copy, old)
    again = open_state(old, boot_id="b")
    check(again)
    again.close()


def test_what_fails_half_way_changes_nothing(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = version(old)
    monkeypatch.setattr(migrations, "_V3", (*migrations._V3[:-1], "INSERT INTO nowhere VALUES(1)"))
    with pytest.raises(Exception, match="nowhere"):
        StateFile(old, boot_id="b")
    monkeypatch.undo()
    assert version(old) == before
    state = StateFile(old, boot_id="b")
    check(state)
    state.close()


def test_without_room_for_a_copy_nothing_is_changed(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*words: object) -> None:
        raise StateFull("The disk is full.")

    before = version(old)
    monkeypatch.setattr(database, "backup", full)
    with pytest.raises(StateFull):
        StateFile(old, boot_id="b")
    assert version(old) == before


@pytest.mark.parametrize("sql", ["DROP TABLE sealed", "ALTER TABLE run ADD COLUMN more TEXT", "PRAGMA user_version=0"])
def test_tables_that_are_not_ours_are_damage(old: Path, sql: str) -> None:
    db = sqlite3.connect(old)
    db.execute(sql)
    db.commit()
    db.close()
    with pytest.raises(StateDamaged):
        StateFile(old, boot_id="b")


def test_a_damaged_old_state_is_put_in_order_too(old: Path) -> None:
    db = sqlite3.connect(old)
    db.execute("UPDATE batch SET text='x' WHERE ordinal=3")
    db.commit()
    db.close()
    state = open_state(old, boot_id="b")
    assert "% of it could be read" in state.notes[0]
    chapters = [generation.chapter for generation in state.generations.all()]
    assert set(chapters) == set(old_states.CHAPTERS)
    state.close()


def test_a_record_that_was_damaged_before_is_not_proved_by_the_upgrade(tmp_path: Path) -> None:
    """It would be sampled otherwise, or go to another place, and nobody would know."""
    old = Path(shutil.copyfile(old_states.FOLDER / "v2.db", tmp_path / "state.db"))
    db = sqlite3.connect(old)
    db.execute("UPDATE generation SET chapter='chapters/09-elsewhere.md' WHERE chapter=?", (old_states.CHAPTERS[1],))
    db.commit()
    db.close()
    with pytest.raises(StateDamaged):
        StateFile(old, boot_id="b", prove=True)


def test_what_was_written_before_stands_in_its_chapter(old: Path) -> None:
    state = open_state(old, boot_id="b")
    assert {(g.role, g.parent, g.parent_tokens, g.place) for g in state.generations.all()} == {("text", "", 0, (0, 0))}
    state.close()
