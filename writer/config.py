"""Settings: defaults, then the user's config.toml, then the manuscript's writer.toml, then the environment.

An unknown key or a wrong type is an error that names file, line and key, and the nearest valid key.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from writer.config_places import place
from writer.config_sections import EditorSettings as EditorSettings
from writer.config_sections import EngineSettings as EngineSettings
from writer.config_sections import InterfaceSettings as InterfaceSettings
from writer.config_sections import WritingSettings as WritingSettings
from writer.errors import ConfigError
from writer.key_names import KeySettings as KeySettings
from writer.key_names import wrong_key
from writer.language import AUTO, LANGUAGES
from writer.presets import PRESETS, WRITING
from writer.text.sanitise import one_line

_OF_A_MANUSCRIPT = frozenset({"window", "keep_warm", "after_quit"})
"""What a manuscript may say of the engine. It may be a stranger's, so it names no program, server or model to load."""
_MOST = 2**31 - 1
_LARGEST = 4 * 1024 * 1024  # bytes of a settings file
_LONGEST_TEXT = 100  # characters of a text in a list
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "kind": ("vllm", "scripted"),
    "after_quit": ("keep", "stop"),
    "after_sleep": ("continue", "wait"),
    "kv_cache": ("auto", "fp8"),
    "protocol": ("auto", "vllm", "openai"),
    "speculation": ("off", "ngram"),
}
_LANGUAGES = (AUTO, *LANGUAGES)
_KINDS: Mapping[type, str] = {
    str: "text in quotes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    tuple: "a list of texts in quotes",
}
_LIMITS: Mapping[str, tuple[float, float]] = {  # what vLLM takes, and what a timer does
    "keep_warm": (0, _MOST),
    "window": (0, _MOST),
    "kv_cache_mib": (1, _MOST),
    "gpu_memory": (0, 1),
    "gpus": (0, 64),
    "kv_disk_gib": (0, 100_000),
    "autosave": (0.1, 86_400),
    "width": (0, 1000),
    **{name: (each.low, each.high) for name, each in WRITING.items()},
}


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, in force for one manuscript."""

    engine: EngineSettings = field(default_factory=EngineSettings)
    writing: WritingSettings = field(default_factory=WritingSettings)
    editor: EditorSettings = field(default_factory=EditorSettings)
    keys: KeySettings = field(default_factory=KeySettings)
    interface: InterfaceSettings = field(default_factory=InterfaceSettings)
    chapters: Mapping[str, WritingSettings] = field(default_factory=dict)
    """Chapters that are drawn otherwise, by path: a manuscript's `[settings.chapter."chapters/01-….md"]`."""

    def writing_of(self, chapter: str) -> WritingSettings:
        """How this chapter's text is drawn."""
        return self.chapters.get(chapter, self.writing)


def read_toml(path: Path) -> dict[str, Any]:
    """The file's tables; {} if there is none. Raises ConfigError that names file and line."""
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise ConfigError(f"{path} is larger than 4 MB, so it is no settings file. Put the right file there.")
        return tomllib.loads(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except FileNotFoundError:
        return {}
    except RecursionError:
        raise ConfigError(f"{path} is nested too deeply. Correct it, then start again.") from None
    except ValueError as error:  # not TOML, not UTF-8, or a number of thousands of digits
        raise ConfigError(f"{path} is not valid TOML: {error}. Correct that line, then start again.") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}. Check the file's permissions.") from None


def load(user_file: Path, manuscript_file: Path | None, environ: Mapping[str, str]) -> Settings:
    """Settings in force. `WRITER_ENGINE`, `WRITER_MODEL`, `WRITER_KEEP_WARM` and `WRITER_LANGUAGE` come last."""
    settings = _merge(Settings(), read_toml(user_file), user_file)
    if manuscript_file is not None:
        tables = read_toml(manuscript_file).get("settings", {})
        if not isinstance(tables, Mapping):
            raise ConfigError(f'{manuscript_file}: "settings" must be a table, written as [settings.writing].')
        _refuse_foreign(tables, manuscript_file, user_file)
        own = {name: table for name, table in tables.items() if name != "chapter"}
        settings = _merge(settings, own, manuscript_file, ("settings",))
        settings = replace(settings, chapters=_chapters(settings.writing, tables.get("chapter", {}), manuscript_file))
    return _from_environment(settings, environ)


def check_writing(
    table: Mapping[str, Any], source: Path, where: tuple[str, ...] = ("settings", "writing")
) -> WritingSettings:
    """This table, as if a file held it. Raises ConfigError, as reading that file would."""
    checked: WritingSettings = _section(WritingSettings(), table, source, where)
    return checked


def _refuse_foreign(tables: Mapping[str, Any], source: Path, user_file: Path) -> None:
    """A manuscript's own file may not choose what runs on this machine, or where the text is sent."""
    if "keys" in tables:
        raise ConfigError(
            f"{place(source, ('settings', 'keys'))}: a manuscript may not change your keys. "
            f"Write them under [keys] in your own settings, {user_file}, then take them out here."
        )
    if "interface" in tables:
        raise ConfigError(
            f"{place(source, ('settings', 'interface'))}: a manuscript may not change the language of writer. "
            f"Write it under [interface] in your own settings, {user_file}, then take it out here."
        )
    engine = tables.get("engine")
    known = {f.name for f in fields(EngineSettings)}
    for key in engine if isinstance(engine, Mapping) else ():
        if key in known - _OF_A_MANUSCRIPT:
            where = place(source, ("settings", "engine"), key)
            raise ConfigError(
                f'{where}: "{key}" may not be set by a manuscript, which may come from someone else. '
                f"Write it under [engine] in your own settings, {user_file}, then take it out here."
            )


