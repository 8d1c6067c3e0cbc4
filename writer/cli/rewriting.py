"""`writer rewrite`: a passage rewritten or text inserted without the app; prints what would change, or writes it."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import click

from writer.bootstrap import open_desk
from writer.cli import passage
from writer.cli.output import Listener, emit, tell
from writer.cli.writing import chosen_chapter
from writer.editing.hunks import applied, pieces
from writer.errors import ManuscriptError, NotResumable, WriterError
from writer.generation.rewriting import Kind
from writer.language import say
from writer.manuscript.model import Manuscript
from writer.manuscript.project import open_manuscript
from writer.runtime.desk import Desk
from writer.runtime.drafting import Outcome
from writer.runtime.events import (
    AsideBegun,
    BatchCommitted,
    CommitDelayed,
    EngineProgressed,
    Event,
    GenerationInterrupted,
    GenerationStarted,
    Noted,
    PassageRewritten,
    SaveRefused,
)
from writer.runtime.orders import SaveOrder
from writer.runtime.rewriting import RewriteRequest, Rewritten, applied_to
from writer.text.sanitise import visible

PAUSED = 130
_PATIENCE = 2  # tries of a refused commit
_STYLES = {"removed": ("[-", "-]", {"fg": "red", "strikethrough": True}), "inserted": ("{+", "+}", {"fg": "green"})}


@click.command(help=say("Rewrite a passage beside its chapter, or write into the middle, and show what would change."))
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--chapter", "number", type=int, default=None, help=say("Number of the chapter; the last one if not given.")
)
@click.option("--from", "first", default="", help=say("The words that the passage begins with."))
@click.option("--to", "last", default="", help=say("The words that it ends with."))
@click.option("--lines", default="", help=say("Or its lines, as A:B."))
@click.option("--kind", type=click.Choice([str(kind) for kind in Kind]), default=str(Kind.REWRITE), show_default=True)
@click.option("--wish", default="", help=say("What should become of it."))
@click.option("--count", type=click.IntRange(1, 16), default=1, help=say("How many to write at once."))
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=None, help=say("Same seed, same words."))
@click.option(
    "--temperature", type=click.FloatRange(0, 2), default=None, help=say("0 takes the likeliest word each time.")
)
@click.option("--marks", is_flag=True, help=say("Insert by the model's marks for filling the middle."))
@click.option("--generation", default="", help=say("Go on with this one, or show it again."))
@click.option("--accept", is_flag=True, help=say("Write it into the chapter."))
@click.option("--hunks", default="", help=say("Accept only these pieces, by number: 1,3."))
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object per line."))
def rewrite(
    folder: Path,
    number: int | None,
    first: str,
    last: str,
    lines: str,
    kind: str,
    wish: str,
    count: int,
    seed: int | None,
    temperature: float | None,
    marks: bool,
    generation: str,
    accept: bool,
    hunks: str,
    as_json: bool,
) -> None:
    if bool(first) + bool(lines) + bool(generation) != 1:
        raise click.UsageError(say("Say which passage: --from WORDS [--to WORDS], --lines A:B, or --generation ID."))
    if accept and count > 1:
        raise click.UsageError(say("Only one text can be accepted: leave --count out."))
    if hunks and not (accept and re.fullmatch(r"[1-9]\d*(,[1-9]\d*)*", hunks)):
        raise click.UsageError(say("Pieces are accepted by number, with --accept --hunks 1,3."))
    manuscript = open_manuscript(folder)
    chosen = [int(number) - 1 for number in hunks.split(",")] if hunks else None
    drawn = {name: value for name, value in (("seed", seed), ("temperature", temperature)) if value is not None}

    async def asked(desk: Desk) -> tuple[Outcome, ...]:
        if generation:
            return (await _gone_on(desk, manuscript, generation),)
        chapter = chosen_chapter(manuscript, number)
        text = (await desk.chapters.read(chapter)).text
        start, end = passage.by_lines(text, lines) if lines else passage.by_words(text, first, last)
        start = end if kind == Kind.INSERT else start
        request = RewriteRequest(chapter, text, start, end, Kind(kind), visible(wish), count, marks=marks)
        return await desk.rewrite(request, replace(desk.sampling(chapter), **drawn))  # type: ignore[arg-type]

    raise SystemExit(asyncio.run(_Work(manuscript, as_json, accept, chosen).run(asked)))


class _Work:
    """One command, from an open desk to what is printed."""

    def __init__(self, manuscript: Manuscript, as_json: bool, accept: bool, chosen: list[int] | None) -> None:
        """`chosen` are the indices of the pieces to accept; all of them if None."""
        self._manuscript = manuscript
        self._json = as_json
        self._accept = accept
        self._chosen = chosen
        self._refusal = ""

    async def run(self, asked: Callable[[Desk], Awaitable[tuple[Outcome, ...]]]) -> int:
        """The exit code. Raises WriterError."""
        show = Listener(self._shown)
        desk = open_desk(self._manuscript.folder, os.environ, show, patience=_PATIENCE)
        loop = asyncio.get_running_loop()
        try:
            await desk.open()
            show.gone = desk.pause
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                loop.add_signal_handler(number, desk.pause)
            outcomes = await asked(desk)
            return await self._ended(desk, outcomes)
        finally:
            await desk.close()

    async def _ended(self, desk: Desk, outcomes: tuple[Outcome, ...]) -> int:
        for outcome in outcomes:
            if outcome.paused:
                again = say(
                    "Go on with: writer rewrite {folder} --generation {generation}",
                    folder=self._manuscript.folder,
                    generation=outcome.generation,
                )
                tell(
                    say(
                        "Paused after {tokens:,} tokens; all of it is saved. {again}",
                        tokens=outcome.tokens,
                        again=again,
                    ),
                    error=True,
                )
                return PAUSED
            if not outcome.ended:
                raise WriterError(outcome.sentence)
        for outcome in outcomes:
            chapter = _holder(desk, self._manuscript, outcome.generation)
            found = desk.rewritten(outcome.generation, (await desk.chapters.read(chapter)).text)
            if not self._json:
                _print(found)
            if self._accept:
                await self._write(desk, found)
        return 0

    async def _write(self, desk: Desk, found: Rewritten) -> None:
        """Into the chapter, if it is still as it was when it was compared."""
        if found.text == found.original:
            raise ManuscriptError(found.sentence)
        if max(self._chosen or [0]) >= len(found.hunks):
            last = say("the last one is {hunks}", hunks=len(found.hunks))
            raise ManuscriptError(
                say(
                    "There is no piece {chosen}; {last}. Leave --accept out to see.",
                    chosen=max(self._chosen or [0]) + 1,
                    last=last,
                )
            )
        new = found.text if self._chosen is None else applied(found.original, found.hunks, self._chosen)
        text = (await desk.chapters.read(found.chapter)).text
        if text[found.start : found.end] != found.original:
            raise ManuscriptError(say("The passage has just been changed by another program. Try again."))
        desk.chapters.new_version(found.chapter)
        if not await desk.save(SaveOrder(found.chapter, applied_to(text, found, new), 1)):
            raise ManuscriptError(
                self._refusal or say("The chapter could not be saved. Nothing was changed; try again.")
            )
        desk.choose(found.generation)
        if not self._json:
            tell(say("Written into the chapter."), error=True)

    def _shown(self, event: Event) -> None:
        if isinstance(event, SaveRefused):
            self._refusal = event.sentence
        if self._json:
            _as_json(event)
        elif isinstance(event, EngineProgressed):
            tell(say("Engine: {sentence}", sentence=event.status.sentence), error=True)
        elif isinstance(event, GenerationInterrupted | CommitDelayed | Noted):
            tell(event.sentence, error=True)


async def _gone_on(desk: Desk, manuscript: Manuscript, generation: str) -> Outcome:
    """It goes on if it can; else it is as it was."""
    chapter = _holder(desk, manuscript, generation)
    take = next(each for each in desk.takes(chapter) if each.generation == generation)
    if take.state.resumable:
        return await desk.go_on(generation)
    return Outcome(take.state, take.tokens, take.reason or "", generation=generation)


def _holder(desk: Desk, manuscript: Manuscript, generation: str) -> str:
    """The chapter that it stands beside."""
    for chapter in manuscript.chapters:
        if any(take.generation == generation for take in desk.takes(chapter.path)):
            return chapter.path
    raise NotResumable(
        say("{generation!r} is not of this manuscript. `writer takes` lists what is.", generation=generation[:40])
    )


def _print(found: Rewritten) -> None:
    """The passage with its corrections, in colours on a terminal."""
    coloured = sys.stdout.isatty()
    line = ""
    for piece in pieces(found.original, found.hunks):
        text = visible(piece.text)
        if piece.kind in _STYLES:
            before, behind, style = _STYLES[piece.kind]
            text = click.style(text, **style) if coloured else f"{before}{text}{behind}"  # type: ignore[arg-type]
        line += text
    click.echo(line)
    if found.sentence:
        tell(found.sentence, error=True)


def _as_json(event: Event) -> None:
    if isinstance(event, AsideBegun):
        emit({"event": "begun", "generation": event.generation, "chapter": event.chapter, "number": event.number})
    elif isinstance(event, GenerationStarted):
        counts = {"prompt_tokens": event.prompt_tokens, "cached_tokens": event.cached_tokens}
        emit({"event": "started", "generation": event.generation, **counts, "resumed_from": event.resumed_from})
    elif isinstance(event, BatchCommitted):
        tokens = {"token_ids": list(event.token_ids), "text": event.text}
        emit({"event": "batch", "generation": event.generation, "ordinal": event.ordinal, **tokens})
    elif isinstance(event, PassageRewritten):
        found = event.rewritten
        hunks = [
            {"start": h.start, "end": h.end, "original": h.original, "replacement": h.replacement} for h in found.hunks
        ]
        place = {"chapter": found.chapter, "start": found.start, "end": found.end}
        texts = {"original": found.original, "text": found.text, "hunks": hunks}
        ending = {"complete": found.complete, "sentence": found.sentence}
        emit({"event": "rewritten", "generation": found.generation, **place, **texts, **ending})
