"""Rewriting and inserting on the real engine: they run through, and go on after kill -9 as if undisturbed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.engine
TEXT = (
    "It was very late in the evening, and the lamp in the tower had gone out about an hour before anybody saw "
    "the ship. Nobody spoke.\n\nThe keeper climbed the stairs, one hand on the cold wall."
)
SHORTEN = ("--from", "It was very late", "--to", "saw the ship.", "--kind", "shorten", "--seed", 4)
INSERT = ("--from", "Nobody spoke.", "--kind", "insert", "--wish", "the wind rises", "--seed", 4)


def writer(env: dict[str, str], *words: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "writer", *map(str, words)]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)


def result(env: dict[str, str], *words: object) -> dict[str, Any]:
    """The last line of a command: the passage as it would be."""
    process = writer(env, *words, "--json")
    out, _ = process.communicate(timeout=400)
    assert process.returncode == 0, out
    return json.loads(out.splitlines()[-1])  # type: ignore[no-any-return]


def book(env: dict[str, str], folder: Path) -> Path:
    writer(env, "new", folder, "--title", "Salt").communicate(timeout=60)
    chapter(folder).write_text(TEXT, encoding="utf-8")
    return folder


def chapter(folder: Path) -> Path:
    return folder / "chapters/01-chapter-1.md"


def killed(env: dict[str, str], *words: object) -> str:
    """The generation of a command that was killed once five of its tokens were saved."""
    process = writer(env, *words, "--json")
    assert process.stdout is not None
    tokens = 0
    for line in process.stdout:
        event = json.loads(line)
        tokens += len(event.get("token_ids", ()))
        if tokens >= 5:
            break
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return str(event["generation"])


@pytest.mark.parametrize("asked", [SHORTEN, INSERT], ids=["shorten", "insert"])
def test_what_was_killed_goes_on_to_the_same_passage(
    real_engine: dict[str, str], tmp_path: Path, asked: tuple[object, ...]
) -> None:
    environ = os.environ | real_engine
    whole = result(environ, "rewrite", book(environ, tmp_path / "whole"), *asked)
    folder = book(environ, tmp_path / "cut")
    generation = killed(environ, "rewrite", folder, *asked)
    assert chapter(folder).read_text(encoding="utf-8") == TEXT
    gone_on = result(environ, "rewrite", folder, "--generation", generation)
    assert (gone_on["text"], gone_on["complete"]) == (whole["text"], whole["complete"])
    assert gone_on["text"].strip()


def test_an_accepted_insertion_stands_between_what_was_there(real_engine: dict[str, str], tmp_path: Path) -> None:
    environ = os.environ | real_engine
    folder = book(environ, tmp_path / "b")
    found = result(environ, "rewrite", folder, *INSERT, "--accept")
    now = chapter(folder).read_text(encoding="utf-8")
    assert now == TEXT[: found["start"]] + found["text"] + TEXT[found["start"] :]
    assert now.count("The keeper climbed the stairs, one hand") == 1
