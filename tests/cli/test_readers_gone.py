"""Output that nobody reads, encodings that lack a character, arguments that are no text: nothing is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from command_line import CommandLine

from writer.manuscript.chapter_file import ChapterFile

CHAPTER = "chapters/01-chapter-1.md"
SLOW = '{"tokens_per_second": 400, "batch": [1, 2]}'


def started(*words: object, **environ: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "writer", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"WRITER_SCRIPT": SLOW} | environ,
    )


def test_a_reader_that_goes_away_pauses_the_writing(cli: CommandLine, novel: Path) -> None:
    process = started("draft", novel, "--json", "--max-tokens", 4000)
    assert process.stdout is not None
    assert process.stderr is not None
    for _ in range(5):
        process.stdout.readline()
    process.stdout.close()
    assert process.wait(30) == 130
    assert process.stderr.read() == b""
    status = cli("status", novel, "--json").json
    found = status["chapters"][0]["generations"][0]
    assert found["state"] == "paused"
    assert found["tokens"] < 4000
    assert ChapterFile(novel / CHAPTER).read().text.strip()
    assert cli("resume", novel, "--json").lines[0]["resumed_from"] == found["tokens"]


def test_a_reader_of_a_listing_that_goes_away_is_no_error_of_ours(cli: CommandLine, novel: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    process = subprocess.run(
        [sys.executable, "-m", "writer", "status", str(novel)], stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert (process.returncode, process.stderr) == (1, b"")


def test_a_terminal_without_the_characters_gets_question_marks(cli: CommandLine, novel: Path) -> None:
    (novel / CHAPTER).rename(novel / "chapters" / "灯.md")
    for words in (["status", novel], ["status", novel, "--json"], ["draft", novel, "--max-tokens", 40]):
        process = started(*words, PYTHONIOENCODING="ascii:strict", WRITER_SCRIPT="{}")
        _, error = process.communicate(timeout=30)
        assert process.returncode == 0, error


def test_an_instruction_that_is_no_text(cli: CommandLine, novel: Path) -> None:
    assert cli("draft", novel, "--max-tokens", 5, "--instruction", os.fsdecode(b"More \xff rain")).code == 0


def test_all_with_a_chapter_that_cannot_be_read(cli: CommandLine, novel: Path) -> None:
    (novel / CHAPTER).write_bytes(b"\xff\xfe")
    assert "UTF-8" in cli("draft", novel, "--all").sentence


def test_another_programs_change_is_told(cli: CommandLine, novel: Path) -> None:
    process = started("draft", novel, "--max-tokens", 4000)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(40)
    (novel / CHAPTER).write_text("theirs", encoding="utf-8")
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Another program changed" in error


def test_a_pause_before_the_engine_is_there_says_so(cli: CommandLine, novel: Path) -> None:
    process = started("draft", novel, WRITER_SCRIPT='{"start_delay": 30}')
    assert process.stderr is not None
    process.stderr.readline()  # the engine starts
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=30)
    assert (process.returncode, error) == (130, b"Stopped before anything was written.\n")
