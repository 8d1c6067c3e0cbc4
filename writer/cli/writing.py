"""`writer new`, `draft` and `resume`: writing without the app, with the same durability."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import click

from writer.bootstrap import open_desk, settings_for
from writer.cli.output import Listener, json_outcome, say, show_events
from writer.errors import ManuscriptError, NotResumable, WriterError
from writer.generation.model import Sampling
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.model import Manuscript
from writer.manuscript.project import create, open_manuscript
from writer.runtime.desk import Desk
from writer.runtime.drafting import Outcome
from writer.runtime.events import DeskOpened, Offer
from writer.runtime.headless import Headless
from writer.text.sanitise import visible

FOLDER = click.Path(path_type=Path)
Work = Callable[[Desk, Headless, DeskOpened], Awaitable[Outcome]]
PAUSED = 130
_PATIENCE = 2  # tries of a refused commit; a script is told at once, the app waits


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--title", default="", help="Title of the book or report.")
@click.option("--language", default="en", help="Language to write in, such as en or zh.")
def new(folder: Path, title: str, language: str) -> None:
    """Make a manuscript in a new folder."""
    made = create(folder, title=title, language=language)
    say(f'Made "{made.title}" in {folder}. Open it with: writer {folder}')


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--chapter", "number", type=int, default=None, help="Number of the chapter; the last one if not given.")
@click.option("--all", "everything", is_flag=True, help="Write every empty chapter, one after the other.")
@click.option("--instruction", default="", help="What should happen next.")
@click.option("--max-tokens", type=click.IntRange(1), default=None, help="Most tokens to write.")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=None, help="Same seed, same words.")
@click.option("--temperature", type=click.FloatRange(0, 2), default=None, help="0 takes the likeliest word each time.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
def draft(
    folder: Path,
    number: int | None,
    everything: bool,
    instruction: str,
    max_tokens: int | None,
    seed: int | None,
    temperature: float | None,
    as_json: bool,
) -> None:
    """Write on at the end of a chapter. Ctrl-C pauses; `writer resume` goes on at the next token."""
    manuscript = open_manuscript(folder)
    chapters = _empty_chapters(manuscript) if everything else [_chosen(manuscript, number)]
    given = {"max_tokens": max_tokens, "seed": seed, "temperature": temperature}
    chosen = {name: value for name, value in given.items() if value is not None}

    async def work(desk: Desk, front: Headless, opened: DeskOpened) -> Outcome:
        outcome = Outcome(None, 0, "Every chapter has text already.")
        for chapter in chapters:
            sampling: Sampling = replace(desk.sampling(), **chosen)  # type: ignore[arg-type]
            outcome = await front.draft(desk, chapter, visible(instruction), sampling)
            if outcome.paused or outcome.state is None:
                break
        return outcome

    if everything and not chapters:
        say("Every chapter has text already; nothing was written.")
        return
    _run(folder, work, as_json, max_tokens)


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--generation", default=None, help="Which one; `writer status` lists them. The newest if not given.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
def resume(folder: Path, generation: str | None, as_json: bool) -> None:
    """Go on with what was paused or interrupted, at its very next token."""

    async def work(desk: Desk, front: Headless, opened: DeskOpened) -> Outcome:
        return await front.resume(desk, _offered(opened, generation))

    _run(folder, work, as_json)


def _chosen(manuscript: Manuscript, number: int | None) -> str:
    if not manuscript.chapters:
        raise ManuscriptError("This manuscript has no chapter yet. Open it and press Ctrl+N to add one.")
    if number is None:
        return manuscript.chapters[-1].path
    for chapter in manuscript.chapters:
        if chapter.number == number:
            return chapter.path
    raise ManuscriptError(f"There is no chapter {number}; the last one is {manuscript.chapters[-1].number}.")


def _empty_chapters(manuscript: Manuscript) -> list[str]:
    def empty(path: str) -> bool:
        text = ChapterFile(manuscript.folder / path).read().text
        return not any(line.strip() and not line.startswith("#") for line in text.splitlines())

    return [c.path for c in manuscript.chapters if empty(c.path)]


def _offered(opened: DeskOpened, generation: str | None) -> Offer:
    if generation is not None:
        for offer in opened.offers:
            if offer.generation == generation:
                return offer
        raise NotResumable(f"{generation[:40]!r} cannot go on: it has ended, or is not of this manuscript.")
    if not opened.offers:
        raise NotResumable("Nothing was interrupted here. `writer draft` writes on at the end of a chapter.")
    interrupted = [offer for offer in opened.offers if not offer.truncated]
    return (interrupted or list(opened.offers))[0]


def _run(folder: Path, work: Work, as_json: bool, max_tokens: int | None = None) -> None:
    outcome = asyncio.run(_with_desk(folder, work, as_json, max_tokens))
    if as_json:
        json_outcome(outcome)
    elif outcome.paused and outcome.state is None:
        say("Stopped before anything was written.", error=True)
    elif outcome.paused:
        say(
            f"Paused after {outcome.tokens:,} tokens; all of it is saved. Go on with: writer resume {folder}",
            error=True,
        )
    if outcome.paused:
        raise SystemExit(PAUSED)
    if outcome.state is None or not outcome.ended:
        raise WriterError(outcome.sentence)
    if not as_json:
        click.echo()
        say(f"{outcome.tokens:,} tokens, {_ending(outcome.sentence)}.", error=True)


def _ending(reason: str) -> str:
    return "stopped at the token limit; `writer resume` goes on" if reason == "length" else "the model came to an end"


async def _with_desk(folder: Path, work: Work, as_json: bool, max_tokens: int | None) -> Outcome:
    settings = settings_for(open_manuscript(folder), os.environ)
    show = Listener(show_events(as_json, max_tokens or settings.writing.max_tokens))
    front = Headless(show, autosave=settings.editor.autosave)
    desk = open_desk(folder, os.environ, front, patience=_PATIENCE)
    loop = asyncio.get_running_loop()
    try:
        opened = await desk.open()
        _report_notes(opened)
        show.gone = desk.pause
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, desk.pause)
        outcome = await work(desk, front, opened)
        for sentence in front.refused:
            if sentence != outcome.sentence:
                say(sentence, error=True)
        return outcome
    finally:
        await desk.close()


def _report_notes(opened: DeskOpened) -> None:
    for note in (*opened.notes, *(offer.note for offer in opened.offers if offer.note)):
        say(note, error=True)
