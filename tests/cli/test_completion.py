"""Shells complete writer's commands, options and folders."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from command_line import CommandLine

from writer.cli.completion import SHELLS


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_says_how_to_use_it_and_is_the_shells(cli: CommandLine, shell: str) -> None:
    ran = cli("completion", shell)
    assert ran.code == 0
    assert ran.out.startswith("# ")
    assert f"_WRITER_COMPLETE={shell}_complete" in ran.out
    if program := shutil.which(shell):
        checked = subprocess.run([program, "-n"], input=ran.out, capture_output=True, text=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, "")


def completed(*words: str) -> list[str]:
    environ = {"_WRITER_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    command = [sys.executable, "-m", "writer"]
    ran = subprocess.run(command, env={**os.environ, **environ}, capture_output=True, text=True, check=True)
    return ran.stdout.split()


def test_commands_options_and_folders_are_completed() -> None:
    assert completed("writer", "dra") == ["plain,draft"]
    assert "plain,--instruction" in completed("writer", "draft", "--ins")
    assert completed("writer", "my-no") == ["dir,my-no"]
