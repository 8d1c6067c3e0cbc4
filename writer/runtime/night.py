"""Many chapters in one run, several at once: what was interrupted first, then what is empty. What is done stays.

Each chapter is a durable generation of its own, so a run that was killed goes on where each of them stood.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from writer.errors import ManuscriptError, WriterError
from writer.generation.model import Sampling, State
from writer.language import say
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.model import Manuscript
from writer.manuscript.outline import OutlineEntry, entry_for, read_outline
from writer.manuscript.outline_plans import added_from_outline, standing
from writer.runtime.desk import Desk
from writer.runtime.drafting import Outcome
from writer.runtime.events import Offer
from writer.runtime.headless import Headless
from writer.runtime.orders import ArrangeOrder

_LEFT = Outcome(None, 0, say("It has text already."))


@dataclass(frozen=True, slots=True)
class Job:
    """One text to be written. With an `offer` it goes on; else the chapter's draft is begun, if it is empty."""

    chapter: str
    offer: Offer | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a job."""

    job: Job
    outcome: Outcome

    @property
    def kind(self) -> str:
        """ "finished", "paused", "failed", or "left" where there was nothing to do."""
        if self.outcome.paused:
            return "paused"
        if self.outcome.ended:
            return "finished"
        return "left" if self.outcome is _LEFT else "failed"


def is_empty(text: str) -> bool:
    """Whether a chapter has nothing but headings."""
    return not any(line.strip() and not line.startswith("#") for line in text.splitlines())


def jobs_for(manuscript: Manuscript, offers: Iterable[Offer]) -> list[Job]:
    """What is to be done in a manuscript: chapters whose text was interrupted, then empty ones, in reading order.

    If there is an outline, only the empty ones that stand in it. A text that has reached its length is done. Call once
    the desk is open: the files hold all of their text then.
    """
    entries = read_outline(manuscript.folder)
    offered = {offer.chapter: offer for offer in offers if not offer.truncated}
    begun = [Job(chapter.path, offered[chapter.path]) for chapter in manuscript.chapters if chapter.path in offered]
    empty = [
        Job(chapter.path)
        for chapter in manuscript.chapters
        if chapter.path not in offered
        and (not entries or entry_for(entries, chapter.title))
        and _file_is_empty(manuscript.folder, chapter.path)
    ]
    return begun + empty


async def outlined(desk: Desk, manuscript: Manuscript) -> Manuscript:
    """The manuscript with a chapter for each entry of its outline; those that were missing are made in their places.

    Raises ManuscriptError if a heading of the outline cannot be found again as a chapter's.
    """
    entries = read_outline(manuscript.folder)
    for at in missing(manuscript, entries):
        before = {chapter.path for chapter in manuscript.chapters}
        order = ArrangeOrder("", partial(added_from_outline, at=at))
        manuscript = (await desk.arranging.carry_out(order)).manuscript
        made = next(chapter for chapter in manuscript.chapters if chapter.path not in before)
        if entry_for(entries, made.title) is None:  # each run would make one more
            raise ManuscriptError(
                say('"{title}" in outline.md is no title for a chapter. Make it short and plain.', title=made.title)
            )
    return manuscript


def missing(manuscript: Manuscript, entries: Sequence[OutlineEntry]) -> list[int]:
    """Numbers, from 0, of the entries of the outline that are no chapter yet."""
    return [at for at, chapter in enumerate(standing(entries, manuscript.chapters)) if chapter is None]


async def write_all(
    front: Headless,
    desk: Desk,
    jobs: Sequence[Job],
    *,
    at_once: int,
    instruction: str = "",
    sampling: Callable[[str], Sampling] | None = None,
    ended: Callable[[Done], None] = lambda done: None,
) -> list[Done]:
    """Does all of them, `at_once` at a time. One that fails does not stop the others; `front.stop` stops all."""
    room = asyncio.Semaphore(at_once)

    async def do(job: Job) -> Done:
        async with room:
            outcome = await _outcome(front, desk, job, instruction, sampling or desk.sampling)
        done = Done(job, outcome)
        ended(done)
        return done

    return list(await asyncio.gather(*(do(job) for job in jobs)))


async def _outcome(
    front: Headless, desk: Desk, job: Job, instruction: str, sampling: Callable[[str], Sampling]
) -> Outcome:
    if front.stopping:
        return Outcome(None, 0, "paused", paused=True)
    try:
        if job.offer is not None:
            return await front.resume(desk, job.offer)
        if not is_empty((await desk.chapters.read(job.chapter)).text):
            return _LEFT
        return await front.draft(desk, job.chapter, instruction, sampling(job.chapter))
    except WriterError as error:
        return Outcome(State.FAILED, 0, error.sentence)


def _file_is_empty(folder: Path, chapter: str) -> bool:
    try:
        return is_empty(ChapterFile(folder / chapter).read().text)
    except ManuscriptError:
        return True  # it is a job that fails, and that is told
