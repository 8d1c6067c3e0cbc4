"""`writer recipes`: your own requests to the model: listed, put into the manuscript to be changed, and used."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from writer.cli import passage
from writer.cli.chapters import FOLDER, show
from writer.cli.opened import with_desk
from writer.cli.output import QuietEvents, emit, tell
from writer.cli.writing import PAUSED, chosen_chapter
from writer.errors import ManuscriptError, WriterError
from writer.generation.rewriting_answer import cleaned
from writer.language import say
from writer.manuscript.model import Manuscript
from writer.manuscript.project import open_manuscript
from writer.manuscript.recipes import Recipe, named, put_copies, read_recipes
from writer.runtime.desk import Desk
from writer.runtime.drafting import Outcome
from writer.runtime.events import DeskOpened
from writer.runtime.headless import Headless
from writer.runtime.recipes import order_of
from writer.text.sanitise import visible


@click.group(
    help=say("Your own requests to the model, as files in prompts/: describe, dialogue, brainstorm, and what you add.")
)
def recipes() -> None:
    pass


@recipes.command("list", help=say("Name and title of each, and whether it needs a passage."))
@click.argument("folder", type=FOLDER)
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object."))
def list_recipes(folder: Path, as_json: bool) -> None:
    found, sentences = read_recipes(open_manuscript(folder).folder)
    if as_json:
        facts = [
            {"name": each.name, "title": each.title, "path": each.path, "passage": each.needs_selection}
            for each in found
        ]
        emit({"recipes": facts, "unread": list(sentences)})
        return
    for each in found:
        show(f"{each.name:<14} {each.title}{say(', for a passage') if each.needs_selection else ''}")
    for sentence in sentences:
        tell(sentence, error=True)
    if not found:
        tell(say("No recipes. `writer recipes copy DIR` puts those that come with writer into prompts/."))


@recipes.command(
    help=say("Put those that come with writer into prompts/, for you to change; what is there is never touched.")
)
@click.argument("folder", type=FOLDER)
def copy(folder: Path) -> None:
    made = put_copies(open_manuscript(folder).folder)
    for path in made:
        tell(say("Made {path}. Change it as you like.", path=path))
    if not made:
        tell(say("They are all in prompts/ already. Change them there."))


@recipes.command(help=say("Ask the model by a recipe, and print the answer. The chapter stays as it is."))
@click.argument("folder", type=FOLDER)
@click.argument("name")
@click.option(
    "--chapter", "number", type=int, default=None, help=say("Number of the chapter; the last one if not given.")
)
@click.option("--from", "first", default="", help=say("The words that the passage begins with."))
@click.option("--to", "last", default="", help=say("The words that it ends with."))
@click.option("--lines", default="", help=say("Or its lines, as A:B."))
@click.option("--count", type=click.IntRange(1, 16), default=1, help=say("How many answers to write at once."))
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=None, help=say("Same seed, same words."))
@click.option(
    "--temperature", type=click.FloatRange(0, 2), default=None, help=say("0 takes the likeliest word each time.")
)
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object per answer."))
def use(
    folder: Path,
    name: str,
    number: int | None,
    first: str,
    last: str,
    lines: str,
    count: int,
    seed: int | None,
    temperature: float | None,
    as_json: bool,
) -> None:
    if first and lines:
        raise click.UsageError(say("Say which passage: --from WORDS [--to WORDS], or --lines A:B."))
    manuscript = open_manuscript(folder)
    found, sentences = read_recipes(manuscript.folder)
    for sentence in sentences:
        tell(sentence, error=True)
    recipe = named(found, name)
    if recipe.needs_selection and not (first or lines):
        raise ManuscriptError(
            say("{title} is for a passage. Say which: --from WORDS [--to WORDS], or --lines A:B.", title=recipe.title)
        )
    drawn = {key: value for key, value in (("seed", seed), ("temperature", temperature)) if value is not None}
    asked = _Asked(recipe, chosen_chapter(manuscript, number), (first, last, lines), count, drawn)
    raise SystemExit(asyncio.run(_run(manuscript, asked, as_json)))


@dataclass(frozen=True, slots=True)
class _Asked:
    recipe: Recipe
    chapter: str
    words: tuple[
        str, str, str
    ]  # of the passage: its first words and its last ones, or its lines; else it is the chapter's end
    count: int
    drawn: dict[str, Any]

    def place(self, text: str) -> passage.Place:
        """The passage in the chapter's text. Raises ManuscriptError."""
        first, last, lines = self.words
        if lines:
            return passage.by_lines(text, lines)
        return passage.by_words(text, first, last) if first else (len(text), len(text))


async def _run(manuscript: Manuscript, asked: _Asked, as_json: bool) -> int:
    async def work(desk: Desk, front: Headless, opened: DeskOpened) -> int:
        chapter = manuscript.chapter(asked.chapter)
        text = (await desk.chapters.read(chapter.path)).text
        order = order_of(asked.recipe, chapter, text, *asked.place(text))
        sampling = replace(desk.sampling(chapter.path), **asked.drawn)
        outcomes = await desk.aside(replace(order, count=asked.count, sampling=sampling))
        return max(_shown(desk, manuscript, chapter.path, outcome, as_json) for outcome in outcomes)

    return await with_desk(manuscript.folder, QuietEvents(), work)


def _shown(desk: Desk, manuscript: Manuscript, chapter: str, outcome: Outcome, as_json: bool) -> int:
    """Prints one answer; the exit code."""
    if outcome.paused and not outcome.generation:
        tell(say("Stopped before anything was written."), error=True)
        return PAUSED
    if outcome.paused:
        again = f"writer resume {manuscript.folder} --generation {outcome.generation}"
        tell(
            say(
                "Paused after {tokens:,} tokens; all of it is saved. Go on with: {again}",
                tokens=outcome.tokens,
                again=again,
            ),
            error=True,
        )
        return PAUSED
    if not outcome.ended:
        raise WriterError(outcome.sentence)
    take = next(each for each in desk.takes(chapter) if each.generation == outcome.generation)
    complete = take.reason != "length"
    text = cleaned(take.text, cut_short=not complete).strip()
    if as_json:
        emit({"generation": take.generation, "chapter": chapter, "text": text, "complete": complete})
    elif text:
        click.echo(visible(text) + "\n")
    if not text or not complete:
        tell(
            say("The answer stopped before its end. Ask again.")
            if text
            else say("The model wrote nothing. Ask again."),
            error=True,
        )
    return 0
