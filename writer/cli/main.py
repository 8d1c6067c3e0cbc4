"""The command group, `writer DIR`, and the boundary where errors become one sentence and an exit code."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from writer import __version__, logs
from writer.bootstrap import harden
from writer.cli.chapters import chapters
from writer.cli.completion import completion
from writer.cli.config import config
from writer.cli.engine import engine
from writer.cli.exchanging import export, import_
from writer.cli.looking import doctor, status
from writer.cli.models import models
from writer.cli.names import COMMANDS
from writer.cli.output import forgive, nobody_reads, say
from writer.cli.plan import plan
from writer.cli.recipes import recipes
from writer.cli.rewriting import rewrite
from writer.cli.searching import notes, search
from writer.cli.state import state
from writer.cli.summarising import summarise
from writer.cli.takes import takes
from writer.cli.writing import draft, new, resume
from writer.errors import WriterError
from writer.manuscript.project import open_manuscript

_log = logging.getLogger(__name__)


class _Group(click.Group):
    """A first word that is no command is a manuscript's folder."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            return "open", _open, args
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        return super().shell_complete(ctx, incomplete) or [CompletionItem(incomplete, type="dir")]


@click.group(
    cls=_Group,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="writer DIR opens the app. To begin: writer new DIR, then writer DIR.",
)
@click.version_option(__version__, prog_name="writer")
def writer() -> None:
    """Draft novels and reports in the terminal, on your own GPU. What you have seen is saved."""


@click.command("open", hidden=True)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--welcome", is_flag=True, help="With the first steps, as for someone new.")
def _open(folder: Path, welcome: bool) -> None:
    """Open the app."""
    open_manuscript(folder)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise WriterError(
            f"The app needs a terminal, and there is none here. To write without it: writer draft {folder}"
        )
    from writer.launcher import run

    raise SystemExit(run(["--welcome", str(folder)] if welcome else [str(folder)]))


for _command in (
    new,
    draft,
    resume,
    takes,
    rewrite,
    recipes,
    plan,
    summarise,
    chapters,
    export,
    import_,
    search,
    notes,
    status,
    doctor,
    engine,
    models,
    config,
    completion,
    state,
):
    writer.add_command(_command)
assert set(writer.commands) == set(COMMANDS)


def run_command_line(arguments: list[str]) -> int:
    """Runs one command. Every error leaves as one sentence on stderr."""
    harden()
    logs.to_file("commands.log")  # else Python would print them, with tracebacks
    forgive()
    try:
        return _run(arguments)
    except OSError:  # only printing is left that can raise it
        nobody_reads()
        return 1


def _run(arguments: list[str]) -> int:
    try:
        writer.main(arguments, prog_name="writer", standalone_mode=False)
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0
    except click.UsageError as error:
        error.show()
        return 2
    except click.exceptions.Abort:
        return 130
    except WriterError as error:
        say(error.sentence, error=True)
        return 1
    except Exception as error:  # the boundary of the command line
        if isinstance(error, OSError) and nobody_reads():
            return 1
        _log.exception("a command failed")
        say(f"Something went wrong inside writer ({type(error).__name__}: {error}). Your text is saved.", error=True)
        return 1
    return 0
