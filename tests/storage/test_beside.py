"""Texts beside a chapter: what they are is saved, proved, and comes through salvage."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import old_states
import pytest

from writer.errors import StateDamaged
from writer.generation.model import Fingerprint, Generation, Sampling, State
from writer.storage.opening import open_state
from writer.storage.state_file import StateFile


def opened(folder: Path) -> StateFile:
    return StateFile(folder / "state.db", boot_id="b", prove=True)


def begun(state: StateFile, chapter: str = "chapters/01-one.md", parent: str = "") -> Generation:
    """A take with twenty batches."""
    made = state.generations.begin(
        chapter=chapter,
        prompt_ids=(1, 2, 3),
        sampling=Sampling(seed=4),
        fingerprint=Fingerprint("m", "t", "e"),
        role="take",
        parent=parent,
        parent_tokens=7 if parent else 0,
        place=(11, 19),
    )
    for batch in old_states.batches(made.id, chapter):
        state.generations.append(batch)
    return state.generations.generation(made.id)


def test_what_a_take_is_comes_back_whole(tmp_path: Path) -> None:
    state = opened(tmp_path)
    first = begun(state)
    second = begun(state, parent=first.id)
    state.close()
    again = opened(tmp_path)
    found = again.generations.all()
    assert [(g.role, g.parent, g.parent_tokens, g.place) for g in found] == [
        ("take", "", 0, (11, 19)),
        ("take", first.id, 7, (11, 19)),
    ]
    assert all(g.aside for g in found)
    assert again.generations.load(second.id) == again.generations.load(first.id)
    again.close()


def test_a_text_becomes_a_take_and_a_text_again(tmp_path: Path) -> None:
    state = opened(tmp_path)
    made = begun(state)
    state.generations.recast(made.id, "text", (3, 4))
    assert (state.generations.generation(made.id).role, state.generations.generation(made.id).place) == ("text", (3, 4))
    state.generations.recast(made.id, "take")
    state.close()
    again = opened(tmp_path)
    found = again.generations.generation(made.id)
    assert (found.role, found.place, found.state) == ("take", (3, 4), State.RUNNING)
    again.close()


def test_generations_go_along_when_their_chapter_is_renamed(tmp_path: Path) -> None:
    state = opened(tmp_path)
    begun(state)
    begun(state, "chapters/02-two.md")
    state.generations.moved("chapters/01-one.md", "chapters/07-other.md")
    state.close()
    again = opened(tmp_path)
    assert [g.chapter for g in again.generations.all()] == ["chapters/07-other.md", "chapters/02-two.md"]
    again.close()


def test_one_generation_alone_goes_to_another_chapter(tmp_path: Path) -> None:
    state = opened(tmp_path)
    first = begun(state)
    begun(state)
    state.generations.moved("chapters/01-one.md", "chapters/07-other.md", only=first.id)
    state.close()
    again = opened(tmp_path)
    assert [g.chapter for g in again.generations.all()] == ["chapters/07-other.md", "chapters/01-one.md"]
    again.close()


@pytest.mark.parametrize("change", ["role='text'", "parent='x'", "parent_tokens=3", "place_start=0", "place_end=1"])
def test_a_changed_letter_in_what_a_take_is_is_noticed(change: str, tmp_path: Path) -> None:
    """Its text would go into the chapter's file, or to another place of it."""
    state = opened(tmp_path)
    begun(state)
    state.close()
    db = sqlite3.connect(tmp_path / "state.db")
    db.execute(f"UPDATE generation SET {change}")
    db.commit()
    db.close()
    with pytest.raises(StateDamaged):
        opened(tmp_path)


def test_a_take_is_still_one_after_a_salvage(tmp_path: Path) -> None:
    state = open_state(tmp_path / "state.db", boot_id="b")
    first = begun(state)
    begun(state, parent=first.id)
    state.close()
    shutil.rmtree(tmp_path / "copies")
    db = sqlite3.connect(tmp_path / "state.db")
    db.execute("UPDATE batch SET text='x' WHERE ordinal=15 AND generation=?", (first.id,))
    db.commit()
    db.close()
    mended = open_state(tmp_path / "state.db", boot_id="b")
    assert "% of it could be read" in mended.notes[0]
    found = mended.generations.all()
    assert len(found) == 3  # what stands behind the damage is a text of its own
    assert {g.role for g in found} == {"take"}
    assert sorted(g.parent_tokens for g in found) == [0, 0, 7]
    mended.close()
