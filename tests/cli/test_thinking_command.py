"""A model that thinks first, from the command line: the text alone is printed, its thought if it is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import CommandLine

CHAPTER = "chapters/01-chapter-1.md"
DRAFT = ("--max-tokens", 30, "--seed", 5, "--think")


@pytest.fixture(autouse=True)
def thinks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRITER_SCRIPT", json.dumps({"think": 25}))


def test_draft_prints_the_text_alone_and_counts_the_thought(cli: CommandLine, novel: Path) -> None:
    ran = cli("draft", novel, *DRAFT)
    text = (novel / CHAPTER).read_text(encoding="utf-8")
    assert ran.code == 0
    assert text.strip()
    assert ran.out.startswith(text)
    assert "The model has thought for" in ran.err


def test_the_thought_is_shown_on_the_standard_error_when_it_is_asked_for(cli: CommandLine, novel: Path) -> None:
    quiet = cli("draft", novel, *DRAFT).err
    other = novel.parent / "other"
    cli("new", other, "--title", "Salt")
    loud = cli("draft", other, *DRAFT, "--thought")
    assert len(loud.err) > len(quiet) + 50
    assert loud.out.startswith((other / CHAPTER).read_text(encoding="utf-8"))


def test_the_events_tell_thought_and_text_apart(cli: CommandLine, novel: Path) -> None:
    lines = cli("draft", novel, *DRAFT, "--json").lines
    batches = [line for line in lines if line["event"] == "batch"]
    assert [line["event"] for line in lines].count("started") == 2
    assert "".join(each.get("thought", "") for each in batches)
    assert all(not each["text"] for each in batches if "thought" in each)
    assert "".join(each["text"] for each in batches) == (novel / CHAPTER).read_text(encoding="utf-8")


def test_a_model_that_cannot_think_is_told_of(cli: CommandLine, novel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WRITER_SCRIPT")
    assert "This model does not think before it writes" in cli("draft", novel, *DRAFT).err
    assert "does not think" not in cli("draft", novel, "--max-tokens", 5).err


def test_the_settings_of_the_manuscript_hold_and_can_be_overruled(cli: CommandLine, novel: Path) -> None:
    with (novel / "writer.toml").open("a") as file:
        file.write("\n[settings.writing]\nthink = true\n")
    asked = cli("plan", novel, "--request").out
    assert asked.rstrip().endswith("<think>")
    started = [line for line in cli("draft", novel, "--no-think", "--json").lines if line["event"] == "started"]
    assert len(started) == 1
