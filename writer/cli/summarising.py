"""`writer summarise`: what happens in a chapter, by the model, as a note that you can edit."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import click

from writer import locations
from writer.bootstrap import settings_for
from writer.cli.opened import with_desk
from writer.cli.output import QuietEvents, emit, tell
from writer.engine.fitting import USUAL_WINDOW
from writer.errors import ManuscriptError, WriterError
from writer.language import say
from writer.manuscript.model import Chapter, Manuscript
from writer.manuscript.project import open_manuscript
from writer.manuscript.summaries import FEWEST, read_summary
from writer.manuscript.versions import Versions
from writer.runtime.desk import Desk
from writer.runtime.events import DeskOpened
from writer.runtime.headless import Headless
from writer.runtime.summarising import Summarised, Summarising
from writer.text.sanitise import visible

_PAUSED = 130


@click.command(help=say("Let the model sum up chapters, for the prompts of later ones."))
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--chapter", "number", type=int, default=None, help=say("Number of the chapter; all without one if not given.")
)
@click.option(
    "--again", is_flag=True, help=say("Also where one is there or out of date; what it said is kept as a version.")
)
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object per summary."))
def summarise(folder: Path, number: int | None, again: bool, as_json: bool) -> None:
    manuscript = open_manuscript(folder)
    chapter = _chosen(manuscript, number)
    if chapter and not again and read_summary(manuscript.folder, chapter.path):
        raise ManuscriptError(
            say('There is a summary of "{title}" already. Replace it with --again, or edit it.', title=chapter.title)
        )
    raise SystemExit(asyncio.run(_run(manuscript, chapter, again=again, as_json=as_json)))


def _chosen(manuscript: Manuscript, number: int | None) -> Chapter | None:
    if number is None:
        return None
    for chapter in manuscript.chapters:
        if chapter.number == number:
            return chapter
    last = manuscript.chapters[-1].number if manuscript.chapters else 0
    raise ManuscriptError(say("There is no chapter {number}; the last one is {last}.", number=number, last=last))


async def _run(manuscript: Manuscript, chapter: Chapter | None, *, again: bool, as_json: bool) -> int:
    versions = Versions(locations.state_dir(manuscript.id) / "versions")
    window = settings_for(manuscript, os.environ).engine.window or USUAL_WINDOW

    async def work(desk: Desk, front: Headless, opened: DeskOpened) -> int:
        summarising = Summarising(desk, manuscript, versions, window=window)
        outdated = summarising.outdated()
        wanted = [chapter] if chapter else summarising.wanting() + (outdated if again else [])
        for each in wanted:
            done = await summarising.write(each)
            if not done.text:
                return _stopped(done)
            _show(done, each, as_json)
        _close(wanted, [] if again else outdated)
        return 0

    return await with_desk(manuscript.folder, QuietEvents(), work)


def _stopped(done: Summarised) -> int:
    if not done.outcome.paused:
        raise WriterError(done.outcome.sentence)
    tell(say("Paused; what is written is saved. Go on with the same command."), error=True)
    return _PAUSED


def _show(done: Summarised, chapter: Chapter, as_json: bool) -> None:
    if as_json:
        emit({"chapter": done.chapter, "path": done.path, "text": done.text, "generation": done.outcome.generation})
        return
    tell(say("{number}. {title}, kept in {path}:", number=chapter.number, title=chapter.title, path=done.path))
    click.echo(visible(done.text) + "\n")


def _close(written: list[Chapter], outdated: list[Chapter]) -> None:
    if not written:
        tell(
            say("Every chapter of {fewest} words or more has a summary; nothing was written.", fewest=FEWEST),
            error=True,
        )
    if outdated:
        numbers = ", ".join(str(each.number) for each in outdated)
        tell(
            say(
                "Changed since they were summed up: chapters {numbers}. Sum them up anew with --again.", numbers=numbers
            ),
            error=True,
        )
