"""`writer status` and `writer doctor`: look, change nothing, start nothing."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from writer import locations
from writer.bootstrap import settings_for
from writer.cli.codes import in_words
from writer.cli.output import emit, tell
from writer.cli.writing import FOLDER
from writer.errors import ChapterUnreadable
from writer.generation.model import Generation
from writer.language import say, together
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.lock import holder
from writer.manuscript.model import Manuscript
from writer.manuscript.project import open_manuscript
from writer.process import boot_id
from writer.storage.snapshot import snapshot
from writer.storage.state_file import StateFile
from writer.text.count import ago, words


@click.command(help=say("Chapters, generations, and what can go on. Works while the app has the manuscript open."))
@click.argument("folder", type=FOLDER)
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object."))
def status(folder: Path, as_json: bool) -> None:
    manuscript = open_manuscript(folder)
    with state_of(manuscript) as state:
        generations = state.generations.all() if state else []
        for note in state.notes if state else ():
            tell(note, error=True)
    if as_json:
        emit(_status_json(manuscript, generations))
        return
    for chapter in manuscript.chapters:
        tell(
            say(
                "{number}. {title}: {words:,} words",
                number=chapter.number,
                title=chapter.title,
                words=_words(manuscript, chapter.path),
            )
        )
        for g in generations:
            if g.chapter == chapter.path:
                tell(
                    say(
                        "   {id}  {state}, {tokens:,} tokens, {time}",
                        id=g.id,
                        state=in_words(g.state),
                        tokens=g.tokens,
                        time=ago(time.time() - g.updated),
                    )
                )
    count = sum(g.state.resumable for g in generations)
    tell(
        say("{count} can go on: writer resume {folder}", count=count, folder=folder)
        if count
        else say("Nothing waits to go on.")
    )


@click.command(
    help=say(
        "What works on this machine, what does not, and what to do; with FOLDER also on what disk a manuscript lies."
    )
)
@click.argument("folder", type=FOLDER, required=False)
@click.option("--quick", is_flag=True, help=say("Do not load vLLM on trial, which takes seconds."))
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object."))
def doctor(folder: Path | None, quick: bool, as_json: bool) -> None:
    manuscript = open_manuscript(folder) if folder else None
    from writer.doctor import findings

    found = findings(settings_for(None, os.environ), os.environ, manuscript, on_trial=not quick)
    bad = any(f.state == "bad" for f in found)
    if as_json:
        emit({"ok": not bad, "findings": [asdict(f) for f in found]})
    else:
        lines = {
            "ok": say("ok   {subject}: {sentence}"),
            "warn": say("note {subject}: {sentence}"),
            "bad": say("BAD  {subject}: {sentence}"),
        }
        for f in found:
            told = lines[f.state].format(subject=f.subject, sentence=f.sentence)
            tell(together(told, f.next_step))
    raise SystemExit(1 if bad else 0)


@contextmanager
def state_of(manuscript: Manuscript, *, salvaging: bool = False) -> Iterator[StateFile | None]:
    """A copy of the manuscript's state, reconciled if nobody writes in it; None if nothing was ever written.

    With `salvaging`, what can be read of a damaged one; else that raises StateDamaged.
    """
    folder = locations.state_dir(manuscript.id)
    path = folder / "state.db"
    if not path.exists():
        yield None
        return
    with snapshot(path, boot_id=boot_id(), salvaging=salvaging) as state:
        if holder(folder) is None:
            state.reconcile()
        yield state


def _status_json(manuscript: Manuscript, generations: list[Generation]) -> dict[str, Any]:
    chapters = [
        {
            "number": chapter.number,
            "title": chapter.title,
            "words": _words(manuscript, chapter.path),
            "generations": [
                {"id": g.id, "state": g.state, "finish_reason": g.finish_reason, "tokens": g.tokens}
                for g in generations
                if g.chapter == chapter.path
            ],
        }
        for chapter in manuscript.chapters
    ]
    return {"chapters": chapters, "resumable": [g.id for g in generations if g.state.resumable]}


def _words(manuscript: Manuscript, chapter: str) -> int:
    try:
        return words(ChapterFile(manuscript.folder / chapter).read().text)
    except ChapterUnreadable:
        return 0
