"""The journal: appended batches come back, order is enforced, a run that vanished is seen."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from writer.errors import BatchOutOfOrder, StateDamaged, StateTooNew
from writer.generation.model import Fingerprint, Sampling, Saved, SpanRecord, State, StopCause, TokenBatch
from writer.storage.codec import Reel, fold, fold_fast, pack, rowed, unpack
from writer.storage.state_file import StateFile

PROMPT = (1, 2, 3, 4)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


@pytest.fixture
def state(path: Path) -> Iterator[StateFile]:
    opened = StateFile(path, boot_id="boot-1")
    yield opened
    opened.close()


def begin(state: StateFile) -> str:
    made = state.generations.begin(
        chapter="chapters/01.md",
        prompt_ids=PROMPT,
        sampling=Sampling(seed=7),
        fingerprint=Fingerprint("m", "t", "e"),
        instruction="a storm",
    )
    return made.id


def batch(generation: str, ordinal: int, start: int, ids: tuple[int, ...], text: str) -> TokenBatch:
    ends = tuple(round(len(text) * (i + 1) / len(ids)) for i in range(len(ids)))
    return TokenBatch(generation, ordinal, start, ids, text, ends)


def test_what_was_begun_comes_back_whole(state: StateFile) -> None:
    generation = state.generations.generation(begin(state))
    assert generation.prompt_ids == PROMPT
    assert generation.sampling == Sampling(seed=7)
    assert generation.fingerprint == Fingerprint("m", "t", "e")
    assert (generation.state, generation.instruction, generation.tokens) == (State.RUNNING, "a storm", 0)


def test_batches_survive_reopening(path: Path) -> None:
    state = StateFile(path, boot_id="boot-1")
    identity = begin(state)
    state.generations.append(batch(identity, 0, 0, (10, 11), "It w"))
    state.generations.append(batch(identity, 1, 2, (12,), "as — 夜。"))
    state.close()
    again = StateFile(path, boot_id="boot-1")
    assert again.generations.load(identity) == Saved((10, 11, 12), "It was — 夜。", (2, 4, 11), 2)
    again.close()


def test_the_same_batch_twice_changes_nothing(state: StateFile) -> None:
    identity = begin(state)
    one = batch(identity, 0, 0, (10,), "a")
    state.generations.append(one)
    state.generations.append(one)
    assert state.generations.load(identity).token_ids == (10,)


@pytest.mark.parametrize(("ordinal", "start"), [(0, 1), (2, 1), (1, 2), (1, 0)])
def test_gap_repeat_or_rewind_of_shown_text_is_refused(state: StateFile, ordinal: int, start: int) -> None:
    identity = begin(state)
    state.generations.append(batch(identity, 0, 0, (10,), "a"))
    with pytest.raises(BatchOutOfOrder):
        state.generations.append(batch(identity, ordinal, start, (11,), "b"))
    assert state.generations.load(identity).text == "a"


def test_tokens_that_showed_nothing_may_be_superseded(state: StateFile) -> None:
    identity = begin(state)
    state.generations.append(TokenBatch(identity, 0, 0, (10, 240), "a", (1, 1)))  # 240: half a character
    state.generations.append(batch(identity, 1, 1, (99,), "b"))
    assert state.generations.load(identity) == Saved((10, 99), "ab", (1, 2), 2)
    assert state.generations.generation(identity).tokens == 2


def test_the_state_ends_in_the_transaction_of_the_last_batch(state: StateFile) -> None:
    identity = begin(state)
    state.generations.append(batch(identity, 0, 0, (10,), "a"), state=State.FINISHED, reason="stop")
    generation = state.generations.generation(identity)
    assert (generation.state, generation.finish_reason) == (State.FINISHED, "stop")


def test_sealing_keeps_everything_in_one_row(state: StateFile, path: Path) -> None:
    identity = begin(state)
    for ordinal in range(50):
        state.generations.append(batch(identity, ordinal, ordinal, (ordinal,), f"w{ordinal} "))
    before = state.generations.load(identity)
    state.generations.seal(identity)
    assert state.generations.load(identity) == before
    assert state.generations.generation(identity).tokens == 50


def test_running_rows_become_interrupted_and_the_cause_is_told(path: Path) -> None:
    state = StateFile(path, boot_id="boot-1")
    identity = begin(state)
    state.generations.append(batch(identity, 0, 0, (10,), "a"))
    state._db.conn.close()  # as if killed: no close()
    same = StateFile(path, boot_id="boot-1")
    assert [g.id for g in same.reconcile()] == [identity]
    assert same.generations.generation(identity).stopped_by is StopCause.KILLED
    same.generations.mark(identity, State.RUNNING)
    same._db.conn.close()
    other = StateFile(path, boot_id="boot-2")
    other.reconcile()
    assert other.generations.generation(identity).stopped_by is StopCause.POWER
    assert other.reconcile() == []
    other.close()


def test_files_are_private_whatever_the_umask(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        state = StateFile(tmp_path / "state.db", boot_id="b")
        begin(state)
        modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in tmp_path.iterdir()}
    finally:
        os.umask(old)
    state.close()
    assert set(modes.values()) == {0o600}, modes
    assert set(modes) == {"state.db", "state.db-wal"}


def test_a_changed_byte_is_noticed(path: Path) -> None:
    state = StateFile(path, boot_id="b")
    identity = begin(state)
    state.generations.append(batch(identity, 0, 0, (10,), "It was a dark night."))
    state.close()
    raw = sqlite3.connect(path)
    raw.execute("UPDATE batch SET text='It was a dork night.'")
    raw.commit()
    raw.close()
    again = StateFile(path, boot_id="b")
    with pytest.raises(StateDamaged):
        again.generations.load(identity)
    again.close()


def test_a_removed_wal_is_told(path: Path) -> None:
    state = StateFile(path, boot_id="b")
    identity = begin(state)
    state.generations.append(batch(identity, 0, 0, (10,), "a"))
    copy = path.read_bytes()  # the state of the file at a kill, its WAL lost in a cloud copy
    state.close()
    path.write_bytes(copy)
    again = StateFile(path, boot_id="b")
    assert again.tail_may_be_missing
    again.close()
    clean = StateFile(path, boot_id="b")
    assert not clean.tail_may_be_missing
    clean.close()


def test_a_newer_schema_is_refused(path: Path) -> None:
    StateFile(path, boot_id="b").close()
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA user_version=99")
    raw.close()
    with pytest.raises(StateTooNew):
        StateFile(path, boot_id="b")


def test_a_second_process_is_refused(path: Path, state: StateFile) -> None:
    import subprocess
    import sys

    code = "import sys; from pathlib import Path; from writer.storage.state_file import StateFile\n"
    code += "from writer.errors import StateLocked\n"
    code += "try: StateFile(Path(sys.argv[1]), boot_id='b')\nexcept StateLocked: print('locked')"
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=30)
    assert done.stdout.strip() == "locked", done.stderr


def test_garbage_is_damaged_not_a_traceback(path: Path) -> None:
    path.write_bytes(b"not a database, but long enough to be taken for one" * 100)
    with pytest.raises(StateDamaged):
        StateFile(path, boot_id="b")


def test_only_the_newest_spans_are_kept(state: StateFile) -> None:
    identity = begin(state)
    for n in range(9):
        state.spans.record(SpanRecord(identity, f"sha{n}", n, n + 1, n))
    kept = state.spans.of(identity)
    assert [s.file_sha256 for s in kept] == ["sha8", "sha7", "sha6", "sha5"]


@given(st.lists(st.integers(0, 2**32 - 1)))
def test_packing_is_reversible(numbers: list[int]) -> None:
    assert unpack(pack(numbers)) == tuple(numbers)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(1, 5), st.text(max_size=8)), max_size=30))
def test_any_split_into_batches_folds_to_the_same(parts: list[tuple[int, str]]) -> None:
    rows, start, text, crc = [], 0, "", 0
    for ordinal, (n, piece) in enumerate(parts):
        ids = tuple(range(start, start + n))
        rows.append(rowed(TokenBatch("g", ordinal, start, ids, piece, (0,) * (n - 1) + (len(piece),)), crc))
        start, text, crc = start + n, text + piece, rows[-1].crc
    saved, last = fold(rows)
    assert (saved.token_ids, saved.text, saved.batches, last) == (tuple(range(start)), text, len(parts), crc)
    assert not saved.ends or saved.ends[-1] == len(text)
    reel = Reel()
    for row in rows:
        reel.take(row)
    assert reel.saved() == saved
    fast = fold_fast([(row.ids, row.ends, row.text, row.crc) for row in rows])
    assert fast == (saved, crc, (len(rows), *(sum(row[column] for row in rows) for column in range(3))))
