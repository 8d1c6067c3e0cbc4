"""States to be damaged: filled with long generations, closed, or left as a killed process leaves them."""

from __future__ import annotations

import shutil
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from writer.generation.model import Fingerprint, Sampling, Saved, SpanRecord, State, TokenBatch
from writer.storage.opening import open_state
from writer.storage.state_file import StateFile

CHAPTER = "chapters/01.md"
PAGE = 4096


@dataclass(frozen=True)
class Filled:
    """A closed or killed state, and what is in it by generation."""

    path: Path
    truth: dict[str, Saved]

    @property
    def wal(self) -> Path:
        return self.path.with_name("state.db-wal")


def add(state: StateFile, batches: int, chapter: str = CHAPTER, first: int = 0) -> str:
    """A generation of that many batches of two tokens; its identity."""
    made = state.generations.begin(
        chapter=chapter, prompt_ids=range(200), sampling=Sampling(seed=3), fingerprint=Fingerprint("m", "t", "e")
    ).id
    append(state, made, range(batches), first)
    state.spans.record(SpanRecord(made, f"{batches:064x}", 1, 2, 3))
    return made


def append(state: StateFile, generation: str, ordinals: range, first: int = 0) -> None:
    for n in ordinals:
        ids, text = (first + 2 * n, first + 2 * n + 1), f"word{n} no{n} "
        state.generations.append(TokenBatch(generation, n, 2 * n, ids, text, (3, len(text))))


def closed(path: Path, *, batches: int = 600, sealed: int = 300, copies: bool = False) -> Filled:
    """A sealed generation and an open one, closed in an orderly way."""
    path.parent.mkdir(parents=True, exist_ok=True)
    state = open_state(path, boot_id="b")
    first = add(state, sealed)
    state.generations.mark(first, State.FINISHED, reason="stop")
    state.generations.seal(first)
    second = add(state, batches, "chapters/02.md", first=10_000)
    state.generations.mark(second, State.PAUSED)
    truth = {identity: state.generations.load(identity) for identity in (first, second)}
    state.close()
    if not copies:
        shutil.rmtree(path.parent / "copies")
    return Filled(path, truth)


def killed(filled: Filled, *, more: int = 60) -> Filled:
    """The same state as a process leaves it that is killed after so many batches more: they are in the log only."""
    folder = filled.path.parent
    state = open_state(filled.path, boot_id="b")
    generation = list(filled.truth)[-1]
    done = filled.truth[generation].batches
    append(state, generation, range(done, done + more), first=10_000)
    truth = {**filled.truth, generation: state.generations.load(generation)}
    for file in (filled.path, filled.wal):
        shutil.copyfile(file, folder / f"{file.name}.left")
    state.close()
    for file in (filled.path, filled.wal):
        (folder / f"{file.name}.left").replace(file)
    return Filled(filled.path, truth)


def loaded(state: StateFile) -> dict[str, Saved]:
    return {found.id: state.generations.load(found.id) for found in state.generations.all()}


def reopened(filled: Filled) -> StateFile:
    return open_state(filled.path, boot_id="b")


def change(path: Path, sql: str) -> None:
    with sqlite3.connect(path) as db:
        db.execute(sql)
    db.close()
