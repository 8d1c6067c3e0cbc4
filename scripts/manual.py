"""Writes the man page docs/man/writer.1: scripts/manual. `--show` prints it instead.

All of it is what the program and its pages say already: commands, options and examples are those of `--help`, exit
codes and variables the tables of docs/cli.md and docs/configuration.md. A test compares, so that it stays true.
click-man would make a page for each of forty commands, and date them; a page without a date is what can be compared.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from writer import __version__
from writer.cli.examples import EXAMPLES
from writer.cli.main import whole

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "man" / "writer.1"
FILES = (
    ("~/.config/writer/config.toml", "Your own settings. A manuscript's own are in its writer.toml."),
    ("~/.local/state/writer", "What was generated, token by token, for each manuscript; logs."),
    ("~/.local/share/writer", "Models that writer has downloaded or prepared."),
    ("~/.cache/writer", "What can be made again."),
)


def main(arguments: list[str]) -> int:
    """The exit code."""
    if arguments == ["--show"]:
        sys.stdout.write(manual())
    elif arguments:
        sys.stderr.write("Usage: scripts/manual [--show]. Writes docs/man/writer.1, or prints it.\n")
        return 2
    else:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(manual(), encoding="utf-8")
    return 0


def manual() -> str:
    """The page, in roff."""
    writer = whole()
    context = click.Context(writer, info_name="writer")
    lines = [
        f'.TH WRITER 1 "" "writer {__version__}" "User Commands"',
        ".SH NAME",
        "writer \\- draft novels and reports in the terminal, on your own GPU",
        ".SH SYNOPSIS",
        ".B writer",
        ".I FOLDER",
        ".br",
        ".B writer",
        ".I COMMAND",
        "[\\fIOPTIONS\\fR]",
        ".SH DESCRIPTION",
        *_paragraphs(writer.help or ""),
        ".PP",
        ".B writer",
        ".I FOLDER",
        "opens the app on a manuscript. The commands below work without a terminal, in scripts too.",
        "Every command takes \\fB\\-\\-help\\fR.",
        ".SH OPTIONS",
        *_options(context),
        ".SH COMMANDS",
    ]
    for name, command in _commands(writer, context):
        lines += _command(name, command)
    lines += [".SH EXIT STATUS", *_table("cli.md", "| exit code | means |")]
    lines += [".SH ENVIRONMENT", *_table("configuration.md", "| variable | meaning |")]
    lines += [".SH FILES", *(line for path, what in FILES for line in (".TP", f".I {_roff(path)}", _roff(what)))]
    lines += [".SH SEE ALSO", "The pages in docs/: install, first\\-chapter, keys, configuration, troubleshooting."]
    return "\n".join(lines) + "\n"


def _commands(group: click.Group, context: click.Context) -> Iterator[tuple[str, click.Context]]:
    for part, command in sorted(group.commands.items()):
        inner = click.Context(command, parent=context, info_name=part)
        if isinstance(command, click.Group):
            yield from _commands(command, inner)
        else:
            yield inner.command_path, inner


def _command(name: str, context: click.Context) -> Iterator[str]:
    arguments = " ".join(_roff(each) for each in context.command.collect_usage_pieces(context) if each != "[OPTIONS]")
    yield from (f".SS {_roff(name)} \\fI{arguments}\\fR" if arguments else f".SS {_roff(name)}",)
    yield from _paragraphs(context.command.help or "")
    yield from _options(context)
    yield from (
        ".PP",
        "Example:" if len(EXAMPLES[name.removeprefix("writer ")]) == 1 else "Examples:",
        ".PP",
        ".nf",
        ".RS",
    )
    yield from (_roff(f"writer {each}") for each in EXAMPLES[name.removeprefix("writer ")])
    yield from (".RE", ".fi")


def _options(context: click.Context) -> Iterator[str]:
    for parameter in context.command.params:
        record = parameter.get_help_record(context)
        if record is not None and isinstance(parameter, click.Option):
            yield from (".TP", f".B {_roff(record[0])}", _roff(record[1]))


def _paragraphs(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(re.split(r"\n\s*\n", text.strip())):
        if number:
            yield ".PP"
        yield _roff(" ".join(paragraph.split()).replace("`", ""))


def _table(page: str, head: str) -> Iterator[str]:
    """The rows of a table with two columns, as a list."""
    rows = (
        (ROOT / "docs" / page).read_text(encoding="utf-8").split(f"{head}\n| --- | --- |\n", 1)[1].split("\n\n", 1)[0]
    )
    for row in rows.splitlines():
        name, meaning = (cell.strip().replace("`", "") for cell in row.strip("|").split("|", 1))
        yield from (".TP", f".B {_roff(name)}", _roff(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", meaning)))


def _roff(text: str) -> str:
    """One line that means itself, whatever it begins with."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    escaped = re.sub(r"[^ -~]", lambda sign: f"\\[u{ord(sign[0]):04X}]", escaped)
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
