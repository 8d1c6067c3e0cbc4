"""Many chapters in one run, killed again and again: each is complete in the end, and none was written twice."""

from __future__ import annotations

import asyncio
import json
import os
import random
import select
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from desk_fixture import bench

from writer.bootstrap import open_desk
from writer.engine.base import Request
from writer.engine.scripted import Script, ScriptedEngine, prefix_cache
from writer.generation.model import Sampling, State
from writer.manuscript.chapter_facts import read_facts
from writer.manuscript.outline import read_outline
from writer.manuscript.project import add_chapter, create, open_manuscript
from writer.runtime import night
from writer.runtime.events import BatchCommitted, GenerationFailed, GenerationStarted
from writer.runtime.headless import Headless
from writer.runtime.night import Job, is_empty, jobs_for, missing, outlined, write_all

TITLES = [f"Day {number}" for number in range(1, 9)]
SAMPLING = Sampling(seed=11, max_tokens=150, ignore_eos=True)
SCRIPT = {"batch": [1, 4], "first_delay": 0.02}
ENVIRON = {"WRITER_ENGINE": "scripted", "WRITER_SCRIPT": json.dumps(SCRIPT)}
Plant = Callable[[], None]


def book(folder: Path) -> Path:
    """A manuscript whose outline has eight chapters; one of them is there already, and empty."""
    create(folder, title="Salt")
    (folder / "chapters/01-chapter-1.md").write_text("# Day 1\n\n")
    (folder / "outline.md").write_text("".join(f"# {title}\n\nSomething happens.\n\n" for title in TITLES))
    return folder


async def whole_run(folder: Path, tell: Callable[[object], None] = lambda event: None) -> None:
    """What `writer draft --all` does."""
    front = Headless(tell, autosave=0.01)
    desk = open_desk(folder, ENVIRON, front)
    opened = await desk.open()
    jobs = night.jobs_for(await night.outlined(desk, open_manuscript(folder)), opened.offers)
    await write_all(front, desk, jobs, at_once=4, sampling=lambda _: replace(SAMPLING))
    await desk.close()


# --- killed ----------------------------------------------------------------------------------------------------


