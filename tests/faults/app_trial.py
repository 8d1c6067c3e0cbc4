"""One manuscript, the whole app on a terminal, one or two kills, and Continue: what was lost, doubled or changed."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app_plants import environ_with
from app_terminal import App
from conditions import wait_until
from terminal_modes import unusable

from writer.bootstrap import open_desk
from writer.errors import StateLocked
from writer.generation.model import Generation, Sampling, Saved, State
from writer.locations import state_dir
from writer.manuscript.project import create, open_manuscript
from writer.process import boot_id
from writer.runtime.headless import Headless
from writer.storage.snapshot import snapshot
from writer.text.count import words

CHAPTER = "chapters/01-chapter-1.md"
INTRO = "The lamp had gone out an hour before the ship was seen."
TOKENS, SPEED = 110, 80  # what is written, and how many tokens in a second
_PANE_LEFT = 28  # the column behind the chapter list
_WIDE = re.compile("[👩‍👧\u200d]")
"""The terminal of the test and the app do not agree how wide a family is; such a row is not compared."""
_AT_REST = "Paused: Ctrl+G goes on"
_GOES_ON = (State.RUNNING, State.PAUSED, State.INTERRUPTED)
_SETTINGS = f"\n[settings.writing]\nmax_tokens = {TOKENS}\n[settings.editor]\nautosave = 0.3\n"
ENVIRON = {"WRITER_ENGINE": "scripted", "WRITER_SCRIPT": json.dumps({"tokens_per_second": SPEED})}


@dataclass(frozen=True, slots=True)
class Trial:
    """`struck`: a stream was running at a kill. `wrong` holds what must not be."""

    kills: int
    struck: int
    wrong: tuple[str, ...]


def run(folder: Path, chance: str, plant: str = "") -> Trial:
    """A trial whose cuts are drawn from `chance`."""
    rnd = random.Random(chance)
    _new(folder)
    wrong: list[str] = []
    struck = kills = 0
    for kill in range(1 if rnd.random() < 0.7 else 2):
        screen, app_wrong = _killed(folder, plant, rnd, again=kill > 0)
        wrong += app_wrong
        kills += 1
        stored, saved = _stored(folder)
        struck += stored is not None and stored.state is State.RUNNING
        wrong += _not_saved(screen, INTRO + saved.text)
        if stored is None or stored.state not in _GOES_ON:
            break
    if plant and wrong:
        return Trial(kills, struck, tuple(wrong))  # found
    if stored is not None:
        wrong += _ended(folder, plant, offered=stored.state in _GOES_ON)
    return Trial(kills, struck, (*wrong, *_unequal(folder, folder.with_name(f"{folder.name}-whole"))))


def _new(folder: Path) -> None:
    create(folder, title="Salt")
    with (folder / "writer.toml").open("a") as file:
        file.write(_SETTINGS)
    (folder / CHAPTER).write_text(INTRO)


def _start(folder: Path, plant: str) -> App:
    return App(folder, environ_with(plant, dict(os.environ) | ENVIRON))


def _killed(folder: Path, plant: str, rnd: random.Random, *, again: bool) -> tuple[list[str], list[str]]:
    """The screen at a kill, and what is wrong with the terminal after it."""
    app = _start(folder, plant)
    try:
        app.shows("Continue" if again else "saved")
        slave = os.open(os.readlink(f"/proc/{app.child.pid}/fd/0"), os.O_RDWR | os.O_NOCTTY)
        try:
            app.press("\r" if again else "\x07")
            if rnd.random() < 0.9:  # else it may hit the very beginning
                wait_until(lambda: _writes(app.screen()), 60, what="the stream")
            end = time.monotonic() + rnd.uniform(0, TOKENS / SPEED * (0.5 if again else 0.9))
            wait_until(lambda: (app.read(), time.monotonic() >= end)[1], 30)  # a random moment of the stream
            if rnd.random() < 0.1:
                app.press("\x07")  # it is being paused
            app.kill()
            wait_until(lambda: (app.read(), not app.child.isalive())[1], 30, what="the launcher's end")
            return app.last_screen(), [f"the terminal: {what}" for what in unusable(app.seen, slave)]
        finally:
            os.close(slave)
    except AssertionError as error:
        return [], [f"the app: {error}"]
    finally:
        app.close()


def _ended(folder: Path, plant: str, *, offered: bool) -> list[str]:
    """Relaunches, takes Continue if it is offered, waits for the end, quits; what went wrong."""
    app = _start(folder, plant)
    try:
        if offered:
            app.shows("Continue")
            app.press("\r")
        else:
            app.shows(_AT_REST)
        wait_until(lambda: (app.read(), _is_whole(folder))[1], 60, what="the end of the text")
        app.shows(_AT_REST)
        app.quit()
    except AssertionError as error:
        return [f"Continue: {error}"]
    finally:
        app.close()
    return []


def _writes(screen: list[str]) -> bool:
    """Whether the app writes, or has written all: no card is left, and the status tells it."""
    return not _card(screen) and any("tok/s" in line or _AT_REST in line for line in screen)


def _card(screen: list[str]) -> bool:
    return any("Discard" in line for line in screen)


def _is_whole(folder: Path) -> bool:
    try:
        generation, _ = _stored(folder)
    except StateLocked:  # it is being written
        return False
    return generation is not None and generation.state is State.TRUNCATED


def _stored(folder: Path) -> tuple[Generation | None, Saved]:
    """The generation as the next start will find it. Looked at in a copy."""
    with snapshot(state_dir(open_manuscript(folder).id) / "state.db", boot_id=boot_id()) as state:
        for generation in state.generations.all():
            return generation, state.generations.load(generation.id)
    return None, Saved()


def _not_saved(screen: list[str], whole: str) -> Iterator[str]:
    """What stands on the screen and is not saved, or stands there twice."""
    rows = [row[_PANE_LEFT:] for row in screen[:-3]]
    letters, found = _letters(whole), 0
    if _card(screen):
        return  # it stands before the text
    for piece in _pieces(rows):
        at = letters.find(piece, found)
        if at < 0:
            yield f"shown and not saved: {piece[-120:]!r}, while the saved text ends {letters[-60:]!r}"
            return
        found = at + len(piece)
    if screen and (count := re.search(r"([\d,]+) words", screen[-2])):
        shown = int(count[1].replace(",", ""))
        if shown > words(whole):
            yield f"{shown} words are told, {words(whole)} are saved"


def _pieces(rows: list[str]) -> Iterator[str]:
    """The rows' letters, joined where they follow each other."""
    piece = ""
    for row in rows:
        if _WIDE.search(row):
            yield piece
            piece = ""
        else:
            piece += _letters(row)
    yield piece


