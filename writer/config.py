"""Settings: defaults, then the user's config.toml, then the manuscript's writer.toml, then the environment.

An unknown key or a wrong type is an error that names file, line and key, and the nearest valid key.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from writer.config_limits import beyond_limits, unknown
from writer.config_places import place
from writer.config_sections import EditorSettings as EditorSettings
from writer.config_sections import EngineSettings as EngineSettings
from writer.config_sections import InterfaceSettings as InterfaceSettings
from writer.config_sections import WritingSettings as WritingSettings
from writer.errors import ConfigError
from writer.key_names import KeySettings as KeySettings
from writer.key_names import wrong_key
from writer.language import AUTO, LANGUAGES, say
from writer.presets import PRESETS
from writer.text.sanitise import one_line

_OF_A_MANUSCRIPT = frozenset({"window", "keep_warm", "after_quit"})
"""What a manuscript may say of the engine. It may be a stranger's, so it names no program, server or model to load."""
_OF_THE_AUTHOR: Mapping[str, str] = {"keys": say("your keys"), "interface": say("how writer speaks and looks")}
"""Tables that a manuscript has no say in, and what they hold."""
_LARGEST = 4 * 1024 * 1024  # bytes of a settings file
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "kind": ("vllm", "scripted"),
    "after_quit": ("keep", "stop"),
    "after_sleep": ("continue", "wait"),
    "kv_cache": ("auto", "fp8"),
    "protocol": ("auto", "vllm", "openai"),
    "speculation": ("off", "ngram"),
}
_SUMMARISE = ("ask", "always", "never")
_OF_THE_INTERFACE: Mapping[str, tuple[str, ...]] = {
    "language": (AUTO, *LANGUAGES),
    "motion": ("auto", "full", "reduced"),
}
_KINDS: Mapping[type, str] = {
    str: say("text in quotes"),
    int: say("a whole number"),
    float: say("a number"),
    bool: say("true or false"),
    tuple: say("a list of texts in quotes"),
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
            raise ConfigError(
                say("{path} is larger than 4 MB, so it is no settings file. Put the right file there.", path=path)
            )
        return tomllib.loads(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except FileNotFoundError:
        return {}
    except RecursionError:
        raise ConfigError(say("{path} is nested too deeply. Correct it, then start again.", path=path)) from None
    except ValueError as error:  # not TOML, not UTF-8, or a number of thousands of digits
        raise ConfigError(
            say("{path} is not valid TOML: {error}. Correct that line, then start again.", path=path, error=error)
        ) from None
    except OSError as error:
        raise ConfigError(
            say("{path} cannot be read: {why}. Check the file's permissions.", path=path, why=error.strerror)
        ) from None


def load(user_file: Path, manuscript_file: Path | None, environ: Mapping[str, str]) -> Settings:
    """Settings in force. The environment comes last: `WRITER_ENGINE`, `WRITER_LANGUAGE` and the like."""
    settings = _merge(Settings(), read_toml(user_file), user_file)
    if manuscript_file is not None:
        tables = read_toml(manuscript_file).get("settings", {})
        if not isinstance(tables, Mapping):
            raise ConfigError(
                say(
                    '{manuscript_file}: "settings" must be a table, written as [settings.writing].',
                    manuscript_file=manuscript_file,
                )
            )
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
    for name, what in _OF_THE_AUTHOR.items():
        if name in tables:
            raise ConfigError(
                say(
                    "{source}: a manuscript may not change {what}. Write it under [{name}] in your own settings, "
                    "{user_file}, then take it out here.",
                    source=place(source, ("settings", name)),
                    what=what,
                    name=name,
                    user_file=user_file,
                )
            )
    engine = tables.get("engine")
    known = {f.name for f in fields(EngineSettings)}
    for key in engine if isinstance(engine, Mapping) else ():
        if key in known - _OF_A_MANUSCRIPT:
            where = place(source, ("settings", "engine"), key)
            raise ConfigError(
                say(
                    '{where}: "{key}" may not be set by a manuscript, which may come from someone else. Write it '
                    "under [engine] in your own settings, {user_file}, then take it out here.",
                    where=where,
                    key=key,
                    user_file=user_file,
                )
            )


def _chapters(writing: WritingSettings, tables: Any, source: Path) -> dict[str, WritingSettings]:
    """How single chapters are drawn: the manuscript's own settings, and what their tables change."""
    shape = say(
        '{source}: a chapter\'s settings are a table, written as [settings.chapter."chapters/01-….md"].', source=source
    )
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
            raise ConfigError(unknown(place(source, (*above, name)), f"[{name}]", name, known))
        if not isinstance(table, Mapping):
            raise ConfigError(
                say('{source}: "{name}" must be a table, written as [{name}].', source=source, name=one_line(name))
            )
        section = _section(getattr(settings, name), table, source, (*above, name))
        if name == "keys" and (wrong := wrong_key(section))[0]:
            raise ConfigError(
                say(
                    '{source}: "{key}" in [keys] {wrong}',
                    source=place(source, ("keys",), wrong[0]),
                    key=wrong[0],
                    wrong=wrong[1],
                )
            )
        settings = replace(settings, **{name: section})
    return settings


def _section(section: Any, table: Mapping[str, Any], source: Path, where: tuple[str, ...]) -> Any:
    known = [f.name for f in fields(section)]
    name = one_line(".".join(where))
    if isinstance(section, WritingSettings):
        section = _with_preset(section, table.get("preset"), source, where)
    for key, value in table.items():
        what = say('"{key}" in [{name}]', key=key, name=name)
        if key not in known:
            raise ConfigError(unknown(place(source, where, key), what, key, known))
        wanted = type(getattr(section, key))
        value = _as(wanted, value)
        if type(value) is not wanted:
            kind = _KINDS[wanted]
            raise ConfigError(
                say(
                    "{source}: {what} must be {kind}, not {value}.",
                    source=place(source, where, key),
                    what=what,
                    kind=kind,
                    value=one_line(repr(value)),
                )
            )
        if wrong := beyond_limits(value, key):
            raise ConfigError(say("{source}: {what} {wrong}", source=place(source, where, key), what=what, wrong=wrong))
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
        where = say(
            '{source}: "preset" in [{table}]', source=place(source, table, "preset"), table=one_line(".".join(table))
        )
        raise ConfigError(
            say(
                '{where} is {presets} or "", not {name}.',
                where=where,
                presets=_listed(PRESETS),
                name=one_line(repr(name)),
            )
        )
    return replace(section, **PRESETS[name].values)  # type: ignore[arg-type]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


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
            raise ConfigError(
                say('WRITER_KEEP_WARM must be a number of seconds, not "{keep}".', keep=one_line(keep))
            ) from None
        if wrong := beyond_limits(engine.keep_warm, "keep_warm"):
            raise ConfigError(say("WRITER_KEEP_WARM {wrong}", wrong=wrong))
    for key, valid in _CHOICES.items():
        if (value := getattr(engine, key)) not in valid:
            named = say(" or ").join(f'"{each}"' for each in valid)
            raise ConfigError(
                say('engine.{key} is {named}, not "{value}".', key=key, named=named, value=one_line(value))
            )
    if (summarise := settings.editor.summarise) not in _SUMMARISE:
        named = say(" or ").join(f'"{each}"' for each in _SUMMARISE)
        raise ConfigError(say('editor.summarise is {named}, not "{value}".', named=named, value=one_line(summarise)))
    return replace(settings, engine=engine, interface=_interface(settings.interface, environ))


def _interface(interface: InterfaceSettings, environ: Mapping[str, str]) -> InterfaceSettings:
    if language := environ.get("WRITER_LANGUAGE"):
        interface = replace(interface, language=language)
    if reader := environ.get("WRITER_SCREEN_READER"):
        interface = replace(interface, screen_reader=reader.lower() not in ("0", "false", "no", "off"))
    if motion := environ.get("WRITER_MOTION"):
        interface = replace(interface, motion=motion)
    for key, valid in _OF_THE_INTERFACE.items():
        if (value := getattr(interface, key)) not in valid:
            raise ConfigError(
                say('interface.{key} is {named}, not "{value}".', key=key, named=_listed(valid), value=one_line(value))
            )
    return interface