def killed(folder: Path, batches: int, delay: float, plant: Plant | None) -> int:
    """Runs a child until it has told so many batches and a moment more, and kills it; how many were told."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _child(folder, writer, plant)
    os.close(writer)
    told = b""
    while told.count(b".") < batches and (more := _read(reader)):
        told += more
    end = time.perf_counter() + delay
    while time.perf_counter() < end:  # a moment inside a commit or a save, which no condition can name
        pass
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(reader)
    return told.count(b".")


def _read(fd: int) -> bytes:
    ready, _, _ = select.select([fd], [], [], 60)
    assert ready, "the writing child fell silent"
    return os.read(fd, 65536)


def _child(folder: Path, out: int, plant: Plant | None) -> None:
    def tell(event: object) -> None:
        if isinstance(event, BatchCommitted):
            os.write(out, b".")

    try:
        if plant is not None:
            plant()
        asyncio.run(whole_run(folder, tell))
    finally:
        os._exit(0)


def to_the_end(folder: Path, plant: Plant | None) -> None:
    pid = os.fork()
    if pid == 0:
        _child(folder, os.open(os.devnull, os.O_WRONLY), plant)
    os.waitpid(pid, 0)


@dataclass
class Found:
    """What is left of a run, and what is wrong with it."""

    wrong: list[str] = field(default_factory=list)


async def looked_at(folder: Path) -> Found:
    """Eight chapters, each with one text of full length, which is the text that its prompt gives without a stop."""
    desk, found = open_desk(folder, ENVIRON, lambda event: None), Found()
    await desk.open()
    store = desk._means.state.generations
    chapters = open_manuscript(folder).chapters
    if [chapter.title for chapter in chapters] != TITLES:
        found.wrong.append(f"chapters: {[chapter.title for chapter in chapters]}")
    for chapter in chapters:
        made = [store.generation(g.id) for g in store.all() if g.chapter == chapter.path]
        if len(made) != 1:
            found.wrong.append(f"{chapter.title} was begun {len(made)} times")
        for generation in made:
            saved, (ids, text) = store.load(generation.id), await uninterrupted(generation.prompt_ids)
            if (saved.token_ids, saved.text) != (ids, text):
                found.wrong.append(f"{chapter.title} is not what it would have been without a stop")
            if (folder / chapter.path).read_text() != f"# {chapter.title}\n\n{text}":
                found.wrong.append(f"the file of {chapter.title} does not hold its text, once")
    await desk.close()
    return found


async def uninterrupted(prompt_ids: tuple[int, ...]) -> tuple[tuple[int, ...], str]:
    engine, ids, text = ScriptedEngine(Script(batch=(1, 4)), prefix_cache(Script())), [], ""
    async for delta in engine.stream(Request(prompt_ids, SAMPLING, SAMPLING.max_tokens)):
        ids += delta.token_ids
        text += delta.text
    return tuple(ids), text


def killed_five_times(folder: Path, seed: str, plant: Plant | None = None) -> Found:
    rnd = random.Random(seed)
    book(folder)
    for _ in range(5):
        killed(folder, rnd.randrange(1, 110), rnd.random() * 0.004, plant)
    to_the_end(folder, plant)
    return asyncio.run(looked_at(folder))


@pytest.mark.parametrize("number", range(int(os.environ.get("WRITER_NIGHTS", "3"))))
def test_eight_chapters_are_complete_after_five_kills_and_none_is_written_twice(number: int, tmp_path: Path) -> None:
    """More of them: WRITER_NIGHTS=50. The seed is the number."""
    assert killed_five_times(tmp_path / "book", f"night {number}").wrong == []


def _begun_anew() -> None:
    """What was interrupted is not gone on with: its chapter has text, or is begun once more."""
    night.jobs_for = lambda manuscript, offers: jobs_for(manuscript, ())  # type: ignore[assignment]


def _always_empty() -> None:
    """A chapter that has text is taken for an empty one."""
    night.is_empty = lambda text: True  # type: ignore[assignment]


def _made_again() -> None:
    """Each run makes all chapters of the outline."""
    night.missing = lambda manuscript, entries: list(range(len(entries)))  # type: ignore[assignment]


@pytest.mark.parametrize("plant", [_begun_anew, _always_empty, _made_again], ids=lambda plant: plant.__name__)
def test_the_test_would_see_a_mistake(plant: Plant, tmp_path: Path) -> None:
    found = (killed_five_times(tmp_path / str(number), f"night {number}", plant) for number in range(5))
    assert any(each.wrong for each in found)


# --- in one process ----------------------------------------------------------------------------------------------


async def test_a_run_without_a_stop_writes_every_chapter_of_the_outline(tmp_path: Path) -> None:
    folder = book(tmp_path / "book")
    await whole_run(folder)
    assert (await looked_at(folder)).wrong == []
    before = {path: path.read_bytes() for path in folder.glob("chapters/*")}
    await whole_run(folder)  # what is done is never written again
    assert {path: path.read_bytes() for path in folder.glob("chapters/*")} == before


async def test_several_are_written_at_once_and_not_more(tmp_path: Path) -> None:
    folder = book(tmp_path / "book")
    async with bench(folder, **SCRIPT) as b:
        front = Headless(lambda event: None, autosave=10)
        jobs = jobs_for(await outlined(b.desk, open_manuscript(folder)), ())
        running, most = set[str](), 0

        def note(event: object) -> None:
            nonlocal most
            if isinstance(event, GenerationStarted):
                running.add(event.generation)
                most = max(most, len(running))

        b.desk._drafting._notify = note
        done = await write_all(
            front,
            b.desk,
            jobs,
            at_once=3,
            sampling=lambda _: SAMPLING,
            ended=lambda d: running.discard(d.outcome.generation),
        )
    assert most == 3
    assert [each.kind for each in done] == ["finished"] * 8


async def test_a_chapter_that_fails_does_not_stop_the_others(tmp_path: Path) -> None:
    folder = book(tmp_path / "book")
    async with bench(folder, window=6000, **SCRIPT) as b:
        made = await outlined(b.desk, open_manuscript(folder))
        (folder / made.chapters[2].path).write_bytes(b"\xff\xfe\xff")
        (folder / made.chapters[4].path).write_text("# Day 5\n" * 4000)  # longer than the window
        front = Headless(lambda event: None, autosave=10)
        jobs = jobs_for(made, b.opened.offers)
        kinds = [d.kind for d in await write_all(front, b.desk, jobs, at_once=2, sampling=lambda _: SAMPLING)]
        assert kinds.count("finished") >= 6
        assert kinds[2] == "failed"


async def test_a_stop_pauses_all_and_begins_nothing_more(tmp_path: Path) -> None:
    folder = book(tmp_path / "book")
    async with bench(folder, **SCRIPT) as b:
        front = Headless(lambda event: None, autosave=10)
        jobs = jobs_for(await outlined(b.desk, open_manuscript(folder)), ())
        running = asyncio.ensure_future(
            write_all(front, b.desk, jobs, at_once=2, sampling=lambda _: replace(SAMPLING, max_tokens=3000))
        )
        while len({event.generation for event in b.of(BatchCommitted)}) < 2:
            await asyncio.sleep(0)
        front.stop()
        done = await running
        assert [each.kind for each in done] == ["paused"] * 8
        stored = b.desk._means.state.generations.all()
        assert {g.state for g in stored} == {State.PAUSED}
        assert len(stored) == 2
        assert not b.of(GenerationFailed)


def test_what_is_empty() -> None:
    assert is_empty("")
    assert is_empty("# Title\n\n \n## More\n")
    assert not is_empty("# Title\n\nA word.")


async def test_jobs_are_what_was_interrupted_and_what_is_empty(tmp_path: Path) -> None:
    folder = book(tmp_path / "book")
    async with bench(folder) as b:
        made = await outlined(b.desk, open_manuscript(folder))
    (folder / made.chapters[1].path).write_text("# Day 2\n\nWritten.\n")
    add_chapter(made, "Not in the outline")
    assert [job.chapter for job in jobs_for(open_manuscript(folder), ())] == [
        made.chapters[number].path for number in (0, 2, 3, 4, 5, 6, 7)
    ]
    assert jobs_for(open_manuscript(folder), ())[0] == Job(made.chapters[0].path)


async def test_two_chapters_of_one_title_are_made_once_each(tmp_path: Path) -> None:
    folder = tmp_path / "book"
    create(folder, title="Salt")
    (folder / "outline.md").write_text("# Interlude\n\none\n\n# Storm\n\n# Interlude\n\ntwo\n")
    async with bench(folder) as b:
        made = await outlined(b.desk, open_manuscript(folder))
        assert [chapter.title for chapter in made.chapters] == ["Chapter 1", "Interlude", "Storm", "Interlude"]
        assert await outlined(b.desk, open_manuscript(folder)) == made
    assert missing(made, read_outline(folder)) == []


async def test_chapters_of_the_outline_are_made_where_it_has_them(tmp_path: Path) -> None:
    folder = tmp_path / "book"
    for title in ("Two", "Four", "Not in the outline"):
        add_chapter(open_manuscript(folder) if folder.exists() else create(folder, title="Salt"), title)
    (folder / "chapters/01-chapter-1.md").write_text("# Preface\n\nSo be it.\n")
    (folder / "outline.md").write_text("# Part\n\n## One\n\n## Two\n\n## Three\n\n## Four\n\n## Five\n")
    async with bench(folder) as b:
        made = await outlined(b.desk, open_manuscript(folder))
    titles = ["Preface", "One", "Two", "Three", "Four", "Five", "Not in the outline"]
    assert [chapter.title for chapter in made.chapters] == titles
    assert (read_facts(folder))[made.chapters[3].path].part == "Part"
