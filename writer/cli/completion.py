"""`writer completion`: what a shell needs to complete commands, options and folders. Click's own, with our names."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from writer.cli.output import tell
from writer.language import say

SHELLS = ("bash", "zsh", "fish")
_VARIABLE = "_WRITER_COMPLETE"


@click.command(help=say("Print a script that completes writer's commands; how to use it stands in its first line."))
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    kind = get_completion_class(shell)
    assert kind is not None
    tell(f"# {_HOW[shell]}")
    click.echo(kind(context.find_root().command, {}, "writer", _VARIABLE).source())


_HOW = {
    "bash": say('Put this into ~/.bashrc: eval "$(writer completion bash)"'),
    "zsh": say('Put this into ~/.zshrc, behind compinit: eval "$(writer completion zsh)"'),
    "fish": say("Save it: writer completion fish > ~/.config/fish/completions/writer.fish"),
}
