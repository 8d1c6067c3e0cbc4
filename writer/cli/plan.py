"""`writer plan`: what the model would be given next, part by part. Looks only; needs no engine if the model is here."""

from __future__ import annotations

import asyncio
import os
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from writer import locations
from writer.bootstrap import engine_source, model_wording, settings_for
from writer.cli.codes import in_words
from writer.cli.looking import state_of
from writer.cli.output import emit, tell
from writer.cli.writing import FOLDER, chosen_chapter
from writer.config import Settings
from writer.engine import launch, models, windows
from writer.engine.base import EngineSource
from writer.errors import StateDamaged, WriterError
from writer.generation.plan import Plan
from writer.generation.wording import Known, Wording
from writer.language import say
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.model import Chapter, Manuscript
from writer.manuscript.project import open_manuscript
from writer.runtime.engine_wording import EngineWording
from writer.runtime.gathering import gather
from writer.runtime.planning import how_of, plan_of
from writer.runtime.prompting import known_texts
from writer.runtime.turns import Turns
from writer.storage.generations import GenerationStore
from writer.text.sanitise import one_line, visible
from writer.tui.aligned import flush_right, padded

_BLOCK = 32  # tokens, where no engine tells it


@dataclass(frozen=True, slots=True)
class _Model:
    """What plans: a tokenizer, a window, and the fingerprint by which earlier texts are known."""

    wording: Wording
    window: int
    block: int
    tokenizer: str


@dataclass(frozen=True, slots=True)
class _Earlier:
    """What the state knows: texts whose ids stay, and the ids that an engine has read last."""

    known: tuple[Known, ...] = ()
    read: tuple[tuple[int, ...], ...] = ()


@click.command(help=say("What the model would be given to write on: parts, tokens, what is left out and why."))
@click.argument("folder", type=FOLDER)
@click.option(
    "--chapter", "number", type=int, default=None, help=say("Number of the chapter; the last one if not given.")
)
@click.option("--instruction", default="", help=say("What should happen next."))
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object."))
@click.option("--request", "whole", is_flag=True, help=say("The exact next request, as the model will read it."))
def plan(folder: Path, number: int | None, instruction: str, as_json: bool, whole: bool) -> None:
    manuscript = open_manuscript(folder)
    chapter = manuscript.chapter(chosen_chapter(manuscript, number))
    drawn, cached, request = asyncio.run(_drawn(manuscript, chapter, visible(instruction)))
    if as_json:
        emit(
            _json(chapter, drawn, cached)
            | ({"prompt_ids": list(drawn.prompt_ids), "request": request} if whole else {})
        )
    elif whole:
        click.echo(visible(request))
    else:
        _show(chapter, drawn, cached)


async def _drawn(manuscript: Manuscript, chapter: Chapter, instruction: str) -> tuple[Plan, int, str]:
    """The plan, how many of its tokens an engine that is still warm has cached, and the request as text."""
    settings = settings_for(manuscript, os.environ)
    source = engine_source(settings, os.environ)
    text = ChapterFile(manuscript.folder / chapter.path).read().text
    material = await asyncio.to_thread(gather, manuscript, chapter.path, text, instruction)
    warm = (await source.status()).state == "ready"
    try:
        model = await _model(settings, source)
        earlier = _earlier(manuscript, chapter.path, model.tokenizer)
        drawn = await plan_of(
            material,
            model.wording,
            window=model.window,
            to_write=settings.writing_of(chapter.path).max_tokens,
            block=model.block,
            last=Turns(locations.state_dir(manuscript.id)).of(chapter.path),
            known=earlier.known,
            how=how_of(settings.writing_of(chapter.path)),
        )
        request = await model.wording.text(drawn.prompt_ids)
    finally:
        await source.release(stop=False)
    cached = max((_common(drawn.prompt_ids, ids) for ids in earlier.read), default=0) if warm else 0
    return drawn, cached // model.block * model.block, request


