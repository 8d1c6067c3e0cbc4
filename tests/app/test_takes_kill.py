"""kill -9 of the full app in the midst of four takes, relaunch: all are offered, whole, and go on."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from app_terminal import WRITER, App

from writer.text.count import words

INTRO = "The lamp had gone out an hour before the ship was seen."


def run(env: dict[str, str], *arguments: object) -> str:
    done = subprocess.run([*WRITER, *map(str, arguments)], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def stored(env: dict[str, str], folder: Path) -> list[dict[str, Any]]:
    """The takes that the database holds, the oldest first."""
    found = json.loads(run(env, "state", "export", folder, "--json"))["generations"]
    return sorted(found, key=lambda each: each["created"])


def counted(screen: list[str]) -> list[int]:
    """The words that the sheet says of each take that is in view."""
    return [int(count.replace(",", "")) for line in screen for count in re.findall(r"\d · ([\d,]+) words", line)]


@pytest.mark.terminal
def test_takes_are_offered_whole_after_a_kill(home: dict[str, str], tmp_path: Path) -> None:
    env = home | {"WRITER_ENGINE": "scripted", "WRITER_SCRIPT": json.dumps({"tokens_per_second": 40})}
    folder = tmp_path / "novel"
    run(env, "new", folder, "--title", "Salt")
    chapter = next(folder.glob("chapters/*.md"))
    chapter.write_text(INTRO)
    app = App(folder, env)
    try:
        app.shows("saved")
        app.press("\x14")  # ctrl+t
        app.shows("none yet")
        app.press("n")
        app.shows("How many")
        app.press("4\r")
        app.shows("4 at once")
        app.shows(" tok/s")
        seen = counted(app.screen())
        app.kill()
    finally:
        app.close()
    takes = stored(env, folder)
    assert [each["state"] for each in takes] == ["interrupted"] * 4
    assert len(seen) == 3  # columns of a window of that width
    for shown, each in zip(seen, takes, strict=False):
        assert shown <= words(each["text"])
    again(env, folder, [words(each["text"]) for each in takes])
    assert chapter.read_text() == INTRO
    gone_on = stored(env, folder)
    assert len(gone_on) == 4
    for before, after in zip(takes, gone_on, strict=True):
        assert after["token_ids"][: len(before["token_ids"])] == before["token_ids"]
    assert len(gone_on[0]["token_ids"]) > len(takes[0]["token_ids"])


def again(env: dict[str, str], folder: Path, counts: list[int]) -> None:
    """Relaunched: the card leads to the takes, as they are stored, and the first goes on."""
    app = App(folder, env)
    try:
        app.shows("4 takes were interrupted")
        app.press("\r")
        app.shows("4 at once")
        app.shows(f"1 · {counts[0]:,} words · paused")
        assert counted(app.screen()) == counts[:3]
        app.press("g")
        app.shows(" tok/s")
        app.press("\x1b")
        app.quit()
    finally:
        app.close()
