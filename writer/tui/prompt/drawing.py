"""How text is drawn by the settings files: read, checked and changed. Everything here blocks: call it in a thread."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from writer import locations
from writer.config import Settings, WritingSettings, check_writing, load, read_toml
from writer.manuscript.model import Manuscript
from writer.manuscript.writing_table import Value, own_values, write_table
from writer.presets import PRESETS


@dataclass(frozen=True, slots=True)
class Drawing:
    """What holds for a manuscript, or for one of its chapters."""

    settings: Settings
    in_force: WritingSettings
    inherited: WritingSettings  # what would hold without the values set here
    own: Mapping[str, Any]  # set here, in writer.toml
    above: Mapping[str, Any]  # of a chapter: what the manuscript sets


def read_drawing(manuscript: Manuscript, chapter: str = "") -> Drawing:
    """As the files are now. "" is the whole manuscript. Raises ConfigError."""
    user = locations.config_file()
    settings = load(user, manuscript.settings_file, os.environ)
    tables = read_toml(manuscript.settings_file)
    own = own_values(tables, chapter)
    inherited = settings.writing if chapter else load(user, None, {}).writing
    if chosen := PRESETS.get(str(own.get("preset", ""))):
        inherited = replace(inherited, **chosen.values)  # type: ignore[arg-type]
    in_force = settings.writing_of(chapter) if chapter else settings.writing
    return Drawing(settings, in_force, inherited, own, own_values(tables) if chapter else {})


def change_drawing(manuscript: Manuscript, name: str, value: object, chapter: str = "") -> Drawing:
    """Set one value in writer.toml, or take it out (None); what holds then.

    A preset takes the place of the single values that it names. Raises ConfigError with the sentence that reading such
    a file would give, and the errors of ChapterFile.
    """
    values: dict[str, Value | None] = {name: None}
    if value is not None:
        where = ("settings", "chapter", chapter) if chapter else ("settings", "writing")
        checked = check_writing({name: value}, manuscript.settings_file, where)
        values[name] = getattr(checked, name)
    if name == "preset" and value in PRESETS:
        values |= dict.fromkeys(PRESETS[str(value)].values)
    write_table(manuscript, values, chapter)
    return read_drawing(manuscript, chapter)
