"""The command group, `writer DIR`, and the boundary where errors become one sentence and an exit code."""

from __future__ import annotations

import logging
import sys
from importlib import import_module
from keyword import iskeyword
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from writer import __version__, logs
from writer.bootstrap import harden
from writer.cli import examples
from writer.cli.click_words import translate
from writer.cli.names import COMMANDS
from writer.cli.output import forgive, nobody_reads, tell
from writer.errors import WriterError
from writer.language import say
from writer.manuscript.project import open_manuscript

_log = logging.getLogger(__name__)


class _Group(click.Group):
    """A first word that is no command is a manuscript's folder. A command is imported when it is called or listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            module = import_module(f"writer.cli.{COMMANDS[cmd_name]}")
            command = getattr(module, f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name)
            examples.attach(command, cmd_name)
            self.add_command(command)
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            return "open", _open, args
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        found = [CompletionItem(name) for name in self.list_commands(ctx) if name.startswith(incomplete)]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*found, *options] or [CompletionItem(incomplete, type="dir")]


@click.group(
    cls=_Group,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=say("writer DIR opens the app. To begin: writer new DIR, then writer DIR."),
    help=say("Draft novels and reports in the terminal, on your own GPU. What you have seen is saved."),
)
@click.version_option(
    __version__,
    prog_name="writer",
    message=say("%(prog)s, version %(version)s"),
    help=say("Show the version and exit."),
)
def writer() -> None:
    pass


@click.command("open", hidden=True, help=say("Open the app."))
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--welcome", is_flag=True, help=say("With the first steps, as for someone new."))
def _open(folder: Path, welcome: bool) -> None:
    open_manuscript(folder)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise WriterError(
            say(
                "The app needs a terminal, and there is none here. To write without it: writer draft {folder}",
                folder=folder,
            )
        )
    from writer.launcher import run

    raise SystemExit(run(["--welcome", str(folder)] if welcome else [str(folder)]))


def whole() -> click.Group:
    """The group with all its commands, for who looks at all of them."""
    for name in COMMANDS:
        writer.get_command(click.Context(writer), name)
    return writer


def run_command_line(arguments: list[str]) -> int:
    """Runs one command. Every error leaves as one sentence on stderr."""
    harden()
    logs.to_file("commands.log")  # else Python would print them, with tracebacks
    forgive()
    translate()
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
        tell(error.sentence, error=True)
        return 1
    except Exception as error:  # the boundary of the command line
        if isinstance(error, OSError) and nobody_reads():
            return 1
        _log.exception("a command failed")
        tell(
            say(
                "Something went wrong inside writer ({name}: {error}). Your text is saved.",
                name=type(error).__name__,
                error=error,
            ),
            error=True,
        )
        return 1
    return 0
