"""Writing without a screen, while others change the chapter or want to write in it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

from desk_fixture import CHAPTER
from test_desk import SAMPLING

from writer import locations
from writer.bootstrap import open_desk
from writer.manuscript.lock import take_over
from writer.manuscript.project import create, open_manuscript
from writer.runtime.desk import Desk
from writer.runtime.drafting import Outcome
from writer.runtime.events import BatchCommitted, ChapterMerged, Event
from writer.runtime.headless import Headless
from writer.runtime.orders import AsideOrder

INTRO = "The lamp was out.\n\nAda climbed the stairs."


async def draft(folder: Path, events: list[Event], meanwhile: asyncio.Event, **sampling: int) -> tuple[Desk, Outcome]:
    """A slow draft; `meanwhile` is set once something of it is there."""
    create(folder, title="Salt")
    (folder / CHAPTER).write_text(INTRO)

    def show(event: Event) -> None:
        events.append(event)
        if sum(isinstance(e, BatchCommitted) for e in events) > 3:
            meanwhile.set()

    front = Headless(show, autosave=0.05)
    environ = {"WRITER_ENGINE": "scripted", "WRITER_SCRIPT": json.dumps({"tokens_per_second": 150})}
    desk = open_desk(folder, environ, front)
    await desk.open()
    return desk, await front.draft(desk, CHAPTER, "", replace(SAMPLING, **sampling))  # type: ignore[arg-type]


async def test_another_programs_change_and_the_drafted_text_are_both_there(tmp_path: Path) -> None:
    events: list[Event] = []
    meanwhile = asyncio.Event()
    task = asyncio.ensure_future(draft(tmp_path, events, meanwhile, max_tokens=120))
    await meanwhile.wait()
    file = tmp_path / CHAPTER
    file.write_text(file.read_text().replace("The lamp was out.", "The lamp had gone out."))
    desk, outcome = await task
    await desk.close()
    text = "".join(e.text for e in events if isinstance(e, BatchCommitted))
    assert outcome.ended
    assert file.read_text() == INTRO.replace("was out", "had gone out") + text
    assert [e for e in events if isinstance(e, ChapterMerged)]
    assert not list(file.parent.glob("*(conflict*"))


async def test_a_window_that_wants_to_write_gets_the_manuscript_with_all_of_the_text(tmp_path: Path) -> None:
    events: list[Event] = []
    meanwhile = asyncio.Event()
    task = asyncio.ensure_future(draft(tmp_path, events, meanwhile, max_tokens=50_000))
    await meanwhile.wait()
    state_dir = locations.state_dir(open_manuscript(tmp_path).id)
    asking = asyncio.ensure_future(asyncio.to_thread(take_over, state_dir, 20))
    desk, outcome = await task
    assert outcome.paused
    await desk.close()
    await asking
    text = "".join(e.text for e in events if isinstance(e, BatchCommitted))
    assert (tmp_path / CHAPTER).read_text() == INTRO + text


async def test_takes_beside_a_chapter_are_no_part_of_what_is_drafted_into_it(tmp_path: Path) -> None:
    create(tmp_path, title="Salt")
    (tmp_path / CHAPTER).write_text(INTRO)
    events: list[Event] = []
    front = Headless(events.append, autosave=0.01)
    environ = {"WRITER_ENGINE": "scripted", "WRITER_SCRIPT": json.dumps({"first_delay": 0.1})}
    desk = open_desk(tmp_path, environ, front)
    await desk.open()
    order = AsideOrder("t", CHAPTER, INTRO, len(INTRO), len(INTRO), "take", count=2, sampling=SAMPLING)
    outcome, takes = await asyncio.gather(front.draft(desk, CHAPTER, "", SAMPLING), front.takes(desk, order))
    await desk.close()
    told = [e.text for e in events if isinstance(e, BatchCommitted) and e.generation == outcome.generation]
    assert len(takes) == 2
    assert (tmp_path / CHAPTER).read_text() == INTRO + "".join(told)
