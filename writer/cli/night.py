"""`writer draft --all` and `writer resume --all`: many chapters in one run, several at once."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from writer.cli.codes import in_words
from writer.cli.opened import with_desk
from writer.cli.output import JsonEvents, emit, json_outcome, tell
from writer.errors import WriterError
from writer.generation.model import Sampling
from writer.language import say
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

    return asyncio.run(_run(night, jobs, say("Every chapter has text already; nothing was written.")))


def resume_all(night: Night) -> int:
    """All that was paused or interrupted, also beside the chapters; the exit code."""

    async def jobs(desk: Desk, opened: DeskOpened) -> list[Job]:
        return [Job(o.chapter, o) for o in (*opened.offers, *opened.asides) if not o.truncated]

    return asyncio.run(_run(night, jobs, say("Nothing was interrupted here.")))


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
        emit(_counted(done)) if night.as_json else tell(nothing)
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
    parts = [f"{counted[kind]} {in_words(kind)}" for kind in ("finished", "paused", "failed") if counted[kind]]
    if counted["paused"]:
        tell(
            say(
                "{parts}; all of it is saved. Go on with: writer resume --all {folder}",
                parts=say(", ").join(parts),
                folder=night.folder,
            ),
            error=True,
        )
        return PAUSED
    if counted["failed"] == len(done) == 1:
        raise WriterError(done[0].outcome.sentence)
    if counted["failed"]:
        raise WriterError(
            say(
                "{parts}; the rest is saved. Go on with: writer draft --all {folder}.",
                parts=say(", ").join(parts),
                folder=night.folder,
            )
        )
    if not night.as_json:
        tell(say("{parts}.", parts=say(", ").join(parts) or say("nothing to do")), error=True)
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
            more = say(", {begun} of them go on", begun=begun) if begun else ""
            tell(say("{jobs} texts to write{more}.", jobs=len(jobs), more=more), error=True)

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
        say_it = self._bars.tell if self._bars is not None else lambda line: tell(line, error=True)
        what = {
            "finished": say("{tokens:,} tokens", tokens=outcome.tokens),
            "paused": say("paused after {tokens:,} tokens", tokens=outcome.tokens),
        }
        told = what.get(done.kind, outcome.sentence)
        say_it(say("{title}: {told}", title=self._title(chapter), told=told))

    def close(self) -> None:
        """Nothing more comes."""
        if self._bars is not None:
            self._bars.close()

    def _title(self, chapter: str) -> str:
        return title_of(self._folder / chapter)

    def _plain(self, event: Event) -> None:
        if isinstance(event, EngineProgressed):
            self._once(say("Engine: {sentence}", sentence=event.status.sentence))
        elif isinstance(event, GenerationStarted):
            what = (
                say("goes on after {resumed_from:,} tokens", resumed_from=event.resumed_from)
                if event.resumed_from
                else say("begun")
            )
            tell(say("{title}: {told}", title=self._title(event.chapter), told=what), error=True)
        elif isinstance(event, GenerationInterrupted | CommitDelayed | Noted):
            self._once(event.sentence)

    def _once(self, line: str) -> None:
        if line != self._said:
            self._said = line
            tell(line, error=True)
