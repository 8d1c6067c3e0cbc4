"""`writer engine key set`, `forget`: the key of a server of others, in the system's keyring. Never an argument."""

from __future__ import annotations

import os
import sys

import click

from writer.bootstrap import settings_for
from writer.cli.output import emit, tell
from writer.errors import EngineError
from writer.language import say

_LONGEST = 4096


@click.group(help=say("The key of a server of others, in the system's keyring."))
def key() -> None:
    pass


@key.command(
    "set",
    help=say(
        "Store the key of the server at URL (usually: engine.url).\n\nIt is asked for without "
        "being shown, or read from a pipe: never a part of the command, which others could "
        "see."
    ),
)
@click.argument("url", default="")
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object."))
def set_key(url: str, as_json: bool) -> None:
    from writer.engine import keys_kept, server_key

    name = server_key.place(_url(url))
    keys_kept.require_keyring()
    typed = _typed(name)
    if not typed or not (typed.isascii() and typed.isprintable()) or len(typed) > _LONGEST:
        raise EngineError(say("That is no key: it must be one line of plain letters and signs. Nothing was stored."))
    keys_kept.keep(name, typed)
    emit({"server": name, "stored": True}) if as_json else tell(
        say("The key of {name} is in the system's keyring.", name=name)
    )


@key.command(help=say("Take the key of the server at URL (usually: engine.url) out of the keyring."))
@click.argument("url", default="")
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object."))
def forget(url: str, as_json: bool) -> None:
    from writer.engine import keys_kept, server_key

    name = server_key.place(_url(url))
    gone = keys_kept.forget(name)
    if as_json:
        emit({"server": name, "forgotten": gone})
    else:
        tell(
            say("The key of {name} is forgotten.", name=name) if gone else say("No key of {name} is stored.", name=name)
        )


def _url(given: str) -> str:
    if url := given or settings_for(None, os.environ).engine.url:
        return url
    raise EngineError(say("Name the server: writer engine key set https://… Or set engine.url in your settings."))


def _typed(name: str) -> str:
    if sys.stdin.isatty():
        return str(
            click.prompt(
                say("Key of {name} (not shown)", name=name), hide_input=True, default="", show_default=False, err=True
            )
        )
    return sys.stdin.readline(_LONGEST + 2).strip()