def _letters(text: str) -> str:
    """Without white space and borders: how a text looks on any screen."""
    return re.sub(r"[\s▁▂▃▄▅▆▇█▎▊]", "", text)


def _unequal(folder: Path, whole: Path) -> Iterator[str]:
    """How the manuscript differs from one that nobody disturbed, with the same seed."""
    generation, saved = _stored(folder)
    if generation is None:
        if (folder / CHAPTER).read_text() != INTRO:
            yield "the chapter was changed though nothing was written"
        return
    expected, text = asyncio.run(_undisturbed(whole, generation.sampling))
    if saved.token_ids != expected[: len(saved.token_ids)] or len(saved.token_ids) != len(expected):
        yield f"other tokens than those of an undisturbed run: {len(saved.token_ids)} of {len(expected)}"
    if (folder / CHAPTER).read_text() != text:
        yield f"another chapter than that of an undisturbed run: it ends {(folder / CHAPTER).read_text()[-80:]!r}"


async def _undisturbed(folder: Path, sampling: Sampling) -> tuple[tuple[int, ...], str]:
    _new(folder)
    front = Headless(lambda event: None, autosave=0.05)
    desk = open_desk(folder, {"WRITER_ENGINE": "scripted"}, front)
    try:
        await desk.open()
        await front.draft(desk, CHAPTER, "", sampling)
    finally:
        await desk.close()
    return _stored(folder)[1].token_ids, (folder / CHAPTER).read_text()
