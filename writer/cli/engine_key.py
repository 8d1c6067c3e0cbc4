"""`writer engine key set`, `forget`: the key of a server of others, in the system's keyring. Never an argument."""

from __future__ import annotations

import os
import sys

import click

from writer.bootstrap import settings_for
from writer.cli.output import emit, say
from writer.errors import EngineError

_LONGEST = 4096


@click.group()
def key() -> None:
    """The key of a server of others, in the system's keyring."""


@key.command("set")
@click.argument("url", default="")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def set_key(url: str, as_json: bool) -> None:
    """Store the key of the server at URL (usually: engine.url).

    It is asked for without being shown, or read from a pipe: never a part of the command, which others could see.
    """
    from writer.engine import keys_kept, server_key

    name = server_key.place(_url(url))
    keys_kept.require_keyring()
    typed = _typed(name)
    if not typed or not (typed.isascii() and typed.isprintable()) or len(typed) > _LONGEST:
        raise EngineError("That is no key: it must be one line of plain letters and signs. Nothing was stored.")
    keys_kept.keep(name, typed)
    emit({"server": name, "stored": True}) if as_json else say(f"The key of {name} is in the system's keyring.")


@key.command()
@click.argument("url", default="")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def forget(url: str, as_json: bool) -> None:
    """Take the key of the server at URL (usually: engine.url) out of the keyring."""
    from writer.engine import keys_kept, server_key

    name = server_key.place(_url(url))
    gone = keys_kept.forget(name)
    if as_json:
        emit({"server": name, "forgotten": gone})
    else:
        say(f"The key of {name} is forgotten." if gone else f"No key of {name} is stored.")


def _url(given: str) -> str:
    if url := given or settings_for(None, os.environ).engine.url:
        return url
    raise EngineError("Name the server: writer engine key set https://… Or set engine.url in your settings.")


def _typed(name: str) -> str:
    if sys.stdin.isatty():
        return str(
            click.prompt(f"Key of {name} (not shown)", hide_input=True, default="", show_default=False, err=True)
        )
    return sys.stdin.readline(_LONGEST + 2).strip()
