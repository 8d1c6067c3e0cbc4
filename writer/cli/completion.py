"""`writer completion`: what a shell needs to complete commands, options and folders. Click's own, with our names."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from writer.cli.output import say

SHELLS = ("bash", "zsh", "fish")
_VARIABLE = "_WRITER_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that completes writer's commands; how to use it stands in its first line."""
    kind = get_completion_class(shell)
    assert kind is not None
    say(f"# {_HOW[shell]}")
    click.echo(kind(context.find_root().command, {}, "writer", _VARIABLE).source())


_HOW = {
    "bash": 'Put this into ~/.bashrc: eval "$(writer completion bash)"',
    "zsh": 'Put this into ~/.zshrc, behind compinit: eval "$(writer completion zsh)"',
    "fish": "Save it: writer completion fish > ~/.config/fish/completions/writer.fish",
}
