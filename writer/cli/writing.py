"""`writer new`, `draft` and `resume`: writing without the app, with the same durability."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from writer.bootstrap import settings_for
from writer.cli.night import Night, draft_all, resume_all
from writer.cli.opened import with_desk
from writer.cli.output import json_outcome, show_events, tell
from writer.errors import ManuscriptError, NotResumable, WriterError
from writer.generation.prompt import report_instructions
from writer.language import say, spoken
from writer.manuscript.model import Manuscript
from writer.manuscript.project import create, open_manuscript
from writer.presets import PRESETS
from writer.runtime.desk import Desk
from writer.runtime.drafting import Outcome
from writer.runtime.events import DeskOpened, Offer
from writer.runtime.headless import Headless
from writer.text.sanitise import visible

FOLDER = click.Path(path_type=Path)
Work = Callable[[Desk, Headless, DeskOpened], Awaitable[Outcome]]
PAUSED = 130


@click.command(help=say("Make a manuscript in a new folder."))
@click.argument("folder", type=FOLDER)
@click.option("--title", default="", help=say("Title of the book or report."))
@click.option(
    "--language", default="", help=say("Language to write in, such as en or zh; that of the interface if not given.")
)
@click.option("--report", is_flag=True, help=say("A report from sources: the preset and the instructions for one."))
def new(folder: Path, title: str, language: str, report: bool) -> None:
    language = language or spoken()
    more = {"instructions": report_instructions(language), "preset": "report"} if report else {}
    made = create(folder, title=title, language=language, **more)
    tell(say('Made "{title}" in {folder}. Open it with: writer {folder}', title=made.title, folder=folder))


@click.command(help=say("Write on at the end of a chapter. Ctrl-C pauses; `writer resume` goes on at the next token."))
@click.argument("folder", type=FOLDER)
@click.option(
    "--chapter", "number", type=int, default=None, help=say("Number of the chapter; the last one if not given.")
)
@click.option("--all", "everything", is_flag=True, help=say("Write every empty chapter, several at once."))
@click.option(
    "--parallel", type=click.IntRange(1, 64), default=None, help=say("How many at once; what the engine can hold.")
)
@click.option("--instruction", default="", help=say("What should happen next."))
@click.option("--max-tokens", type=click.IntRange(1), default=None, help=say("Most tokens to write."))
@click.option(
    "--preset", type=click.Choice(sorted(PRESETS)), default=None, help=say("Settings for prose or for a report.")
)
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=None, help=say("Same seed, same words."))
@click.option(
    "--temperature", type=click.FloatRange(0, 2), default=None, help=say("0 takes the likeliest word each time.")
)
@click.option("--think/--no-think", "think", default=None, help=say("Whether a model that can think does so first."))
@click.option("--thought", is_flag=True, help=say("Show what it thinks, on the standard error."))
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object per line."))
def draft(
    folder: Path,
    number: int | None,
    everything: bool,
    parallel: int | None,
    instruction: str,
    max_tokens: int | None,
    preset: str | None,
    seed: int | None,
    temperature: float | None,
    think: bool | None,
    thought: bool,
    as_json: bool,
) -> None:
    manuscript = open_manuscript(folder)
    given = {"max_tokens": max_tokens, "seed": seed, "temperature": temperature, "think": think}
    chosen: dict[str, Any] = dict(PRESETS[preset].values) if preset else {}
    chosen |= {name: value for name, value in given.items() if value is not None}
    if everything:
        raise SystemExit(draft_all(Night(folder, as_json, parallel, visible(instruction), chosen, max_tokens)))
    chapter = chosen_chapter(manuscript, number)

    async def work(desk: Desk, front: Headless, opened: DeskOpened) -> Outcome:
        return await front.draft(desk, chapter, visible(instruction), replace(desk.sampling(chapter), **chosen))

    _run(folder, work, as_json, max_tokens, thought=thought)


@click.command(help=say("Go on with what was paused or interrupted, at its very next token."))
@click.argument("folder", type=FOLDER)
@click.option("--generation", default=None, help=say("Which one; `writer status` lists them. The newest if not given."))
@click.option("--all", "everything", is_flag=True, help=say("All that was paused or interrupted, several at once."))
@click.option(
    "--parallel", type=click.IntRange(1, 64), default=None, help=say("How many at once; what the engine can hold.")
)
@click.option("--thought", is_flag=True, help=say("Show what the model thinks, on the standard error."))
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object per line."))
def resume(
    folder: Path, generation: str | None, everything: bool, parallel: int | None, thought: bool, as_json: bool
) -> None:
    if everything:
        raise SystemExit(resume_all(Night(folder, as_json, parallel)))

    async def work(desk: Desk, front: Headless, opened: DeskOpened) -> Outcome:
        return await front.resume(desk, _offered(opened, generation))

    _run(folder, work, as_json, thought=thought)


def chosen_chapter(manuscript: Manuscript, number: int | None) -> str:
    """The path of the chapter of that number; of the last one if none is given. Raises ManuscriptError."""
    if not manuscript.chapters:
        raise ManuscriptError(say("This manuscript has no chapter yet. Open it and press Ctrl+N to add one."))
    if number is None:
        return manuscript.chapters[-1].path
    for chapter in manuscript.chapters:
        if chapter.number == number:
            return chapter.path
    raise ManuscriptError(
        say(
            "There is no chapter {number}; the last one is {last}.",
            number=number,
            last=manuscript.chapters[-1].number,
        )
    )


def _offered(opened: DeskOpened, generation: str | None) -> Offer:
    if generation is not None:
        for offer in (*opened.offers, *opened.asides):
            if offer.generation == generation:
                return offer
        raise NotResumable(
            say("{generation!r} cannot go on: it has ended, or is not of this manuscript.", generation=generation[:40])
        )
    offers = opened.offers or opened.asides
    if not offers:
        raise NotResumable(say("Nothing was interrupted here. `writer draft` writes on at the end of a chapter."))
    interrupted = [offer for offer in offers if not offer.truncated]
    return (interrupted or list(offers))[0]


def _run(folder: Path, work: Work, as_json: bool, max_tokens: int | None = None, *, thought: bool = False) -> None:
    settings = settings_for(open_manuscript(folder), os.environ)
    show = show_events(as_json, max_tokens or settings.writing.max_tokens, thought=thought)
    outcome = asyncio.run(with_desk(folder, show, work))
    if as_json:
        json_outcome(outcome)
    elif outcome.paused and outcome.state is None:
        tell(say("Stopped before anything was written."), error=True)
    elif outcome.paused:
        tell(
            say(
                "Paused after {tokens:,} tokens; all of it is saved. Go on with: writer resume {folder}",
                tokens=outcome.tokens,
                folder=folder,
            ),
            error=True,
        )
    if outcome.paused:
        raise SystemExit(PAUSED)
    if outcome.state is None or not outcome.ended:
        raise WriterError(outcome.sentence)
    if not as_json:
        click.echo()
        tell(
            say("{tokens:,} tokens, {sentence}.", tokens=outcome.tokens, sentence=_ending(outcome.sentence)), error=True
        )


def _ending(reason: str) -> str:
    return (
        say("stopped at the token limit; `writer resume` goes on")
        if reason == "length"
        else say("the model came to an end")
    )
