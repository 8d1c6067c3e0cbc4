"""States to be damaged: closed or killed, with rolling copies or without, and what is in each of them."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from writer.generation.model import Fingerprint, Generation, Sampling, Saved, SpanRecord, State, TokenBatch
from writer.storage.copies import INTERVAL
from writer.storage.opening import open_state
from writer.storage.state_file import StateFile

CHAPTERS = ("chapters/01-one.md", "chapters/02-two.md")
_STEP = 1_000_000  # between the first tokens of two generations: an id tells where it belongs
_SEALED, _OPEN, _LATE = 300, 2200, 80  # batches


@dataclass(slots=True)
class Image:
    """A folder with a state in it, and what a sound reading of it gives."""

    name: str
    folder: Path
    saved: dict[str, Saved] = field(default_factory=dict)
    records: dict[str, Generation] = field(default_factory=dict)
    spans: dict[str, list[SpanRecord]] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        return self.folder / "state.db"

    @property
    def batches(self) -> int:
        return sum(saved.batches for saved in self.saved.values())

    def put(self, folder: Path) -> Path:
        """A copy to be damaged."""
        shutil.copytree(self.folder, folder)
        return folder / "state.db"

    def look(self, state: StateFile) -> None:
        """Takes down what is in it."""
        for found in state.generations.all():
            self.records[found.id] = state.generations.generation(found.id)
            self.saved[found.id] = state.generations.load(found.id)
            self.spans[found.id] = state.spans.of(found.id)


def images(place: Path) -> list[Image]:
    """Closed; killed with the newest batches in the log only; both again with a copy that lacks the newest ones."""
    clock = [1_790_000_000.0]
    made = [Image("closed", place / "closed"), Image("killed", place / "killed")]
    made += [Image("closed, copies", place / "closed-copies"), Image("killed, copies", place / "killed-copies")]
    with_copies = made[2]
    state = open_state(_folder(with_copies), boot_id="b", now=lambda: clock[0])
    _sealed(state)
    generation = _begun(state, 1)
    _append(state, generation, range(_OPEN * 3 // 4), 1)
    state.rest()
    clock[0] += INTERVAL / 2
    _append(state, generation, range(_OPEN * 3 // 4, _OPEN), 1)
    state.generations.mark(generation, State.PAUSED)
    with_copies.look(state)
    state.close()
    made[0].saved, made[0].records, made[0].spans = with_copies.saved, with_copies.records, with_copies.spans
    (with_copies.folder / "ballast").write_bytes(b"x")  # of less weight, since it is copied thousands of times
    shutil.copytree(with_copies.folder, made[0].folder, ignore=shutil.ignore_patterns("copies"))
    for closed, killed in zip(made[0::2], made[1::2], strict=True):
        _kill(closed, killed)
    return made


def _folder(image: Image) -> Path:
    image.folder.mkdir(parents=True)
    return image.path


def _sealed(state: StateFile) -> None:
    generation = _begun(state, 0)
    _append(state, generation, range(_SEALED), 0)
    state.generations.mark(generation, State.FINISHED, reason="stop")
    state.generations.seal(generation)


def _begun(state: StateFile, number: int) -> str:
    generation = state.generations.begin(
        chapter=CHAPTERS[number],
        prompt_ids=range(2000 * number, 2000 * number + 1500),
        sampling=Sampling(seed=number + 40),
        fingerprint=Fingerprint("model", "tokenizer", "engine"),
        instruction="a storm",
    ).id
    state.spans.record(SpanRecord(generation, f"{number + 1:064x}", 10, 500, 490))
    return generation


def _append(state: StateFile, generation: str, ordinals: range, number: int) -> None:
    for n in ordinals:
        ids = (_STEP * number + 2 * n, _STEP * number + 2 * n + 1)
        text = f"w{n} — it was a dark and stormy night, and the {n % 97} of them were awake. "
        state.generations.append(TokenBatch(generation, n, 2 * n, ids, text, (3, len(text))))


def _kill(closed: Image, killed: Image) -> None:
    """As a process leaves it that writes on and is killed."""
    work = closed.folder.with_name("work")
    state = open_state(closed.put(work), boot_id="b", now=lambda: 1_790_000_200.0)
    generation = next(found.id for found in state.generations.all() if found.state is State.PAUSED)
    state.generations.mark(generation, State.RUNNING)
    _append(state, generation, range(_OPEN, _OPEN + _LATE), 1)
    killed.look(state)
    shutil.copytree(work, killed.folder)
    state.close()
    shutil.rmtree(work)


def is_part(saved: Saved, whole: dict[str, Saved], identity: str) -> str:
    """What is wrong with a text that was read; "" if it is the beginning of the text of that name, or a part of one."""
    if not saved.token_ids:
        return "text without tokens" if saved.text else ""
    number, first = divmod(saved.token_ids[0], _STEP)
    source = list(whole.values())[min(number, 1)]
    if identity in whole and (whole[identity] != source or first):
        return "not the beginning of its text"
    if saved.token_ids != source.token_ids[first : first + len(saved.token_ids)]:
        return "tokens that were never written"
    begins = source.ends[first - 1] if first else 0
    text = source.text[begins : begins + len(saved.text)]
    ends = tuple(end - begins for end in source.ends[first : first + len(saved.token_ids)])
    return "" if (saved.text, saved.ends) == (text, ends) else "text or ends that do not belong to its tokens"
