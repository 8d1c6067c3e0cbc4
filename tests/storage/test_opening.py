"""A damaged state is put in order when it is opened: what can be proved is taken over, and the author is told of it."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

import pytest
from filled import PAGE, Filled, add, change, closed, killed, loaded, reopened

from writer.errors import StateFull
from writer.generation.model import State
from writer.storage import salvage
from writer.storage.joining import SALVAGED
from writer.storage.state_file import StateFile


@pytest.fixture
def filled(tmp_path: Path) -> Filled:
    return closed(tmp_path / "s" / "state.db")


def leaf_pages(path: Path, generation: str) -> list[int]:
    """Numbers of the pages (from 0) that hold this generation's batches and nothing else."""
    data = path.read_bytes()
    pages = [data[at : at + PAGE] for at in range(0, len(data), PAGE)]
    return [n for n, page in enumerate(pages) if page[0] == 10 and page.count(generation.encode()) > 3]


def test_a_sound_state_is_opened_as_it_is(filled: Filled) -> None:
    state = reopened(filled)
    assert state.notes == ()
    assert loaded(state) == filled.truth
    state.close()
    assert not (filled.path.parent / "damaged").exists()


def test_a_leaf_page_costs_its_own_batches_only(filled: Filled) -> None:
    generation = list(filled.truth)[-1]
    pages = leaf_pages(filled.path, generation)
    data = bytearray(filled.path.read_bytes())
    at = pages[len(pages) // 2] * PAGE
    data[at : at + PAGE] = bytes(PAGE)
    filled.path.write_bytes(data)
    state = reopened(filled)
    found = loaded(state)
    whole = filled.truth[generation]
    assert whole.text.startswith(found[generation].text)
    rest = [saved for identity, saved in found.items() if identity.startswith(generation[:8] + "+")]
    assert len(rest) == 1
    assert whole.text.endswith(rest[0].text)
    assert whole.token_ids[-len(rest[0].token_ids) :] == rest[0].token_ids
    kept = found[generation].batches + rest[0].batches
    assert kept >= whole.batches - 1 - whole.batches // len(pages) * 2
    assert "% of it could be read" in state.notes[0]
    state.close()
    (aside,) = (filled.path.parent / "damaged").iterdir()
    assert aside.read_bytes() == bytes(data)
    again = reopened(filled)
    assert again.notes == ()
    assert loaded(again) == found
    again.close()


def test_a_copy_fills_the_gap(tmp_path: Path) -> None:
    filled = closed(tmp_path / "s" / "state.db", copies=True)
    generation = list(filled.truth)[-1]
    data = bytearray(filled.path.read_bytes())
    for page in leaf_pages(filled.path, generation)[1:4]:
        data[page * PAGE : page * PAGE + PAGE] = bytes(PAGE)
    filled.path.write_bytes(data)
    state = reopened(filled)
    assert loaded(state) == filled.truth
    assert "all of it that is known of could be read" in state.notes[0]
    assert state.generations.generation(generation).state is State.PAUSED
    state.close()


@pytest.mark.parametrize("column", ["text='x'", "ids=x'00000000'", "crc=crc+1", "start=start+1", "n=n+1"])
def test_a_changed_batch_is_never_taken_for_sound(filled: Filled, column: str) -> None:
    generation = list(filled.truth)[-1]
    change(filled.path, f"UPDATE batch SET {column} WHERE ordinal=100")
    state = reopened(filled)
    found = loaded(state)
    assert found[generation].batches == 100
    assert filled.truth[generation].text.startswith(found[generation].text)
    assert sum(saved.batches for identity, saved in found.items() if "+" in identity) in (598 - 100, 599 - 100)
    state.close()


@pytest.mark.parametrize("sql", ["chapter='chapters/99.md'", "sampling='{}'", "state='finished'", "instruction='x'"])
def test_a_changed_record_cannot_go_on(filled: Filled, sql: str) -> None:
    generation = list(filled.truth)[-1]
    change(filled.path, f"UPDATE generation SET {sql} WHERE id='{generation}'")
    state = reopened(filled)
    found = state.generations.generation(generation)
    assert (found.state, found.finish_reason, found.prompt_ids) == (State.FINISHED, SALVAGED, ())
    assert loaded(state) == filled.truth
    state.close()


def test_a_changed_place_is_forgotten(filled: Filled) -> None:
    generation = list(filled.truth)[-1]
    change(filled.path, 'UPDATE span SET "end"="end"+1')
    state = reopened(filled)
    assert state.spans.of(generation) == []
    assert state.notes == ()
    state.close()


@pytest.mark.parametrize("left", [0, 1, 5000])
def test_where_nothing_can_be_read_the_newest_copy_stands_in(tmp_path: Path, left: int) -> None:
    filled = closed(tmp_path / "s" / "state.db", copies=True)
    filled.path.write_bytes(filled.path.read_bytes()[:left])
    state = reopened(filled)
    assert loaded(state) == filled.truth
    assert "its copy of" in state.notes[0]
    state.close()


def test_a_state_that_was_removed_comes_back_from_its_copy(tmp_path: Path) -> None:
    filled = closed(tmp_path / "s" / "state.db", copies=True)
    filled.path.unlink()
    state = reopened(filled)
    assert loaded(state) == filled.truth
    assert state.notes[0].startswith("The saved state (state.db) was removed by another program; its copy of")
    state.close()


def test_without_anything_writing_begins_with_an_empty_state(filled: Filled) -> None:
    filled.path.write_bytes(b"not a database " * 1000)
    state = reopened(filled)
    assert state.generations.all() == []
    assert "nothing of it could be read; your chapters are untouched" in state.notes[0]
    add(state, 3)
    state.close()


def test_damage_in_the_middle_of_the_log_costs_no_batch_that_lies_behind_it(filled: Filled) -> None:
    left = killed(filled)
    data = bytearray(left.wal.read_bytes())
    data[len(data) // 2] ^= 4
    left.wal.write_bytes(data)
    state = reopened(left)
    found = loaded(state)
    for identity, saved in found.items():
        assert saved == left.truth[identity] or "+" in identity
    assert "damaged" in state.notes[0]
    state.close()


def test_a_log_that_is_torn_at_its_end_is_no_damage(filled: Filled) -> None:
    left = killed(filled)
    os.truncate(left.wal, left.wal.stat().st_size - 1000)
    state = reopened(left)
    assert state.notes == ()
    generation = list(left.truth)[-1]
    assert state.generations.load(generation).batches == left.truth[generation].batches - 1
    state.close()


def test_a_removed_log_is_told(filled: Filled) -> None:
    left = killed(filled)
    left.wal.unlink()
    state = reopened(left)
    assert "state.db-wal" in state.notes[0]
    assert loaded(state) == filled.truth
    state.close()


@pytest.mark.parametrize("moves", range(4))
def test_mending_goes_on_where_a_kill_came_between(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moves: int) -> None:
    left = killed(closed(tmp_path / "s" / "state.db", copies=True))
    os.truncate(left.path, 20 * PAGE)
    honest, done = os.replace, []

    def mortal(*places: Path) -> None:
        if len(done) == moves:
            raise KeyboardInterrupt
        done.append(places)
        honest(*places)

    monkeypatch.setattr(salvage.os, "replace", mortal)
    with pytest.raises(KeyboardInterrupt):
        reopened(left)
    monkeypatch.undo()
    state = reopened(left)
    assert loaded(state) == left.truth
    state.close()
    assert len(list((left.path.parent / "damaged").iterdir())) == 2
    assert sorted(p.name for p in left.path.parent.iterdir()) == ["ballast", "copies", "damaged", "state.db"]


def test_what_the_author_discarded_stays_discarded(filled: Filled) -> None:
    generation = list(filled.truth)[-1]
    state = reopened(filled)
    state.generations.mark(generation, State.FINISHED, reason="discarded")
    state.close()
    change(filled.path, "UPDATE generation SET instruction='x'")
    state = reopened(filled)
    assert state.generations.generation(generation).finish_reason == "discarded"
    state.close()


def test_a_text_without_a_record_is_sealed_for_export(filled: Filled) -> None:
    shutil.rmtree(filled.path.parent / "copies", ignore_errors=True)
    with sqlite3.connect(filled.path) as db:
        db.execute("PRAGMA foreign_keys=OFF")
        db.execute("DELETE FROM generation")
        db.execute("UPDATE batch SET crc=crc+1 WHERE ordinal=599")
    db.close()
    state = reopened(filled)
    assert state.generations.unsealed() == []
    assert "The chapter of 2 texts is not known" in state.notes[0]
    assert {saved.text[:20] for saved in loaded(state).values()} == {saved.text[:20] for saved in filled.truth.values()}
    state.close()


def test_a_part_that_the_disk_has_lost_is_damage_and_a_trouble_that_passes_is_none(
    filled: Filled, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Troubled(StateFile):
        def __init__(self, *places: object, **more: object) -> None:
            raise StateFull("The disk reports an error: paused.")

    honest, generation = os.pread, list(filled.truth)[-1]
    lost = leaf_pages(filled.path, generation)[2] * PAGE

    def pread(fd: int, size: int, at: int) -> bytes:
        if at == lost and os.readlink(f"/proc/self/fd/{fd}") == str(filled.path):
            raise OSError(5, "Input/output error")
        return honest(fd, size, at)

    with monkeypatch.context() as patch:
        patch.setattr("writer.storage.opening.StateFile", Troubled)
        with pytest.raises(StateFull):
            reopened(filled)
        assert loaded(StateFile(filled.path, boot_id="b")) == filled.truth
        patch.setattr(os, "pread", pread)
        with pytest.raises(StateFull):
            reopened(filled)  # it is put in order by now, and only the class refuses
    state = reopened(filled)
    assert 400 < sum(saved.batches for identity, saved in loaded(state).items() if generation[:8] in identity) < 600
    state.close()
