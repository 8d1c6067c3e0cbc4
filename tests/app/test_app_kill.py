"""kill -9 of the full app while the real engine writes, relaunch, Continue: nothing shown is lost or doubled.

With the scripted engine this is the stage "app-kill" of tests/faults.

The whole is compared with an undisturbed draft of the same seed. The app shows a word only after its batch is
committed; what stands on the screen at the kill must be in the database.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from app_terminal import WRITER, App
from conditions import wait_until

from writer.text.count import words

KILLS = int(os.environ.get("WRITER_APP_KILLS", "2"))
CHAPTER = "chapters/01-chapter-1.md"
TOKENS = int(os.environ.get("WRITER_APP_TOKENS", "140"))  # more on a fast engine, or it ends before the kill
INTRO = "The lamp had gone out an hour before the ship was seen."
EDITOR_LEFT = 28  # the column behind the chapter list


def run(env: dict[str, str], *words: object) -> str:
    done = subprocess.run([*WRITER, *map(str, words)], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def new(env: dict[str, str], folder: Path) -> Path:
    run(env, "new", folder, "--title", "Salt")
    with (folder / "writer.toml").open("a") as file:
        file.write(f"\n[settings.writing]\nmax_tokens = {TOKENS}\n[settings.editor]\nautosave = 0.3\n")
    (folder / CHAPTER).write_text(INTRO)
    return folder


def generation(env: dict[str, str], folder: Path) -> dict[str, Any]:
    found = json.loads(run(env, "state", "export", folder, "--json"))["generations"]
    assert len(found) == 1
    return found[0]  # type: ignore[no-any-return]


def undisturbed(env: dict[str, str], folder: Path, seed: int) -> tuple[list[int], str]:
    new(env, folder)
    run(env, "draft", folder, "--seed", seed, "--json")
    return generation(env, folder)["token_ids"], (folder / CHAPTER).read_text()


def letters(text: str) -> str:
    """Without white space and borders: how a text looks on any screen."""
    return re.sub(r"[\s▁▂▃▄▅▆▇█▎▊]", "", text)


def trial(env: dict[str, str], folder: Path, delay: float) -> bool:
    """One kill, relaunch and Continue. False if the text had come to its end before the kill: then nothing is shown."""
    new(env, folder)
    screen = killed_after(env, folder, delay)
    stored = generation(env, folder)
    if stored["state"] != "interrupted":
        return False
    whole = letters(INTRO + stored["text"])
    for line in screen[:-3]:
        assert letters(line[EDITOR_LEFT:]) in whole, (line, whole[-200:])
    count = re.search(r"([\d,]+) words", screen[-2])
    assert count, screen[-2]
    assert int(count[1].replace(",", "")) <= words(INTRO + stored["text"])
    continued(env, folder)
    final = generation(env, folder)
    ids, text = undisturbed(env, folder.with_name(folder.name + "-whole"), final["sampling"]["seed"])
    assert final["token_ids"] == ids
    assert (folder / CHAPTER).read_text() == text
    return True


def killed_after(env: dict[str, str], folder: Path, delay: float) -> list[str]:
    """The screen at a kill, `delay` seconds after the stream began to show."""
    app = App(folder, env)
    try:
        app.shows("saved")
        app.press("\x07")
        app.shows("tok/s", 120)
        end = time.monotonic() + delay
        wait_until(lambda: (app.screen(), time.monotonic() >= end)[1], delay + 5)  # a random moment of the stream
        screen = app.screen()
        app.kill()
        return screen
    finally:
        app.close()


def continued(env: dict[str, str], folder: Path) -> None:
    """Relaunches, takes Continue, waits for the end, quits."""
    app = App(folder, env)
    try:
        app.shows("Continue", 60)
        app.press("\r")
        wait_until(lambda: (app.screen(), _ended(env, folder))[1], 120, what="the continued chapter to end")
        app.quit()
    finally:
        app.close()


def trials(env: dict[str, str], root: Path, seed: int, longest: float) -> None:
    """KILLS trials that struck a stream; a model may end its text early, so some need another go."""
    rnd = random.Random(seed)
    struck = tried = 0
    while struck < KILLS:
        assert tried < 4 * KILLS + 4, "the text ends before it can be killed: raise WRITER_APP_TOKENS"
        struck += trial(env, root / str(tried), rnd.uniform(0, longest))
        tried += 1


def _ended(env: dict[str, str], folder: Path) -> bool:
    return str(generation(env, folder)["state"]) in ("truncated", "finished")


@pytest.mark.terminal
@pytest.mark.engine
def test_killed_with_the_real_engine(real_engine: dict[str, str], tmp_path: Path) -> None:
    trials(real_engine, tmp_path, 2, 2.0)
