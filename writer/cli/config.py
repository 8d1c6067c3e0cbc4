"""`writer config`: which settings hold, where each comes from, and where one's own are written."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from writer import locations
from writer.cli.output import emit, tell
from writer.config_origins import DEFAULT, Origin, origins
from writer.language import say
from writer.manuscript.project import open_manuscript
from writer.text.sanitise import one_line


@click.group(help=say("The settings: which hold, and where each comes from."))
def config() -> None:
    pass


@config.command(help=say("All settings in force, for the manuscript in FOLDER or for none, and where each comes from."))
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--changed", is_flag=True, help=say("Only what is not the default."))
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object per line."))
def show(folder: Path | None, changed: bool, as_json: bool) -> None:
    own = locations.config_file()
    manuscript_file = open_manuscript(folder).settings_file if folder else None
    found = [each for each in origins(own, manuscript_file, os.environ) if not changed or each.source != DEFAULT]
    if as_json:
        for each in found:
            emit(asdict(each))
        return
    tell(say("Your own settings: {own}", own=one_line(str(own))) + ("" if own.exists() else say(" (not there yet)")))
    for line in _lines(found):
        tell(line)


@config.command(help=say("The file with your own settings, whether it is there or not."))
def path() -> None:
    tell(str(locations.config_file()))


def _lines(found: Iterable[Origin]) -> Iterable[str]:
    section = ""
    for each in found:
        if each.section != section:
            section = each.section
            yield ""
            yield f"[{section}]"
        yield f"{each.key} = {_as_toml(each.value)} # {_source(each)}"


def _source(each: Origin) -> str:
    return say("default") if each.source == DEFAULT else one_line(each.source)


def _as_toml(value: Any) -> str:
    """As a settings file would say it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_as_toml, value)) + "]"
    if isinstance(value, str):
        import tomlkit

        return tomlkit.string(value).as_string()
    return str(value)
