"""Looking at a state that another process may hold: from a copy, which does not stay."""

from __future__ import annotations

import os
import time
from pathlib import Path

from writer.generation.model import Fingerprint, Sampling, TokenBatch
from writer.storage.snapshot import snapshot
from writer.storage.state_file import StateFile


def begun(path: Path) -> StateFile:
    state = StateFile(path, boot_id="b")
    made = state.generations.begin(chapter="c.md", prompt_ids=(1,), sampling=Sampling(), fingerprint=Fingerprint())
    state.generations.append(TokenBatch(made.id, 0, 0, (7,), "a", (1,)))
    return state


def test_a_look_sees_what_is_only_in_the_wal_and_leaves_nothing(tmp_path: Path) -> None:
    live = begun(tmp_path / "state.db")
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    with snapshot(tmp_path / "state.db", boot_id="b") as state:
        assert state.generations.load(state.generations.all()[0].id).text == "a"
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before
    live.close()


def test_copies_of_killed_looks_go_and_those_of_others_stay(tmp_path: Path) -> None:
    begun(tmp_path / "state.db").close()
    old, new = tmp_path / ".look-old", tmp_path / ".look-new"
    for folder in (old, new):
        folder.mkdir()
        (folder / "state.db").write_text("text")
    os.utime(old, (time.time() - 7200,) * 2)
    with snapshot(tmp_path / "state.db", boot_id="b"):
        pass
    assert not old.exists()
    assert new.exists()
