"""Summaries of chapters by the model: written beside the chapter like takes, then kept as a note that the author edits.

Durable like every text: one that was interrupted goes on at its next token. A summary that is there already is the
author's, and is replaced only if he says so; what it said before is kept as a version.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from writer.errors import ManuscriptError, WriterError
from writer.generation.rewriting_answer import cleaned
from writer.generation.summarising import summary_prompt, summary_sampling
from writer.language import say
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.model import Chapter, ChapterText, Manuscript
from writer.manuscript.summaries import FEWEST, Standing, Summary, standing, summary_path, write_summary
from writer.manuscript.versions import Versions
from writer.runtime.drafting import Outcome
from writer.runtime.orders import AsideOrder
from writer.runtime.summary_events import SummaryStopped, SummaryWritten
from writer.runtime.takes import Take, digest
from writer.text.count import words

if TYPE_CHECKING:
    from writer.runtime.desk import Desk

SUMMARY = "summary"  # the role of its generation


@dataclass(frozen=True, slots=True)
class Summarised:
    """How a summary ended. Without a text, `outcome` tells why."""

    chapter: str
    outcome: Outcome
    path: str = ""
    text: str = field(default="", repr=False)


class Summarising:
    """Writes summaries at an open desk."""

    def __init__(self, desk: Desk, manuscript: Manuscript, versions: Versions, *, window: int) -> None:
        """`window`: tokens that the model holds, as the settings have it."""
        self._desk = desk
        self._manuscript = manuscript
        self._versions = versions
        self._window = window

    def wanting(self) -> list[Chapter]:
        """Chapters with text that have no summary."""
        return self._with(Standing.NONE)

    def outdated(self) -> list[Chapter]:
        """Chapters whose summary is of another text than they have now."""
        return self._with(Standing.OLD)

    def _with(self, wanted: Standing) -> list[Chapter]:
        folder = self._manuscript.folder
        return [each for each in self._manuscript.chapters if standing(folder, each.path) is wanted]

    async def write(self, chapter: Chapter) -> Summarised:
        """The summary of this chapter, written and kept. Raises ManuscriptError and the errors of a desk."""
        loaded = await self._read(chapter)
        if words(loaded.text) < FEWEST:
            raise ManuscriptError(
                say('"{title}" has too little text for a summary. Write on, then try again.', title=chapter.title)
            )
        outcome = await self._written(chapter, loaded)
        take = next((each for each in self._desk.takes(chapter.path) if each.generation == outcome.generation), None)
        if not outcome.ended or take is None:
            return Summarised(chapter.path, outcome)
        text = cleaned(take.text, cut_short=take.reason == "length").strip()
        if not text:
            raise ManuscriptError(
                say('The model wrote no summary of "{title}". Try again, or another model.', title=chapter.title)
            )
        await asyncio.to_thread(self._keep, Summary(chapter.path, text, loaded.sha256))
        self._desk.choose(take.generation)
        return Summarised(chapter.path, outcome, summary_path(chapter.path), text)

    async def _read(self, chapter: Chapter) -> ChapterText:
        """The chapter as it is on the disk once all saves are done that were ordered before."""
        await asyncio.sleep(0)  # so that they stand in front
        async with self._desk.chapters.still():
            root = self._manuscript.folder
            return await asyncio.to_thread(ChapterFile(root / chapter.path, root=root).read)

    async def _written(self, chapter: Chapter, loaded: ChapterText) -> Outcome:
        if begun := self._interrupted(chapter, loaded.text):
            return await self._desk.go_on(begun.generation)
        prompt = summary_prompt(
            self._manuscript.title, chapter.title, self._manuscript.language, loaded.text, self._window
        )
        order = AsideOrder(
            tag=f"{SUMMARY} {chapter.path}",
            chapter=chapter.path,
            text=loaded.text,
            start=0,
            end=len(loaded.text),
            role=SUMMARY,
            prompt=prompt,
            sampling=summary_sampling(self._desk.sampling(chapter.path)),
        )
        return (await self._desk.aside(order))[0]

    def _interrupted(self, chapter: Chapter, text: str) -> Take | None:
        """One of the same text that can go on."""
        takes = [each for each in self._desk.takes(chapter.path) if each.role == SUMMARY and each.state.resumable]
        return next((each for each in takes if each.of == digest(text) and each.reason != "length"), None)

    def _keep(self, summary: Summary) -> None:
        path = summary_path(summary.chapter)
        file = self._manuscript.folder / path
        if file.is_file() and not file.is_symlink():
            self._versions.keep(path, file.read_bytes())
        write_summary(self._manuscript.folder, summary)


async def told(
    desk: Desk, chapter: Chapter, manuscript: Manuscript, versions: Versions
) -> SummaryWritten | SummaryStopped:
    """The summary of a chapter for a front end that hears of it: how it ended."""
    try:
        done = await Summarising(desk, manuscript, versions, window=await desk.window()).write(chapter)
    except WriterError as error:
        return SummaryStopped(chapter.path, error.sentence)
    if done.text:
        return SummaryWritten(chapter.path, done.path)
    return SummaryStopped(chapter.path, "" if done.outcome.paused else done.outcome.sentence)
