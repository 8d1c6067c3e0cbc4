"""Scenes in which the state itself is replaced: an old schema is brought up to date, a damaged state put in order."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import old_states
from syscall_inject import Say
from syscall_scenes import Said, Scene, begin, opened

from writer.generation.model import State
from writer.storage import migrations, opening, salvage
from writer.storage.codec import fold, rowed
from writer.storage.opening import open_state
from writer.storage.state_file import StateFile

# --- migrate: a database of the first version


def _migrate_before(folder: Path) -> None:
    shutil.copyfile(old_states.FOLDER / "v1.db", folder / "state.db")


def _migrate(folder: Path, say: Say) -> None:
    state = open_state(folder / "state.db", boot_id="b")
    say("open 1")
    state.close()


def _migrate_judge(folder: Path, said: Said) -> Iterator[str]:
    def judge(state: StateFile) -> Iterator[str]:
        found = state.generations.all()
        if tuple(generation.chapter for generation in found) != old_states.CHAPTERS:
            yield f"{len(found)} generations are there"
        for generation in found:
            rows, crc = [], 0
            for each in old_states.batches(generation.id, generation.chapter):
                rows.append(rowed(each, crc))
                crc = rows[-1].crc
            if state.generations.load(generation.id) != fold(rows)[0]:
                yield f"{generation.chapter} is not whole"
            if state.generations.generation(generation.id).prompt_ids != tuple(range(len(generation.chapter), 300)):
                yield f"the prompt of {generation.chapter} is not whole"

    return opened(folder, judge)


def _migrated_bit_by_bit() -> None:
    def apply(db: Any) -> None:
        db.conn.execute("COMMIT")
        for statement in (*migrations._V2, *migrations._V3):  # all steps: unkilled, nothing is wrong with it
            db.conn.execute(statement)
        db.conn.execute("BEGIN IMMEDIATE")

    migrations.migrations.apply = apply  # type: ignore[method-assign]


# --- mend: a damaged state is put in order


def _mend_before(folder: Path) -> None:
    state = open_state(folder / "state.db", boot_id="b")
    generation = begin(state, 40)
    state.generations.mark(generation, State.PAUSED)
    state._db.execute("UPDATE batch SET text='x' WHERE ordinal=20")
    state.close()
    shutil.rmtree(folder / "copies")


def _mend(folder: Path, say: Say) -> None:
    state = open_state(folder / "state.db", boot_id="b")
    say("open 1")
    state.close()


def _mend_judge(folder: Path, said: Said) -> Iterator[str]:
    state = open_state(folder / "state.db", boot_id="b")  # that it was damaged is told here, or was told in the child
    try:
        kept = sorted(state.generations.load(found.id).batches for found in state.generations.all())
        if kept != [19, 20]:
            yield f"{kept} batches are left of 20 and 19"
        if not list((folder / "damaged").glob("*state.db")):
            yield "the damaged file is gone"
    finally:
        state.close()


def _swapped_before_kept() -> None:
    def finish(path: Path) -> Path:
        new, folder = path.with_name("state.db.mended"), path.parent / "damaged"
        if new.exists():
            folder.mkdir(exist_ok=True)
            path.unlink()
            os.replace(new, path)
            (folder / "state.db").write_bytes(b"")
        return folder

    salvage.finish = finish
    opening.salvage.finish = finish


REPLACING_SCENES = (
    Scene("migrate", _migrate_before, _migrate, _migrate_judge, _migrated_bit_by_bit, "migrated bit by bit"),
    Scene("mend", _mend_before, _mend, _mend_judge, _swapped_before_kept, "damaged file not kept"),
)
