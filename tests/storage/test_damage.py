"""A damaged state file is one sentence for whoever opens or checks it, wherever the damage is."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from writer.errors import StateDamaged, StorageError
from writer.generation.model import Fingerprint, Sampling, State, TokenBatch
from writer.storage.integrity import check
from writer.storage.snapshot import snapshot
from writer.storage.state_file import StateFile


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A closed state with a sealed generation and an open one."""
    path = tmp_path / "state.db"
    file = StateFile(path, boot_id="b")
    for sealed in (True, False):
        generation = file.generations.begin(
            chapter="chapters/01.md", prompt_ids=range(200), sampling=Sampling(), fingerprint=Fingerprint()
        ).id
        for n in range(30):
            file.generations.append(TokenBatch(generation, n, n, (n,), "word ", (5,)))
        if sealed:
            file.generations.mark(generation, State.FINISHED, reason="stop")
            file.generations.seal(generation)
    file.close()
    return path


def look(path: Path) -> None:
    with snapshot(path, boot_id="b") as found:
        found.reconcile()
        for one in check(found, lambda generation: None):
            if not one.problem:
                found.generations.load(one.generation)


def test_any_flipped_byte_is_a_storage_error_or_harmless(state: Path) -> None:
    whole = state.read_bytes()
    chance = random.Random(7)
    seen = 0
    for _ in range(150):
        at = chance.randrange(len(whole))
        state.write_bytes(whole[:at] + bytes([whole[at] ^ chance.randrange(1, 256)]) + whole[at + 1 :])
        try:
            look(state)
        except StorageError:
            seen += 1
    assert seen > 0


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE prompt SET ids=x'00ff'",
        "UPDATE generation SET state='odd'",
        "UPDATE generation SET sampling='{'",
        "UPDATE generation SET sampling='{\"heat\": 1}'",
        "UPDATE generation SET stopped_by='odd'",
        "UPDATE prompt SET ids=(SELECT ids FROM sealed)",
    ],
)
def test_a_damaged_row_is_named_by_the_check(state: Path, change: str) -> None:
    db = sqlite3.connect(state)
    db.execute(change)
    db.commit()
    db.close()
    try:
        with snapshot(state, boot_id="b") as found:
            problems = [one.problem for one in check(found, lambda generation: None)]
    except StateDamaged as error:
        problems = [error.sentence]
    assert any("damaged" in problem or "checksum" in problem for problem in problems)


@pytest.mark.parametrize(
    "spoil", [lambda p: p.write_bytes(b"x" * 5000), lambda p: p.write_bytes(p.read_bytes()[:5000])]
)
def test_a_file_that_is_no_database(state: Path, spoil: Callable[[Path], object]) -> None:
    spoil(state)
    with pytest.raises(StateDamaged):
        look(state)


def test_a_copy_that_cannot_be_made_is_one_sentence(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*words: object, **more: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copyfile", full)
    with pytest.raises(StorageError, match="No space left"):
        look(state)
