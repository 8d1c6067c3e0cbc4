"""`writer draft --all` and `resume --all` as whole programs: several chapters at once, Ctrl-C, kill -9, outline."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine

from writer.manuscript.project import open_manuscript

TITLES = ["One", "Two", "Three", "Four", "Five"]


@pytest.fixture
def outlined(novel: Path) -> Path:
    (novel / "chapters/01-chapter-1.md").write_text("# One\n\n")
    (novel / "outline.md").write_text("".join(f"# {title}\n\nIt happens.\n\n" for title in TITLES))
    return novel


def texts(novel: Path) -> dict[str, str]:
    return {each.title: (novel / each.path).read_text(encoding="utf-8") for each in open_manuscript(novel).chapters}


def begun(novel: Path, stop: signal.Signals, **script: object) -> tuple[int, list[dict[str, Any]]]:
    """A run that gets the signal once two chapters are being written; its exit code, and what it printed."""
    process = subprocess.Popen(
        [sys.executable, "-m", "writer", "draft", str(novel), "--all", "--parallel", "3", "--max-tokens", "90",
         "--seed", "4", "--json"],
        env=os.environ | {"WRITER_SCRIPT": json.dumps({"tokens_per_second": 60} | script)},
        stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    lines = []
    while len({line["generation"] for line in lines if line["event"] == "batch"}) < 2:
        lines.append(json.loads(process.stdout.readline()))
    process.send_signal(stop)
    rest, _ = process.communicate(timeout=60)
    return process.returncode, lines + [json.loads(line) for line in rest.splitlines(keepends=True) if b"\n" in line]


def test_chapters_of_the_outline_are_made_and_written(cli: CommandLine, outlined: Path) -> None:
    ran = cli("draft", outlined, "--all", "--max-tokens", 20, "--json")
    assert ran.code == 0
    assert ran.lines[-1] == {"event": "done", "finished": 5, "paused": 0, "failed": 0, "left": 0}
    ends = {line["chapter"]: line for line in ran.lines if line["event"] == "finished"}
    assert list(texts(outlined)) == TITLES
    assert set(ends) == {chapter.path for chapter in open_manuscript(outlined).chapters}
    for chapter, end in ends.items():
        mine = [line for line in ran.lines if line["event"] == "batch" and line["chapter"] == chapter]
        assert {line["generation"] for line in mine} == {end["generation"]}
        assert (outlined / chapter).read_text(encoding="utf-8").endswith("".join(line["text"] for line in mine))
    before = texts(outlined)
    assert "nothing was written" in cli("draft", outlined, "--all").out
    assert texts(outlined) == before


def test_an_interrupt_pauses_all_and_the_next_run_goes_on(cli: CommandLine, outlined: Path) -> None:
    code, lines = begun(outlined, signal.SIGINT)
    assert code == 130
    assert lines[-1]["event"] == "done"
    assert lines[-1]["paused"] == 5
    paused = {line["generation"]: line["tokens"] for line in lines if line["event"] == "paused" and line["generation"]}
    again = cli("draft", outlined, "--all", "--max-tokens", 90, "--seed", 4, "--json").lines
    resumed = {line["generation"]: line["resumed_from"] for line in again if line["event"] == "started"}
    assert again[-1]["finished"] == 5
    assert {each: resumed[each] for each in paused} == paused
    assert list(texts(outlined)) == TITLES


def test_a_killed_run_is_gone_on_with_where_each_stood(cli: CommandLine, outlined: Path) -> None:
    _, lines = begun(outlined, signal.SIGKILL)
    told = {line["generation"]: "" for line in lines if line["event"] == "batch"}
    for line in lines:
        if line["event"] == "batch":
            told[line["generation"]] += line["text"]
    again = cli("resume", outlined, "--all", "--json").lines
    assert set(told) <= {line["generation"] for line in again if line["event"] == "finished"}
    assert cli("draft", outlined, "--all", "--max-tokens", 90, "--seed", 4, "--json").code == 0
    whole = "".join(texts(outlined).values())
    assert all(text in whole for text in told.values())
    made = [each["generations"] for each in cli("status", outlined, "--json").json["chapters"]]
    assert [len(generations) for generations in made] == [1] * 5
    assert {generations[0]["tokens"] for generations in made} == {90}


def test_a_chapter_that_cannot_be_written_does_not_stop_the_others(cli: CommandLine, outlined: Path) -> None:
    (outlined / "chapters/02-two.md").write_bytes(b"# Two\n\xff\xfe\xff")
    ran = cli("draft", outlined, "--all", "--max-tokens", 20)
    assert ran.code == 1
    assert "4 finished, 1 failed" in ran.err.splitlines()[-1]
    assert sum("20 tokens" in line for line in ran.err.splitlines()) == 4
    assert any("UTF-8" in line for line in ran.err.splitlines())
