"""`writer rewrite`: which passage, what is printed, what is written, and what a kill leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from command_line import CommandLine

from writer.cli.passage import by_lines, by_words
from writer.errors import ManuscriptError

CHAPTER = "chapters/01-chapter-1.md"
TEXT = "# One\n\nIt was late. The lamp had gone out an hour before. Nobody spoke.\n\nThe ship was near.\n"
PLACE = ("--from", "The lamp", "--to", "before.")


@pytest.fixture
def written(novel: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A chapter with text, and a model that ends by itself."""
    (novel / CHAPTER).write_text(TEXT, encoding="utf-8")
    monkeypatch.setenv("WRITER_SCRIPT", json.dumps({"finish_at": 14}))
    return novel


def test_what_would_change_is_printed_and_nothing_is_written(cli: CommandLine, written: Path) -> None:
    ran = cli("rewrite", written, *PLACE, "--kind", "shorten", "--seed", 3)
    assert ran.code == 0, ran
    assert "[-" in ran.out
    assert "{+" in ran.out
    assert (written / CHAPTER).read_text(encoding="utf-8") == TEXT


def test_the_result_as_json_is_one_object_after_its_batches(cli: CommandLine, written: Path) -> None:
    ran = cli("rewrite", written, *PLACE, "--kind", "tense", "--seed", 3, "--json")
    begun, started, *batches, last = ran.lines
    assert [begun["event"], started["event"], last["event"]] == ["begun", "started", "rewritten"]
    assert {b["event"] for b in batches} == {"batch"}
    assert {b["generation"] for b in batches} == {begun["generation"]} == {last["generation"]}
    assert TEXT[last["start"] : last["end"]] == last["original"] == "The lamp had gone out an hour before."
    assert last["complete"]
    assert last["hunks"]


def test_an_accepted_rewriting_takes_the_place_of_the_passage_alone(cli: CommandLine, written: Path) -> None:
    ran = cli("rewrite", written, *PLACE, "--seed", 3, "--accept", "--json")
    found = ran.lines[-1]
    assert ran.code == 0, ran
    now = (written / CHAPTER).read_text(encoding="utf-8")
    assert now == TEXT[: found["start"]] + found["text"] + TEXT[found["end"] :] != TEXT
    again = cli("rewrite", written, "--generation", found["generation"])
    assert again.code == 1, "its passage is not there any more"


def test_a_rewriting_can_be_accepted_in_part(cli: CommandLine, written: Path) -> None:
    found = cli("rewrite", written, *PLACE, "--seed", 3, "--json").lines[-1]
    again = ("rewrite", written, "--generation", found["generation"], "--accept", "--hunks")
    assert f"the last one is {len(found['hunks'])}" in cli(*again, len(found["hunks"]) + 1).sentence
    assert cli(*again, 1).code == 0
    first = found["hunks"][0]
    original = found["original"]
    part = original[: first["start"]] + first["replacement"] + original[first["end"] :]
    assert part in (written / CHAPTER).read_text(encoding="utf-8")


def test_the_text_before_is_kept_as_a_version(cli: CommandLine, written: Path, home: dict[str, str]) -> None:
    assert cli("rewrite", written, *PLACE, "--accept", "--seed", 3).code == 0
    files = (Path(home["XDG_STATE_HOME"]) / "writer").rglob("versions/**/*.z")
    assert TEXT.encode() in [zlib.decompress(file.read_bytes()) for file in files]


def test_an_insertion_stands_behind_the_words_that_were_named(cli: CommandLine, written: Path) -> None:
    ran = cli("rewrite", written, "--from", "It was late.", "--kind", "insert", "--seed", 3, "--accept", "--json")
    found = ran.lines[-1]
    assert found["original"] == ""
    now = (written / CHAPTER).read_text(encoding="utf-8")
    assert now == TEXT[: found["start"]] + found["text"] + TEXT[found["start"] :]
    assert TEXT[: found["start"]].endswith("It was late.")


