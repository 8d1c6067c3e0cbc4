"""Scenes with chapters: saving one, merging another program's change into it, and re-attaching after a kill."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from syscall_inject import Say
from syscall_scenes import Said, Scene, begin, known, most, opened

from writer.bootstrap import open_desk
from writer.generation.model import Saved, SpanRecord, State
from writer.manuscript import atomic
from writer.manuscript.chapter_file import ChapterFile, tidy
from writer.manuscript.encoding import decode, digest
from writer.manuscript.project import create
from writer.manuscript.versions import Versions
from writer.runtime import runner
from writer.runtime.events import BatchCommitted, Event
from writer.runtime.headless import Headless
from writer.runtime.orders import SaveOrder, Span
from writer.runtime.recovery import place
from writer.runtime.saving import Chapters
from writer.storage.opening import open_state
from writer.storage.state_file import StateFile

CHAPTER = "01.md"
_INTRO = "# One\n\nIt was late. " * 40
_BASE = "# One\n\nb1 b2 b3\n\nb4 b5 b6\n\nb7\n"
_OURS = _BASE.replace("b1", "b1 ours")
_THEIRS = _BASE.replace("b7", "b7 theirs")


def _chapters(folder: Path, state: StateFile, told: list[Event]) -> Chapters:
    file = ChapterFile(folder / CHAPTER, backup_dir=folder / "saving")
    return Chapters(lambda chapter: file, Versions(folder / "versions"), state.spans, told.append, quiet=0.0)


# --- save: a chapter with a generation's text in it, twice


def _body(number: int) -> str:
    return _INTRO + known(20).text[: 20 * number]


def _save_before(folder: Path) -> None:
    state = open_state(folder / "state.db", boot_id="b")
    generation, before = begin(state, 20), _body(0).encode()
    state.spans.record(SpanRecord(generation, digest(before), len(_INTRO), len(_INTRO), 0))
    state.generations.mark(generation, State.PAUSED)
    state.close()
    (folder / CHAPTER).write_bytes(before)


def _save(folder: Path, say: Say) -> None:
    state = open_state(folder / "state.db", boot_id="b")
    generation, told = state.generations.all()[0].id, []
    try:
        chapters = _chapters(folder, state, told)

        async def save() -> None:
            for number in (1, 2, 3):
                covered = 20 * number
                span = Span(generation, len(_INTRO), len(_INTRO) + covered, covered)
                if await chapters.save(SaveOrder(CHAPTER, _body(number), number, (span,))):
                    say(f"saved {number}")
            await chapters.rest()

        asyncio.run(save())
    finally:
        state.close()


def _save_judge(folder: Path, said: Said) -> Iterator[str]:
    tidy(folder, [CHAPTER], folder / "saving")
    text = (folder / CHAPTER).read_text()
    number = next((n for n in range(4) if text == _body(n)), -1)
    if number < max(0, most(said, "saved")):
        yield f"the chapter is torn or old: {len(text)} characters, version {most(said, 'saved')} was saved"

    def judge(state: StateFile) -> Iterator[str]:
        generation = state.generations.all()[0].id
        loaded = ChapterFile(folder / CHAPTER).read()
        placed = place(loaded.text, loaded.sha256, state.generations.load(generation).text, state.spans.of(generation))
        if number > 0 and (placed is None or placed.text != _INTRO + known(20).text):
            yield "the place of the text in its chapter is lost"

    yield from opened(folder, judge)


def _in_place() -> None:
    def overwrite(target: Path, data: bytes, guard: Callable[[], object]) -> None:
        guard()
        with target.open("wb") as file:
            file.write(data[:100])
            file.flush()
            file.write(data[100:])

    atomic.replace = overwrite


# --- merge: another program has changed the chapter meanwhile


def _merge_before(folder: Path) -> None:
    open_state(folder / "state.db", boot_id="b").close()
    (folder / CHAPTER).write_text(_THEIRS)


def _merge(folder: Path, say: Say) -> None:
    state = open_state(folder / "state.db", boot_id="b")
    try:
        chapters = _chapters(folder, state, [])
        chapters.opened(CHAPTER, decode(_BASE.encode(), CHAPTER))

        async def save() -> None:
            if await chapters.save(SaveOrder(CHAPTER, _OURS, 1)):
                say("saved 1")

        asyncio.run(save())
    finally:
        state.close()


def _merge_judge(folder: Path, said: Said) -> Iterator[str]:
    tidy(folder, [CHAPTER], folder / "saving")
    text = (folder / CHAPTER).read_text()
    merged = _OURS.replace("b7", "b7 theirs")
    if text not in (_THEIRS, _OURS, merged):
        yield f"the chapter is torn: {text!r}"
    kept = [file.read_text() for file in folder.glob("*.md")]
    kept += [zlib.decompress(file.read_bytes()).decode() for file in (folder / "versions").rglob("*.z")]
    if not any("b7 theirs" in one for one in kept):
        yield "the other program's words are lost"
    if most(said, "saved") == 1 and not any("b1 ours" in one for one in kept):
        yield "the author's saved words are lost"
    yield from opened(folder, lambda state: iter(()))


# --- re-attach: what a kill has left is recovered, and goes on at the next token

_NOVEL, _FIRST = "novel", "chapters/01-chapter-1.md"
_ALL, _LEFT = 30, 14  # tokens in all, and when the kill came
_WHOLE: list[Saved] = []


def _environ(**script: object) -> dict[str, str]:
    return {"WRITER_ENGINE": "scripted", "WRITER_SCRIPT": json.dumps({"batch": [2, 2], **script})}


def _home(folder: Path) -> None:
    os.environ["XDG_STATE_HOME"] = str(folder / "state")


async def _with_desk(folder: Path, show: Callable[[Event], None], environ: dict[str, str], work: str) -> list[Saved]:
    """All generations afterwards, the oldest first."""
    front = Headless(show, autosave=60.0)
    desk = open_desk(folder / _NOVEL, environ, front, patience=2)
    try:
        offers = (await desk.open()).offers
        sampling = replace(desk.sampling(), seed=5, max_tokens=_ALL, ignore_eos=True)
        desk.sampling = lambda: sampling  # type: ignore[method-assign]
        if work == "draft":
            await front.draft(desk, _FIRST, "", sampling)
        elif work == "resume" and offers:
            await front.resume(desk, offers[0])
        store = desk._means.state.generations
        return [store.load(found.id) for found in store.all()]
    finally:
        await desk.close()


def _reattach_before(folder: Path) -> None:
    _home(folder)
    create(folder / _NOVEL, title="Whole")
    bare = shutil.copytree(folder, folder.with_name(folder.name + "-whole"))
    _home(bare)
    _WHOLE[:] = asyncio.run(_with_desk(bare, lambda event: None, _environ(), "draft"))
    shutil.rmtree(bare)
    _home(folder)
    chapter = folder / _NOVEL / _FIRST
    before = chapter.read_bytes()
    asyncio.run(_with_desk(folder, lambda event: None, _environ(die_at=_LEFT), "draft"))
    chapter.write_bytes(before)  # the file had not been saved since
    path = next((folder / "state").rglob("state.db"))
    state = open_state(path, boot_id="b")
    state.generations.mark(state.generations.all()[0].id, State.RUNNING)
    left = {file.name: file.read_bytes() for file in path.parent.glob("state.db*")}
    state.close()
    for name, data in left.items():
        (path.parent / name).write_bytes(data)


def _reattach(folder: Path, say: Say) -> None:
    _home(folder)
    runner._RETRIES = (0.0,)

    def show(event: Event) -> None:
        if isinstance(event, BatchCommitted):
            say(f"shown {event.tokens}")

    asyncio.run(_with_desk(folder, show, _environ(), "resume"))


def _reattach_judge(folder: Path, said: Said) -> Iterator[str]:
    _home(folder)
    saved, *others = asyncio.run(_with_desk(folder, lambda event: None, _environ(), "look"))
    newest = others[-1] if others else saved  # where the chapter could not be read, the author wrote on anew
    if saved.token_ids != _WHOLE[0].token_ids[: len(saved.token_ids)] or len(saved.token_ids) < _LEFT:
        yield "tokens lost, doubled or in disorder"
    if len(newest.token_ids) < most(said, "shown"):
        yield f"shown tokens lost: {most(said, 'shown')} were shown, {len(newest.token_ids)} are there"
    files = {file.name: file.read_text() for file in (folder / _NOVEL / _FIRST).parent.glob("[!.]*")}
    for text in {saved.text, newest.text}:
        if sum(content.count(text) for content in files.values()) != 1:
            yield f"the text is not once in the chapter: {text[:40]!r}"
    if not others and len(files) > 1:
        yield f"the text was kept beside the chapter: {list(files)}"


CHAPTER_SCENES = (
    Scene("save", _save_before, _save, _save_judge, _in_place, "saved in place"),
    Scene("merge", _merge_before, _merge, _merge_judge),
    Scene("re-attach", _reattach_before, _reattach, _reattach_judge),
)
