"""`writer draft --all` and `writer resume --all`: many chapters in one run, several at once."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from writer.cli.opened import with_desk
from writer.cli.output import JsonEvents, emit, json_outcome, say
from writer.errors import WriterError
from writer.generation.model import Sampling
from writer.manuscript.model import Manuscript
from writer.manuscript.names import title_of
from writer.manuscript.project import open_manuscript
from writer.runtime.desk import Desk
from writer.runtime.events import (
    CommitDelayed,
    DeskOpened,
    EngineProgressed,
    Event,
    GenerationInterrupted,
    GenerationStarted,
    Noted,
)
from writer.runtime.headless import Headless
from writer.runtime.night import Done, Job, jobs_for, outlined, write_all

PAUSED = 130


@dataclass(frozen=True, slots=True)
class Night:
    """What was asked for."""

    folder: Path
    as_json: bool
    parallel: int | None = None
    instruction: str = ""
    chosen: dict[str, Any] | None = None  # of the sampling
    total: int | None = None  # most tokens of each text


def draft_all(night: Night) -> int:
    """Every chapter that was interrupted or is empty, those that only the outline has too; the exit code."""

    async def jobs(desk: Desk, opened: DeskOpened) -> list[Job]:
        return jobs_for(await outlined(desk, open_manuscript(night.folder)), opened.offers)

    return asyncio.run(_run(night, jobs, "Every chapter has text already; nothing was written."))


def resume_all(night: Night) -> int:
    """All that was paused or interrupted, also beside the chapters; the exit code."""

    async def jobs(desk: Desk, opened: DeskOpened) -> list[Job]:
        return [Job(o.chapter, o) for o in (*opened.offers, *opened.asides) if not o.truncated]

    return asyncio.run(_run(night, jobs, "Nothing was interrupted here."))


async def _run(night: Night, jobs: Callable[[Desk, DeskOpened], Awaitable[list[Job]]], nothing: str) -> int:
    manuscript = open_manuscript(night.folder)
    lines = _Lines(manuscript, night)

    async def work(desk: Desk, front: Headless, opened: DeskOpened) -> list[Done]:
        found = await jobs(desk, opened)
        if not found:
            return []
        lines.begin(found)
        return await write_all(
            front,
            desk,
            found,
            at_once=night.parallel or await desk.at_once(),
            instruction=night.instruction,
            sampling=lambda chapter: _sampling(desk, night, chapter),
            ended=lines.ended,
        )

    try:
        done = await with_desk(night.folder, lines, work)
    finally:
        lines.close()
    if not done:
        emit(_counted(done)) if night.as_json else say(nothing)
        return 0
    return _told(night, done)


def _sampling(desk: Desk, night: Night, chapter: str) -> Sampling:
    return replace(desk.sampling(chapter), **(night.chosen or {}))


def _counted(done: list[Done]) -> dict[str, Any]:
    kinds = Counter(each.kind for each in done)
    return {"event": "done", **{kind: kinds[kind] for kind in ("finished", "paused", "failed", "left")}}


def _told(night: Night, done: list[Done]) -> int:
    counted = _counted(done)
    if night.as_json:
        emit(counted)
    parts = [f"{counted[kind]} {kind}" for kind in ("finished", "paused", "failed") if counted[kind]]
    if counted["paused"]:
        say(f"{', '.join(parts)}; all of it is saved. Go on with: writer resume --all {night.folder}", error=True)
        return PAUSED
    if counted["failed"] == len(done) == 1:
        raise WriterError(done[0].outcome.sentence)
    if counted["failed"]:
        raise WriterError(f"{', '.join(parts)}; the rest is saved. Go on with: writer draft --all {night.folder}.")
    if not night.as_json:
        say(f"{', '.join(parts) or 'nothing to do'}.", error=True)
    return 0


class _Lines:
    """What is shown of a run: JSON lines, a bar for each text on a terminal, or else a line for what happens."""

    def __init__(self, manuscript: Manuscript, night: Night) -> None:
        self._folder = manuscript.folder
        self._json = JsonEvents() if night.as_json else None
        self._bars = None
        self._said = ""
        self._one = False
        if not night.as_json and sys.stderr.isatty():
            from writer.cli.progress import Bars

            self._bars = Bars(night.total, self._title)

    def begin(self, jobs: list[Job]) -> None:
        """What is going to be done."""
        self._one = len(jobs) == 1
        if self._json is None and not self._one:
            begun = sum(job.offer is not None for job in jobs)
            more = f", {begun} of them go on" if begun else ""
            say(f"{len(jobs)} texts to write{more}.", error=True)

    def __call__(self, event: Event) -> None:
        if self._json is not None:
            self._json(event)
        elif self._bars is not None:
            self._bars(event)
        else:
            self._plain(event)

    def ended(self, done: Done) -> None:
        """One text has ended."""
        outcome, chapter = done.outcome, done.job.chapter
        if self._json is not None:
            if done.kind != "left":
                json_outcome(outcome, chapter=chapter)
            return
        if self._one and done.kind == "failed":
            return  # its sentence is the last line
        say_it = self._bars.say if self._bars is not None else lambda line: say(line, error=True)
        what = {"finished": f"{outcome.tokens:,} tokens", "paused": f"paused after {outcome.tokens:,} tokens"}
        say_it(f"{self._title(chapter)}: {what.get(done.kind, outcome.sentence)}")

    def close(self) -> None:
        """Nothing more comes."""
        if self._bars is not None:
            self._bars.close()

    def _title(self, chapter: str) -> str:
        return title_of(self._folder / chapter)

    def _plain(self, event: Event) -> None:
        if isinstance(event, EngineProgressed):
            self._once(f"Engine: {event.status.sentence}")
        elif isinstance(event, GenerationStarted):
            what = f"goes on after {event.resumed_from:,} tokens" if event.resumed_from else "begun"
            say(f"{self._title(event.chapter)}: {what}", error=True)
        elif isinstance(event, GenerationInterrupted | CommitDelayed | Noted):
            self._once(event.sentence)

    def _once(self, line: str) -> None:
        if line != self._said:
            self._said = line
            say(line, error=True)