def test_several_are_written_at_once_and_each_is_shown(cli: CommandLine, written: Path) -> None:
    ran = cli("rewrite", written, "--lines", "3", "--count", 3, "--seed", 3, "--json")
    found = [line for line in ran.lines if line["event"] == "rewritten"]
    assert len({line["generation"] for line in found}) == 3
    assert len({line["text"] for line in found}) == 3
    assert {line["original"] for line in found} == {TEXT.splitlines()[2]}


def test_one_that_has_ended_is_shown_again_by_its_name(cli: CommandLine, written: Path) -> None:
    first = cli("rewrite", written, *PLACE, "--seed", 3, "--json").lines[-1]
    (written / CHAPTER).write_text("Before.\n\n" + TEXT, encoding="utf-8")
    again = cli("rewrite", written, "--generation", first["generation"], "--json").lines[-1]
    assert again | {"start": 0, "end": 0} == first | {"start": 0, "end": 0}
    assert again["start"] == first["start"] + len("Before.\n\n")


def test_a_killed_rewriting_goes_on_and_is_what_it_would_have_been(
    cli: CommandLine, written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("rewrite", written, *PLACE, "--kind", "expand", "--seed", 3)
    end = cli(*asked, "--json").lines[1]["prompt_tokens"] + 40
    monkeypatch.setenv("WRITER_SCRIPT", json.dumps({"end_position": end}))
    whole = cli(*asked, "--json").lines[-1]
    assert whole["complete"]
    slow = os.environ | {"WRITER_SCRIPT": json.dumps({"end_position": end, "tokens_per_second": 40, "batch": [1, 1]})}
    command = [sys.executable, "-m", "writer", *map(str, asked), "--json"]
    process = subprocess.Popen(command, env=slow, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    generation = ""
    for line in process.stdout:
        event = json.loads(line)
        generation = event["generation"]
        if event["event"] == "batch" and event["ordinal"] >= 3:
            break
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert (written / CHAPTER).read_text(encoding="utf-8") == TEXT
    resumed = cli("rewrite", written, "--generation", generation, "--json").lines[-1]
    assert resumed["text"] == whole["text"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--from", "The sun"), "does not stand in this chapter"),
        (("--from", "The"), "more than once"),
        (("--from", "The ship", "--to", "late."), "does not stand behind"),
        (("--lines", "9:2"), "Lines are given as A:B"),
        (("--lines", "x"), "Lines are given as A:B"),
        (("--generation", "nope"), "is not of this manuscript"),
        (("--from", "The lamp", "--kind", "free"), "Say what should become"),
        (("--from", "The lamp", "--chapter", "7"), "There is no chapter 7"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    cli: CommandLine, written: Path, words: tuple[str, ...], said: str
) -> None:
    assert said in cli("rewrite", written, *words).sentence


@pytest.mark.parametrize(
    "words", [(), ("--from", "a", "--lines", "1"), (*PLACE, "--count", "2", "--accept"), (*PLACE, "--hunks", "1")]
)
def test_what_makes_no_sense_is_a_usage_error(cli: CommandLine, written: Path, words: tuple[str, ...]) -> None:
    assert cli("rewrite", written, *words).code == 2


def test_a_model_that_only_continues_text_is_refused_what_it_cannot_do(
    cli: CommandLine, written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WRITER_SCRIPT", json.dumps({"template": False}))
    assert "only continues text" in cli("rewrite", written, *PLACE, "--kind", "view").sentence


def test_places_by_words_and_by_lines() -> None:
    assert TEXT[slice(*by_words(TEXT, "The lamp", "before."))] == "The lamp had gone out an hour before."
    assert TEXT[slice(*by_words(TEXT, "The lamp", ""))] == "The lamp"
    assert TEXT[slice(*by_lines(TEXT, "3:5"))] == "\n".join(TEXT.split("\n")[2:5])
    assert TEXT[slice(*by_lines(TEXT, "6"))] == ""
    with pytest.raises(ManuscriptError):
        by_lines(TEXT, "7")
