"""`writer takes`: the texts of a chapter, in it and beside it: listed, shown, written several at once, chosen."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from writer.cli.codes import in_words
from writer.cli.looking import state_of
from writer.cli.opened import with_desk
from writer.cli.output import JsonEvents, emit, json_outcome, tell
from writer.cli.writing import FOLDER, PAUSED, chosen_chapter
from writer.errors import ManuscriptError, NotResumable, WriterError
from writer.language import say
from writer.manuscript.model import Manuscript
from writer.manuscript.project import open_manuscript
from writer.runtime.asides import listed
from writer.runtime.desk import Desk
from writer.runtime.drafting import Outcome
from writer.runtime.events import AsideBegun, DeskOpened, EngineProgressed, Event
from writer.runtime.headless import Headless
from writer.runtime.orders import AsideOrder, SaveOrder
from writer.runtime.takes import Take, digest
from writer.text.sanitise import one_line, visible

_SHOWN = 60  # characters of a text in the list


@click.command(help=say("List the texts of chapters, show one, write several beside a chapter, or choose one of them."))
@click.argument("folder", type=FOLDER)
@click.option("--chapter", "number", type=int, default=None, help=say("Number of the chapter; every one if not given."))
@click.option("--write", "count", type=click.IntRange(1, 64), default=None, help=say("Write so many at once."))
@click.option("--instruction", default="", help=say("With --write: what should happen next."))
@click.option("--after", "parent", default="", help=say("With --write: go on from inside this text."))
@click.option(
    "--tokens", "parent_tokens", type=click.IntRange(0), default=None, help=say("With --after: its first tokens.")
)
@click.option("--max-tokens", type=click.IntRange(1), default=None, help=say("With --write: most tokens of each."))
@click.option(
    "--seed", type=click.IntRange(0, 2**31 - 1), default=None, help=say("With --write: of the first of them.")
)
@click.option(
    "--temperature", type=click.FloatRange(0, 2), default=None, help=say("With --write: 0 takes likely words.")
)
@click.option("--show", "shown", default="", help=say("Print this text."))
@click.option("--choose", "chosen", default="", help=say("Put this text into its chapter, where it was written for."))
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object; with --write one per line."))
def takes(
    folder: Path,
    number: int | None,
    count: int | None,
    instruction: str,
    parent: str,
    parent_tokens: int | None,
    max_tokens: int | None,
    seed: int | None,
    temperature: float | None,
    shown: str,
    chosen: str,
    as_json: bool,
) -> None:
    if sum(map(bool, (count, shown, chosen))) > 1:
        raise click.UsageError(say("Give one of --write, --show and --choose."))
    manuscript = open_manuscript(folder)
    given = {"max_tokens": max_tokens, "seed": seed, "temperature": temperature}
    drawn = {name: value for name, value in given.items() if value is not None}
    if count:
        wish = _Wish(count, visible(instruction), parent, parent_tokens, drawn, as_json)
        raise SystemExit(asyncio.run(_write(manuscript, chosen_chapter(manuscript, number), wish)))
    if chosen:
        asyncio.run(_choose(manuscript, chosen, as_json))
        return
    found = _found(manuscript)
    if shown:
        _show(_one(found, shown), as_json)
    elif as_json:
        emit({"takes": [_facts(take) for take in _of(found, manuscript, number)]})
    else:
        _list(manuscript, found, number)


# --- looking -------------------------------------------------------------------------------------------------------


def _found(manuscript: Manuscript) -> list[Take]:
    with state_of(manuscript) as state:
        chapters = [chapter.path for chapter in manuscript.chapters]
        return [take for chapter in chapters for take in listed(state, chapter)] if state else []


def _of(found: Iterable[Take], manuscript: Manuscript, number: int | None) -> list[Take]:
    chapter = chosen_chapter(manuscript, number) if number is not None else ""
    return [take for take in found if take.chapter == (chapter or take.chapter)]


def _list(manuscript: Manuscript, found: list[Take], number: int | None) -> None:
    mine = _of(found, manuscript, number)
    for chapter in manuscript.chapters:
        if of_it := [take for take in mine if take.chapter == chapter.path]:
            tell(f"{chapter.number}. {chapter.title}")
            for take in of_it:
                click.echo(_line(take))  # `say` would take the indent away
    if not mine:
        tell(say("Nothing was generated there yet. `writer takes DIR --write 4` writes beside the last chapter."))


def _line(take: Take) -> str:
    """Safe to print: all that is foreign in it is the text."""
    mark = "*" if take.inside else " "
    what = take.reason if take.reason in ("chosen", "kept", "discarded") else take.state
    return say(
        " {mark} {depth}{generation}  {role}, {what}, {words:,} words: {text}",
        mark=mark,
        depth="  " * take.depth,
        generation=take.generation,
        role=in_words(take.role),
        what=in_words(what),
        words=take.words,
        text=one_line(take.text, _SHOWN),
    )


def _show(take: Take, as_json: bool) -> None:
    if as_json:
        emit(_facts(take))
    else:
        click.echo(visible(take.text))


def _one(found: Iterable[Take], generation: str) -> Take:
    for take in found:
        if take.generation == generation:
            return take
    raise NotResumable(
        say(
            "There is no text {generation!r} in this manuscript. `writer takes DIR` lists them.",
            generation=generation[:40],
        )
    )


def _facts(take: Take) -> dict[str, Any]:
    return {
        "generation": take.generation,
        "chapter": take.chapter,
        "role": take.role,
        "state": take.state,
        "finish_reason": take.reason,
        "parent": take.parent,
        "parent_tokens": take.parent_tokens,
        "depth": take.depth,
        "start": take.place[0],
        "end": take.place[1],
        "inside": take.inside,
        "tokens": take.tokens,
        "words": take.words,
        "text": take.text,
    }


# --- writing -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Wish:
    count: int
    instruction: str
    parent: str
    parent_tokens: int | None
    drawn: dict[str, Any]
    as_json: bool


async def _write(manuscript: Manuscript, chapter: str, wish: _Wish) -> int:
    async def work(desk: Desk, front: Headless, opened: DeskOpened) -> list[Outcome]:
        text = (await desk.chapters.read(chapter)).text
        end, parent, tokens = len(text), wish.parent, wish.parent_tokens or 0
        if parent:
            take = _one(desk.takes(chapter), parent)
            if take.inside:
                raise NotResumable(say("That text is in the chapter. Go on from inside it in the app: writer DIR."))
            tokens = take.tokens if wish.parent_tokens is None else tokens
            end = min(take.place[1], end)
        sampling = replace(desk.sampling(chapter), **wish.drawn)
        order = AsideOrder("takes", chapter, text, end, end, "take", wish.instruction, wish.count, sampling=sampling)
        outcomes = await front.takes(desk, replace(order, parent=parent, parent_tokens=tokens))
        _told(desk.takes(chapter), chapter, outcomes, wish.as_json)
        return list(outcomes)

    outcomes = await with_desk(manuscript.folder, JsonEvents() if wish.as_json else _Plain(), work)
    if any(outcome.paused for outcome in outcomes):
        tell(
            say("Paused; all of it is saved. Go on with: writer resume --all {folder}", folder=manuscript.folder),
            error=True,
        )
        return PAUSED
    failed = [outcome for outcome in outcomes if not outcome.ended]
    if failed:
        raise WriterError(failed[0].sentence)
    return 0


def _told(found: Iterable[Take], chapter: str, outcomes: Iterable[Outcome], as_json: bool) -> None:
    written = {outcome.generation: outcome for outcome in outcomes}
    for take in found:
        if (outcome := written.get(take.generation)) is None:
            continue
        if as_json:
            json_outcome(outcome, chapter=chapter)
        else:
            click.echo(_line(take))


class _Plain:
    """The engine's progress, and that texts were begun. The texts themselves are listed at the end."""

    def __init__(self) -> None:
        self._said = ""

    def __call__(self, event: Event) -> None:
        line = ""
        if isinstance(event, EngineProgressed):
            line = say("Engine: {sentence}", sentence=event.status.sentence)
        elif isinstance(event, AsideBegun) and event.count > 1:
            line = say("Writing {count} texts at once.", count=event.count)
        if line and line != self._said:
            self._said = line
            tell(line, error=True)


