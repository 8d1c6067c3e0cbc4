"""`--help`, the man page and the exit codes: each command has examples that hold, and the pages say what is."""

from __future__ import annotations

import re
import shlex
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from command_line import CommandLine

from writer.cli.examples import EXAMPLES
from writer.cli.main import whole
from writer.engine.scripted import ScriptedEngine

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import manual  # noqa: E402


def commands(group: click.Group, name: str = "") -> Iterator[tuple[str, click.Command]]:
    for part, command in group.commands.items():
        whole = f"{name} {part}".strip()
        if isinstance(command, click.Group):
            yield from commands(command, whole)
        else:
            yield whole, command


COMMANDS = dict(commands(whole()))


def test_every_command_has_one_or_two_examples() -> None:
    assert set(EXAMPLES) == set(COMMANDS)
    assert {len(each) for each in EXAMPLES.values()} == {1, 2}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_examples_of_a_command_can_be_typed(name: str, cli: CommandLine) -> None:
    said = cli(*name.split(), "--help").out
    for example in EXAMPLES[name]:
        assert f"    writer {example}\n" in said
        assert example.startswith(f"{name} ") or example == name
        COMMANDS[name].make_context(name, shlex.split(example.removeprefix(name)))


def test_a_wrong_example_would_be_found() -> None:
    with pytest.raises(click.UsageError):
        COMMANDS["draft"].make_context("draft", ["my-novel", "--max-tokns", "3"])


def test_the_man_page_is_what_the_program_says() -> None:
    assert manual.PAGE.read_text(encoding="utf-8") == manual.manual(), "run scripts/manual"


def test_the_man_page_is_plain_roff_and_names_everything() -> None:
    text = manual.manual()
    lines = text.splitlines()
    known = (".TH ", ".SH ", ".SS ", ".TP", ".PP", ".B ", ".I ", ".br", ".nf", ".fi", ".RS", ".RE")
    assert [line for line in lines if line.startswith((".", "'")) and not line.startswith(known)] == []
    assert text.isascii()
    assert [name for name in COMMANDS if f".SS writer {name}".replace("-", "\\-") not in text] == []
    assert {line for line in lines if line.startswith(".SH")} >= {".SH EXIT STATUS", ".SH ENVIRONMENT", ".SH FILES"}


def test_the_exit_codes_of_the_page_are_those_of_the_program(
    cli: CommandLine, novel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8").split("| exit code |")[1].split("\n\n")[0]
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", table, flags=re.MULTILINE)}
    tried = {cli("status", novel).code, cli("status", novel / "gone").code, cli("status", novel, "--jsn").code}
    pace = ScriptedEngine._pace

    async def ctrl_c(self: ScriptedEngine, tokens: int) -> None:
        signal.raise_signal(signal.SIGINT)
        await pace(self, tokens)

    monkeypatch.setattr(ScriptedEngine, "_pace", ctrl_c)
    tried.add(cli("draft", novel).code)
    assert tried == codes
    assert "can go on" in cli("status", novel).out
