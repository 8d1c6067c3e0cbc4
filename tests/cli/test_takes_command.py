"""`writer takes`: written several at once beside the chapter, listed as a tree, shown, chosen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine

CHAPTER = "chapters/01-chapter-1.md"


def written(cli: CommandLine, novel: Path, *more: object) -> list[str]:
    """The generations of three takes."""
    ran = cli("takes", novel, "--write", 3, "--max-tokens", 30, "--seed", 7, "--json", *more)
    assert ran.code == 0, ran
    return [line["generation"] for line in ran.lines if line["event"] == "finished"]


def listed(cli: CommandLine, novel: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = cli("takes", novel, "--json").json["takes"]
    return found


def test_takes_are_written_at_once_and_the_chapter_stays(cli: CommandLine, novel: Path) -> None:
    before = (novel / CHAPTER).read_bytes()
    ran = cli("takes", novel, "--write", 3, "--max-tokens", 30, "--seed", 7, "--json")
    batches = [line for line in ran.lines if line["event"] == "batch"]
    ends = [line for line in ran.lines if line["event"] == "finished"]
    assert [(end["chapter"], end["tokens"], end["reason"]) for end in ends] == [(CHAPTER, 30, "length")] * 3
    assert {batch["chapter"] for batch in batches} == {CHAPTER}
    texts = {take["generation"]: take["text"] for take in listed(cli, novel)}
    assert len(texts) == 3
    for end in ends:
        told = "".join(batch["text"] for batch in batches if batch["generation"] == end["generation"])
        assert texts[end["generation"]] == told != ""
    assert (novel / CHAPTER).read_bytes() == before


def test_a_take_is_shown_and_chosen(cli: CommandLine, novel: Path) -> None:
    before = (novel / CHAPTER).read_text(encoding="utf-8")
    first, second, third = written(cli, novel)
    text = next(take["text"] for take in listed(cli, novel) if take["generation"] == second)
    assert cli("takes", novel, "--show", second).out == text + "\n"
    assert cli("takes", novel, "--show", second, "--json").json["text"] == text
    assert cli("takes", novel, "--choose", second, "--json").json["chosen"] == second
    assert (novel / CHAPTER).read_text(encoding="utf-8") == before + text
    reasons = {take["generation"]: (take["finish_reason"], take["inside"]) for take in listed(cli, novel)}
    assert reasons == {first: ("kept", False), second: ("chosen", True), third: ("kept", False)}
    assert "has changed since" in cli("takes", novel, "--choose", third).sentence
    assert "nothing" in cli("draft", novel, "--all").out


def test_a_take_goes_on_from_inside_another(cli: CommandLine, novel: Path) -> None:
    before = (novel / CHAPTER).read_text(encoding="utf-8")
    first, *_ = written(cli, novel)
    [child, *_] = written(cli, novel, "--after", first, "--tokens", 9)
    takes = {take["generation"]: take for take in listed(cli, novel)}
    assert (takes[child]["parent"], takes[child]["depth"]) == (first, 1)
    assert takes[child]["parent_tokens"] <= 9
    cli("takes", novel, "--choose", child)
    after = (novel / CHAPTER).read_text(encoding="utf-8")
    assert after.startswith(before + takes[first]["text"][:10])
    assert after.endswith(takes[child]["text"])
    assert len(after) < len(before) + len(takes[first]["text"]) + len(takes[child]["text"])


def test_the_list_for_people(cli: CommandLine, novel: Path) -> None:
    assert "Nothing was generated there yet" in cli("takes", novel).out
    first, *_ = written(cli, novel)
    cli("draft", novel, "--max-tokens", 20)
    out = cli("takes", novel, "--chapter", 1).out
    assert out.startswith("1. Chapter 1\n")
    assert sum(line.startswith(" * ") for line in out.splitlines()) == 1
    assert f"   {first}  take, truncated" in out


def test_interrupted_takes_go_on_with_all_that_was_interrupted(
    cli: CommandLine, novel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WRITER_SCRIPT", json.dumps({"die_at": 12}))
    ran = cli("takes", novel, "--write", 3, "--max-tokens", 30)
    assert ran.code == 1
    monkeypatch.setenv("WRITER_SCRIPT", "{}")
    assert cli("resume", novel, "--all", "--json").lines[-1] == {
        "event": "done", "finished": 3, "paused": 0, "failed": 0, "left": 0,
    }  # fmt: skip
    assert [take["tokens"] for take in listed(cli, novel)] == [30] * 3
    assert "Nothing was interrupted" in cli("resume", novel, "--all").out
    one = cli("resume", novel, "--json").lines  # nothing waits in the chapter itself
    assert (one[0]["resumed_from"], one[-1]["tokens"]) == (30, 60)


def test_wrong_words_are_answered_in_one_sentence(cli: CommandLine, novel: Path) -> None:
    assert "no text 'x'" in cli("takes", novel, "--show", "x").sentence
    assert "no text 'x'" in cli("takes", novel, "--choose", "x").sentence
    assert "no text 'x'" in cli("takes", novel, "--write", 2, "--after", "x").sentence
    assert "no chapter 9" in cli("takes", novel, "--write", 2, "--chapter", 9).sentence
    assert cli("takes", novel, "--show", "x", "--choose", "y").code == 2


def test_what_is_in_the_chapter_is_no_take_to_choose(cli: CommandLine, novel: Path) -> None:
    drafted = cli("draft", novel, "--max-tokens", 20, "--json").lines[0]["generation"]
    assert "Only a take" in cli("takes", novel, "--choose", drafted).sentence
    assert "is in the chapter" in cli("takes", novel, "--write", 1, "--after", drafted).sentence