# --- choosing ------------------------------------------------------------------------------------------------------


async def _choose(manuscript: Manuscript, generation: str, as_json: bool) -> None:
    async def work(desk: Desk, front: Headless, opened: DeskOpened) -> Take:
        take = _one((take for chapter in manuscript.chapters for take in desk.takes(chapter.path)), generation)
        if take.role != "take":
            raise NotResumable(
                say("Only a take goes into its chapter as it is. For others: writer rewrite --generation ID.")
            )
        loaded = await desk.chapters.read(take.chapter)
        if take.of != digest(loaded.text):
            raise NotResumable(
                say("The chapter has changed since this text was written. Print it with --show, and put it in by hand.")
            )
        start, end = take.place
        whole = loaded.text[:start] + take.before + take.text + loaded.text[end:]
        if not await desk.save(SaveOrder(take.chapter, whole, 1)):
            raise ManuscriptError(say("The chapter could not be saved. Free its disk, then try again."))
        desk.choose(generation)
        return take

    take = await with_desk(manuscript.folder, lambda event: None, work)
    if as_json:
        emit({"chosen": take.generation, "chapter": take.chapter, "words": take.words})
    else:
        tell(
            say("{words:,} words are in {chapter} now.", words=take.words, chapter=take.chapter),
            error=not sys.stdout.isatty(),
        )
