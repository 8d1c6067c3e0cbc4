"""What the command line says of itself, in Chinese: writer's own words and those of click."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HELP = """
import click
from writer.cli.click_words import translate
from writer.cli.main import whole

def show(command, name):
    print(command.get_help(click.Context(command, info_name=name, help_option_names=["-h", "--help"])))
    for below, each in getattr(command, "commands", {}).items():
        show(each, f"{name} {below}")

translate()
show(whole(), "writer")
"""
ENGLISH = re.compile(r"\b[a-z]{2,} [a-z]{2,}\b")
COMMANDS = re.compile(r"`[^`]*`|\"[^\"]*\"|writer( [\w-]+)+|[~$]\(?[^ ]*")


def spoken(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "WRITER_LANGUAGE": "zh", "PYTHONIOENCODING": "utf-8", "COLUMNS": "200"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_the_help_of_every_command_is_chinese(home: dict[str, str]) -> None:
    done = spoken("-c", HELP)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    assert len(lines) > 250
    assert [
        line for line in lines if not line.startswith("    writer ") and ENGLISH.search(COMMANDS.sub("", line))
    ] == []
    assert {line for line in lines if re.match(r"[A-Z][a-z]", line)} == set()  # headings


def test_a_wrong_command_line_is_told_in_chinese(home: dict[str, str]) -> None:
    done = spoken("-m", "writer", "draft", "--nonsense", "x")
    assert done.returncode == 2
    assert done.stderr.splitlines()[0].startswith("用法：")
    assert "没有选项 '--nonsense'" in done.stderr
    assert ENGLISH.search(COMMANDS.sub("", done.stderr)) is None