async def _model(settings: Settings, source: EngineSource) -> _Model:
    """The model's own tokenizer if it is on this machine, else an engine's."""
    if settings.engine.kind == "scripted" or settings.engine.url:
        engine = await source.acquire(lambda status: None)
        facts = engine.facts
        return _Model(EngineWording(engine), facts.window, facts.block_size, facts.fingerprint.tokenizer)
    if not models.prepared(settings.engine.model):
        raise WriterError(say("The model is not prepared yet. Run writer engine start once, then plan again."))
    trusted = launch.is_trusted(settings.engine)
    folder = models.resolve(settings.engine.model, lambda line: None, trusted=trusted)
    wording = model_wording(folder)
    if wording is None:
        raise WriterError(
            say("This model's tokenizer is not in a form that can be read here. Start the engine to plan.")
        )
    model = models.fingerprint(folder)
    window = windows.expected(settings.engine.window, models.window(folder), model.model)
    return _Model(wording, window, _BLOCK, model.tokenizer)


def _earlier(manuscript: Manuscript, chapter: str, tokenizer: str) -> _Earlier:
    try:
        with state_of(manuscript) as state:
            if state is None:
                return _Earlier()
            known = known_texts(state.generations, chapter, tokenizer)
            return _Earlier(tuple(known), tuple(_last_read(state.generations, tokenizer)))
    except StateDamaged:  # `writer state check` tells; a plan can be made without it
        return _Earlier()


def _last_read(store: GenerationStore, tokenizer: str) -> list[tuple[int, ...]]:
    """Prompt and text of the last generations with that tokenizer."""
    last = [each.id for each in store.all() if each.fingerprint.tokenizer == tokenizer][-4:]
    return [store.generation(each).prompt_ids + store.load(each).token_ids for each in last]


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """Leading ids that are the same."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _show(chapter: Chapter, drawn: Plan, cached: int) -> None:
    tell(
        say(
            "Chapter {number}, {title}: {tokens:,} of {window:,} tokens, {free}.",
            number=chapter.number,
            title=chapter.title,
            tokens=drawn.tokens,
            window=drawn.window,
            free=_free(drawn),
        )
    )
    _row(say("part"), say("tokens"), say("changes"), say("what"))
    for part in drawn.parts:
        if part.included:
            _row(in_words(part.kind.value), f"{part.tokens:,}", part.changes.words, part.title)
    if cached:
        tell(
            say(
                "The first {cached:,} tokens are in the prefix cache, if the engine has not forgotten them meanwhile.",
                cached=cached,
            )
        )
    for sentence in [part.why for part in drawn.parts if part.cut]:
        tell(sentence)
    if gone := [f"{part.title} ({part.whole:,})" for part in drawn.parts if not part.included and part.why]:
        tell(say("Left out, for want of room, with their tokens:"))
        for line in textwrap.wrap(say(", ").join(map(one_line, gone)) + ".", 100):
            click.echo(f"  {line}")
    for note in drawn.notes:
        tell(note)


def _row(kind: str, tokens: str, changes: str, title: str) -> None:
    click.echo(f"  {padded(kind, 12)} {flush_right(tokens, 8)}  {padded(changes, 20)} {one_line(title, 60)}")


def _free(drawn: Plan) -> str:
    return say("with {to_write:,} kept free for what is written", to_write=drawn.to_write)


def _json(chapter: Chapter, drawn: Plan, cached: int) -> dict[str, Any]:
    parts = [
        {
            "kind": part.kind.value,
            "title": part.title,
            "tokens": part.tokens,
            "whole": part.whole,
            "included": part.included,
            "cut": part.cut,
            "why": part.why,
            "changes": part.changes.value,
        }
        for part in drawn.parts
    ]
    return {
        "chapter": chapter.path,
        "window": drawn.window,
        "tokens": drawn.tokens,
        "to_write": drawn.to_write,
        "cached_tokens": cached,
        "parts": parts,
        "left_out": list(drawn.left_out),
        "notes": list(drawn.notes),
    }
