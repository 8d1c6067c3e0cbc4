"""A full disk: what happened can still be recorded, the end is marked, and no false word is said at the next start."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from filled import add, append, loaded

from writer.errors import StateFull
from writer.generation.model import SpanRecord, State, StopCause, TokenBatch
from writer.storage import ballast
from writer.storage.ballast import Ballast
from writer.storage.copies import INTERVAL, KEPT, Copies
from writer.storage.opening import open_state
from writer.storage.state_file import StateFile

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(place)], check=True)
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(disk: Path) -> Path:
    """Takes all the room that is left."""
    hog = disk / "hog"
    with hog.open("ab", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            with contextlib.suppress(OSError):
                while file.write(b"x" * size) == size:
                    pass
    return hog


def test_ballast_is_given_up_and_taken_again(tmp_path: Path) -> None:
    held = Ballast(tmp_path / "ballast")
    assert held.restore()
    assert (tmp_path / "ballast").stat().st_size == ballast.SIZE
    assert (tmp_path / "ballast").stat().st_mode & 0o777 == 0o600
    tries: list[int] = []

    def work() -> str:
        tries.append(1)
        if (tmp_path / "ballast").exists():
            raise StateFull("full")
        return "done"

    assert held.use(work) == "done"
    assert len(tries) == 2
    assert held.spent
    assert held.restore()
    assert not held.spent


def test_without_ballast_the_error_stands(tmp_path: Path) -> None:
    def work() -> None:
        raise StateFull("full")

    for held in (Ballast(None), Ballast(tmp_path / "none")):
        with pytest.raises(StateFull):
            held.use(work)


@root_only
def test_ballast_is_not_what_fills_a_disk(disk: Path) -> None:
    (disk / "hog").write_bytes(b"x" * (9 << 20))
    held = Ballast(disk / "ballast")
    held.restore()
    assert not (disk / "ballast").exists()


@root_only
def test_the_pause_is_on_record_and_writing_goes_on_once_there_is_room(disk: Path) -> None:
    state = open_state(disk / "state.db", boot_id="b")
    generation = add(state, 5)
    hog = fill(disk)
    number = until_full(state, generation)
    state.generations.hold_up(generation)
    found = state.generations.generation(generation)
    assert (found.state, found.stopped_by) == (State.INTERRUPTED, StopCause.DISK)
    batch = TokenBatch(generation, number, 2 * number, (1, 2), "word " * 50, (100, 250))
    with pytest.raises(StateFull, match="paused"):
        state.generations.append(batch)  # the room of the ballast is not for this
    state.spans.record(SpanRecord(generation, "0" * 64, 0, 1, 1))
    hog.unlink()
    state.generations.append(batch)
    assert state.generations.generation(generation).state is State.RUNNING
    assert state.generations.load(generation).batches == number + 1
    assert (disk / "ballast").exists()
    state.close()


def until_full(state: StateFile, generation: str) -> int:
    """The number of the batch that the disk refuses."""
    for number in range(5, 100_000):
        try:
            state.generations.append(TokenBatch(generation, number, 2 * number, (1, 2), "word " * 50, (100, 250)))
        except StateFull:
            return number
    raise AssertionError("the disk is never full")


@root_only
@pytest.mark.parametrize("ballast", [True, False])
def test_a_close_on_a_full_disk_is_no_removed_log(disk: Path, ballast: bool) -> None:
    state = open_state(disk / "state.db", boot_id="b")
    generation = add(state, 5)
    fill(disk)
    until_full(state, generation)
    if not ballast:
        (disk / "ballast").unlink()
        fill(disk)
    truth = loaded(state)
    with contextlib.suppress(StateFull):
        state.close()
    (disk / "hog").unlink()
    again = open_state(disk / "state.db", boot_id="b")
    assert again.notes == ()
    assert loaded(again) == truth
    again.close()


def test_an_end_that_cannot_be_marked_leaves_a_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = open_state(tmp_path / "state.db", boot_id="b")
    generation = add(state, 5)

    def full() -> None:
        raise StateFull("full")

    monkeypatch.setattr(state, "_mark_closed", full)
    with pytest.raises(StateFull):
        state.close()
    again = open_state(tmp_path / "state.db", boot_id="b")
    assert again.notes == ()
    assert again.generations.load(generation).batches == 5
    again.close()


def test_a_start_that_fails_leaves_a_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = open_state(tmp_path / "state.db", boot_id="b")
    add(state, 5)
    state._db.conn.close()
    state._leave_wal(needed=True)

    def full(*words: object) -> None:
        raise StateFull("full")

    with monkeypatch.context() as patch:
        patch.setattr("writer.storage.state_file.StateFile._open_run", full)
        with pytest.raises(StateFull):
            open_state(tmp_path / "state.db", boot_id="b")
    again = open_state(tmp_path / "state.db", boot_id="b")
    assert again.notes == ()
    again.close()


def test_copies_are_kept_at_rests_and_the_oldest_go(tmp_path: Path) -> None:
    clock = [1_790_000_000.0]
    state = open_state(tmp_path / "state.db", boot_id="b", now=lambda: clock[0])
    generation, made = add(state, 1), []
    for number in range(1, 8):
        clock[0] += INTERVAL / 2
        append(state, generation, range(number, number + 1))
        state.generations.mark(generation, State.PAUSED)
        state.rest()
        made.append(len(Copies(tmp_path / "copies").files()))
    assert made == [1, 1, 2, 2, 3, 3, KEPT]
    clock[0] += INTERVAL
    state.rest()
    newest = Copies(tmp_path / "copies").newest_at()
    clock[0] += INTERVAL
    state.rest()
    assert Copies(tmp_path / "copies").newest_at() == newest  # nothing has changed since
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "copies").iterdir()} == {0o600}
    state.close()


@root_only
def test_a_copy_is_not_what_fills_a_disk(disk: Path) -> None:
    state = open_state(disk / "state.db", boot_id="b")
    add(state, 5)
    state.rest()
    assert Copies(disk / "copies").files() == []
    state.close()
