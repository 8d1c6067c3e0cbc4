"""How text is drawn, changed in writer.toml: for the manuscript or for one chapter. Comments and all else stay."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from writer.errors import ConfigError
from writer.language import say
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.model import Manuscript

Value = str | bool | int | float | tuple[str, ...]


def write_table(manuscript: Manuscript, values: Mapping[str, Value | None], chapter: str = "") -> None:
    """Set these in `[settings.writing]`, or in the table of the chapter at that path; None takes one out.

    Blocks. Raises ConfigError, ChapterUnreadable, ChapterChangedOnDisk, SaveFailed.
    """
    file = ChapterFile(manuscript.settings_file, root=manuscript.folder)
    loaded = file.read()
    changed = with_values(loaded.text, values, chapter)
    if changed != loaded.text:
        file.save(changed, loaded)


def with_values(text: str, values: Mapping[str, Value | None], chapter: str = "") -> str:
    """The text of writer.toml with these values. Pure. Raises ConfigError."""
    try:
        document = tomlkit.parse(text)
        _change(document, values, chapter)
        changed = tomlkit.dumps(document)
        proved = own_values(tomllib.loads(changed), chapter)
    except (TOMLKitError, ValueError, TypeError, AttributeError) as error:
        raise ConfigError(
            say("writer.toml cannot be changed here: {error}. Correct it, then try again.", error=error)
        ) from None
    for name, value in values.items():
        if proved.get(name) != (list(value) if isinstance(value, tuple) else value):
            raise ConfigError(
                say('writer.toml is written in a way that hides "{name}". Set it there by hand.', name=name)
            )
    return changed


def own_values(tables: Mapping[str, Any], chapter: str = "") -> Mapping[str, Any]:
    """What writer.toml itself says of the manuscript's drawing, or of a chapter's; {} if nothing."""
    settings = tables.get("settings", {})
    table = settings.get("chapter", {}).get(chapter, {}) if chapter else settings.get("writing", {})
    return table if isinstance(table, Mapping) else {}


def _change(document: Any, values: Mapping[str, Value | None], chapter: str) -> None:
    table = document
    for name in ("settings", "chapter", chapter) if chapter else ("settings", "writing"):
        if name not in table:
            if all(value is None for value in values.values()):
                return
            table[name] = tomlkit.table(is_super_table=name in ("settings", "chapter"))
        table = table[name]
    for name, value in values.items():
        if value is None:
            table.pop(name, None)
        else:
            table[name] = list(value) if isinstance(value, tuple) else value