def _chapters(writing: WritingSettings, tables: Any, source: Path) -> dict[str, WritingSettings]:
    """How single chapters are drawn: the manuscript's own settings, and what their tables change."""
    shape = f'{source}: a chapter\'s settings are a table, written as [settings.chapter."chapters/01-….md"].'
    if not isinstance(tables, Mapping):
        raise ConfigError(shape)
    found = {}
    for path, table in tables.items():
        if not isinstance(table, Mapping):
            raise ConfigError(shape)
        found[path] = _section(writing, table, source, ("settings", "chapter", path))
    return found


def _merge(settings: Settings, tables: Mapping[str, Any], source: Path, above: tuple[str, ...] = ()) -> Settings:
    for name, table in tables.items():
        known = [f.name for f in fields(Settings) if f.name != "chapters"]
        if name not in known:
            raise ConfigError(_unknown(place(source, (*above, name)), f"[{name}]", name, known))
        if not isinstance(table, Mapping):
            raise ConfigError(f'{source}: "{one_line(name)}" must be a table, written as [{one_line(name)}].')
        section = _section(getattr(settings, name), table, source, (*above, name))
        if name == "keys" and (wrong := wrong_key(section))[0]:
            raise ConfigError(f'{place(source, ("keys",), wrong[0])}: "{wrong[0]}" in [keys] {wrong[1]}')
        settings = replace(settings, **{name: section})
    return settings


def _section(section: Any, table: Mapping[str, Any], source: Path, where: tuple[str, ...]) -> Any:
    known = [f.name for f in fields(section)]
    name = one_line(".".join(where))
    if isinstance(section, WritingSettings):
        section = _with_preset(section, table.get("preset"), source, where)
    for key, value in table.items():
        what = f'"{key}" in [{name}]'
        if key not in known:
            raise ConfigError(_unknown(place(source, where, key), what, key, known))
        wanted = type(getattr(section, key))
        value = _as(wanted, value)
        if type(value) is not wanted:
            kind = _KINDS[wanted]
            raise ConfigError(f"{place(source, where, key)}: {what} must be {kind}, not {one_line(repr(value))}.")
        if wrong := _beyond_limits(value, key):
            raise ConfigError(f"{place(source, where, key)}: {what} {wrong}")
        section = replace(section, **{key: value})
    return section


def _as(wanted: type, value: Any) -> Any:
    """The value as a file may spell it: a whole number where any number is wanted, a list for a tuple."""
    if type(value) is int:  # TOML sets no limit; beyond some size it cannot even be shown
        value = max(-(10**18), min(value, 10**18))
    if wanted is float and type(value) is int:
        return float(value)
    if wanted is tuple and type(value) is list and all(type(each) is str and each.strip(" ") for each in value):
        return tuple(value)
    return value


def _with_preset(section: WritingSettings, name: Any, source: Path, table: tuple[str, ...]) -> WritingSettings:
    """The section with what the preset names: before what stands beside it, after what other files said."""
    if name is None or name == "":
        return section
    if not isinstance(name, str) or name not in PRESETS:
        where = f'{place(source, table, "preset")}: "preset" in [{one_line(".".join(table))}]'
        raise ConfigError(f'{where} is {_listed(PRESETS)} or "", not {one_line(repr(name))}.')
    return replace(section, **PRESETS[name].values)  # type: ignore[arg-type]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _beyond_limits(value: Any, key: str) -> str:
    """What such a value must be, as the end of a sentence; "" if it is within its limits."""
    low, high = _LIMITS.get(key, (0, 0))
    if isinstance(value, tuple):
        if len(value) > high or any(len(each) > _LONGEST_TEXT for each in value):
            return f"must be at most {high:g} texts of at most {_LONGEST_TEXT} characters."
        return ""
    if isinstance(value, str | bool) or low <= value <= high:  # false for nan as well
        return ""
    span = f"at least {low:g}" if value < low and high > 1 else f"a number from {low:g} to {high:g}"
    return f"must be {span}, not {value:g}."


def _unknown(place: str, what: str, key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    hint = f'Did you mean "{near[0]}"?' if near else "Valid are: " + ", ".join(known) + "."
    return f"{place}: {one_line(what)} is not a setting. {hint}"


def _from_environment(settings: Settings, environ: Mapping[str, str]) -> Settings:
    engine = settings.engine
    if kind := environ.get("WRITER_ENGINE"):
        engine = replace(engine, kind=kind)
    if model := environ.get("WRITER_MODEL"):
        engine = replace(engine, model=model)
    if keep := environ.get("WRITER_KEEP_WARM"):
        try:
            engine = replace(engine, keep_warm=float(keep))
        except ValueError:
            raise ConfigError(f'WRITER_KEEP_WARM must be a number of seconds, not "{one_line(keep)}".') from None
        if wrong := _beyond_limits(engine.keep_warm, "keep_warm"):
            raise ConfigError(f"WRITER_KEEP_WARM {wrong}")
    for key, valid in _CHOICES.items():
        if (value := getattr(engine, key)) not in valid:
            named = " or ".join(f'"{each}"' for each in valid)
            raise ConfigError(f'engine.{key} is {named}, not "{one_line(value)}".')
    interface = settings.interface
    if language := environ.get("WRITER_LANGUAGE"):
        interface = replace(interface, language=language)
    if interface.language not in _LANGUAGES:
        raise ConfigError(f'interface.language is {_listed(_LANGUAGES)}, not "{one_line(interface.language)}".')
    return replace(settings, engine=engine, interface=interface)
