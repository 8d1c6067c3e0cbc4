"""What the commands print holds no control code of a text, as JSON and in the progress bar too."""

from __future__ import annotations

import json

import pytest

from writer.cli.output import emit
from writer.cli.progress import Bar
from writer.engine.base import EngineStatus
from writer.runtime.events import EngineProgressed

HOSTILE = "a\x1b]0;t\x07\x9b6n\x7f\u202e\u2028é灯"


def test_json_escapes_whatever_a_terminal_obeys_and_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    emit({"text": HOSTILE})
    line = capsys.readouterr().out
    assert json.loads(line) == {"text": HOSTILE}
    assert line.rstrip("\n").isascii()
    assert not {"\x1b", "\x9b", "\x7f"} & set(line)


def test_json_leaves_ordinary_text_readable(capsys: pytest.CaptureFixture[str]) -> None:
    emit({"text": "é灯\n\t"})
    assert capsys.readouterr().out == '{"text": "é灯\\n\\t"}\n'


def test_the_progress_bar_cleans_the_first_thing_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    bar = Bar(10, lambda event: "")
    try:
        bar(EngineProgressed(EngineStatus(state="starting", sentence=HOSTILE)))
    finally:
        bar._ended()
    told = capsys.readouterr().err
    assert "Engine: a" in told
    assert "\x1b]0;t" not in told
    assert "\x9b" not in told
