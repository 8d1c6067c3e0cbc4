"""Where each setting in force comes from: a default, a file and its line, a preset, or the environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from writer.config import Settings, load, read_toml
from writer.config_places import place
from writer.presets import PRESETS

_VARIABLES = {
    ("engine", "kind"): "WRITER_ENGINE",
    ("engine", "model"): "WRITER_MODEL",
    ("engine", "keep_warm"): "WRITER_KEEP_WARM",
    ("interface", "language"): "WRITER_LANGUAGE",
}


@dataclass(frozen=True, slots=True)
class Origin:
    """One setting. `source` is "default", "FILE, line N", "preset NAME in FILE, line N", or a variable's name."""

    section: str
    key: str
    value: Any
    source: str


def origins(user_file: Path, manuscript_file: Path | None, environ: Mapping[str, str]) -> tuple[Origin, ...]:
    """All settings in force for a manuscript, or for none. Raises ConfigError as `config.load` does."""
    settings = load(user_file, manuscript_file, environ)
    files = [_File(user_file, ())] + ([_File(manuscript_file, ("settings",))] if manuscript_file else [])
    return tuple(_origins(settings, files, environ))


class _File:
    """One settings file: its tables, and where in it they stand."""

    def __init__(self, path: Path, above: tuple[str, ...]) -> None:
        tables = read_toml(path)
        for name in above:
            tables = tables.get(name, {})
        self._path, self._above, self._tables = path, above, tables

    def told(self, section: str, key: str) -> str:
        """Where the file sets it; "" if it does not."""
        table, where = self._tables.get(section, {}), (*self._above, section)
        if key in table:
            return place(self._path, where, key)
        preset = table.get("preset")
        if section == "writing" and preset in PRESETS and key in PRESETS[preset].values:
            return f"preset {preset} in {place(self._path, where, 'preset')}"
        return ""


def _origins(settings: Settings, files: list[_File], environ: Mapping[str, str]) -> Iterator[Origin]:
    for section in ("engine", "writing", "editor", "keys", "interface"):
        values = getattr(settings, section)
        for each in fields(values):
            told = [told for file in files if (told := file.told(section, each.name))]
            variable = _VARIABLES.get((section, each.name), "")
            source = variable if variable and environ.get(variable) else (told or ["default"])[-1]
            yield Origin(section, each.name, getattr(values, each.name), source)
