"""What is done while one system call goes wrong, and what must hold afterwards whichever it was.

A scene is a piece of the app on real files: a folder as it is before, what a child does in it and says, and a judge
who opens it as the next start would. The child has one thread, so that its calls come in the same order every time.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from syscall_inject import Say

from writer.errors import StateFull, WriterError
from writer.generation.model import Fingerprint, Sampling, Saved, State, TokenBatch
from writer.storage.codec import fold, rowed
from writer.storage.generations import GenerationStore
from writer.storage.opening import open_state
from writer.storage.records import sealed_row
from writer.storage.state_file import StateFile

Said = Sequence[str]


@dataclass(frozen=True, slots=True)
class Scene:
    """`judge` yields what is wrong. `plant` is a mistake that it must find by kills alone."""

    name: str
    prepare: Callable[[Path], None]
    act: Callable[[Path, Say], None]
    judge: Callable[[Path, Said], Iterator[str]]
    plant: Callable[[], None] | None = None
    mistake: str = ""


def batch(generation: str, number: int) -> TokenBatch:
    """One of a text that everyone knows."""
    text = f"word{number} "
    return TokenBatch(generation, number, 2 * number, (2 * number, 2 * number + 1), text, (4, len(text)))


def known(count: int) -> Saved:
    """So many of them."""
    rows, crc = [], 0
    for number in range(count):
        rows.append(rowed(batch("", number), crc))
        crc = rows[-1].crc
    return fold(rows)[0]


def begin(state: StateFile, count: int) -> str:
    """A generation of so many batches."""
    made = state.generations.begin(
        chapter="chapters/01.md", prompt_ids=range(60), sampling=Sampling(), fingerprint=Fingerprint("m", "t", "e")
    ).id
    for number in range(count):
        state.generations.append(batch(made, number))
    return made


def most(said: Said, word: str) -> int:
    """The greatest number that was said behind this word; -1 if none was."""
    return max((int(line.split()[1]) for line in said if line.startswith(f"{word} ")), default=-1)


def retried(work: Callable[[], object]) -> None:
    """As the runner does with a disk that refuses."""
    for number in range(4):
        try:
            work()
            return
        except StateFull:
            if number == 3:
                raise


def opened(folder: Path, judge: Callable[[StateFile], Iterator[str]]) -> Iterator[str]:
    """Judges the state as the next start finds it."""
    try:
        state = open_state(folder / "state.db", boot_id="b")
    except WriterError as error:
        yield f"the state cannot be opened: {error.detail or error.sentence}"
        return
    try:
        yield from (f"false alarm: {note}" for note in state.notes)
        state.reconcile()
        yield from judge(state)
    except WriterError as error:
        yield f"the state cannot be read: {error.detail or error.sentence}"
    finally:
        state.close()


# --- stream: open, batches, a rest with a copy, close


def _stream_before(folder: Path) -> None:
    state = open_state(folder / "state.db", boot_id="b")
    state.generations.mark(begin(state, 2), State.PAUSED)
    state.close()
    shutil.rmtree(folder / "copies")


def _stream(folder: Path, say: Say) -> None:
    state = open_state(folder / "state.db", boot_id="b")
    generation = state.generations.all()[0].id
    try:
        for number in range(2, 7):
            retried(lambda number=number: state.generations.append(batch(generation, number)))  # type: ignore[misc]
            say(f"shown {number}")
        state.generations.mark(generation, State.PAUSED)
        state.rest()
    finally:
        state.close()


def _stream_judge(folder: Path, said: Said) -> Iterator[str]:
    def judge(state: StateFile) -> Iterator[str]:
        saved = state.generations.load(state.generations.all()[0].id)
        if saved != known(saved.batches):
            yield "tokens that were never written"
        if saved.batches < max(2, most(said, "shown") + 1):
            yield f"shown tokens lost: {most(said, 'shown')} was shown, {saved.batches} are there"

    return opened(folder, judge)


def _told_before_commit() -> None:
    honest, waiting = GenerationStore.append, []

    def late(self: GenerationStore, batch: Any, **how: Any) -> None:
        waiting.append(batch)
        if len(waiting) > 1:
            honest(self, waiting.pop(0), **how)

    GenerationStore.append = late  # type: ignore[method-assign]


# --- create: a state where none was


def _create(folder: Path, say: Say) -> None:
    state = open_state(folder / "state.db", boot_id="b")
    begin(state, 1)
    say("shown 0")
    state.close()


def _create_judge(folder: Path, said: Said) -> Iterator[str]:
    def judge(state: StateFile) -> Iterator[str]:
        texts = [state.generations.load(found.id) for found in state.generations.all()]
        if most(said, "shown") == 0 and texts != [known(1)]:
            yield f"shown tokens lost: {len(texts)} generations are there"

    return opened(folder, judge)


# --- seal: a finished generation becomes one row


def _seal_before(folder: Path) -> None:
    state = open_state(folder / "state.db", boot_id="b")
    state.generations.mark(begin(state, 30), State.FINISHED, reason="stop")
    state.close()
    shutil.rmtree(folder / "copies")


def _seal(folder: Path, say: Say) -> None:
    state = open_state(folder / "state.db", boot_id="b")
    try:
        state.generations.seal(state.generations.all()[0].id)
        say("sealed 1")
        state.rest()
    finally:
        state.close()


def _seal_judge(folder: Path, said: Said) -> Iterator[str]:
    def judge(state: StateFile) -> Iterator[str]:
        found = state.generations.all()[0]
        if state.generations.load(found.id) != known(30):
            yield "the text is not whole"
        if most(said, "sealed") == 1 and not state.generations.is_sealed(found.id):
            yield "it was sealed, and is not"

    return opened(folder, judge)


def _emptied_before_sealed() -> None:
    def seal(self: GenerationStore, generation: str, *, reason: str = "") -> None:
        saved = self.load(generation)
        self._db.execute("DELETE FROM batch WHERE generation=?", (generation,))
        self._db.execute("INSERT INTO sealed VALUES(?,?,?,?,?,?,?)", sealed_row(generation, saved))

    GenerationStore.seal = seal  # type: ignore[method-assign]


def inline() -> None:
    """What would run in a thread runs here."""

    async def to_thread(work: Callable[..., Any], *given: Any, **more: Any) -> Any:
        return work(*given, **more)

    asyncio.to_thread = to_thread  # type: ignore[assignment]


STATE_SCENES = (
    Scene("stream", _stream_before, _stream, _stream_judge, _told_before_commit, "told before commit"),
    Scene("create", lambda folder: None, _create, _create_judge),
    Scene("seal", _seal_before, _seal, _seal_judge, _emptied_before_sealed, "emptied before sealed"),
)
