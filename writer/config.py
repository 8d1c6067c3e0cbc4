"""Settings: defaults, then the user's config.toml, then the manuscript's writer.toml, then the environment.

Each field is followed by its own line of documentation. An unknown key or a wrong type is an error that
names file and key, and the nearest valid key.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from writer.errors import ConfigError
from writer.presets import PRESETS, WRITING
from writer.text.sanitise import one_line

_OF_A_MANUSCRIPT = frozenset({"window", "keep_warm", "after_quit"})
"""What a manuscript may say of the engine. It may be a stranger's, so it names no program, server or model to load."""
_MOST = 2**31 - 1
_LARGEST = 4 * 1024 * 1024  # bytes of a settings file
_LONGEST_TEXT = 100  # characters of a text in a list
_KINDS: Mapping[type, str] = {
    str: "text in quotes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    tuple: "a list of texts in quotes",
}
_LIMITS: Mapping[str, tuple[float, float]] = {  # what vLLM takes, and what a timer does
    "keep_warm": (0, _MOST),
    "window": (1, _MOST),
    "kv_cache_mib": (1, _MOST),
    "gpu_memory": (0.01, 1),
    "autosave": (0.1, 86_400),
    "width": (0, 1000),
    **{name: (each.low, each.high) for name, each in WRITING.items()},
}


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """`[engine]`: which engine writes, and how long it stays."""

    kind: str = "vllm"
    """"vllm", or "scripted" for a deterministic engine without a model (tests, demonstrations)."""
    model: str = ""
    """A model folder or hub id; empty means the small model that comes with writer."""
    trusted_model: str = ""
    """A model that may run code of its own, written exactly as in `model`; empty means none may."""
    url: str = ""
    """Address of a vLLM server to use instead of a local engine, "http://…" or "http+unix://…"."""
    python: str = ""
    """A Python that can import vLLM; empty means the one that runs writer."""
    keep_warm: float = 300.0
    """Seconds an engine stays alive after the last window has gone; 0 stops it at once."""
    after_quit: str = "keep"
    """On a clean quit: "keep" (the same clock as above) or "stop"."""
    after_sleep: str = "continue"
    """When the machine has slept: "continue" by itself with what was being written, or "wait" for the author."""
    window: int = 8192
    """Tokens of prompt and text together (max_model_len); less if the model has less."""
    kv_cache_mib: int = 512
    """Memory for the prefix cache on a CPU, in MiB."""
    gpu_memory: float = 0.85
    """Share of the GPU's memory that the engine may take."""
    dtype: str = "auto"
    """"auto" (float32 on a CPU, where resuming is exact; the model's own on a GPU) or a vLLM dtype."""


@dataclass(frozen=True, slots=True)
class WritingSettings:
    """`[writing]`: how text is drawn. What each does: `presets.WRITING`."""

    preset: str = ""
    temperature: float = 0.8
    top_p: float = 0.95
    top_k: int = 0
    min_p: float = 0.05
    repetition_penalty: float = 1.1
    max_tokens: int = 1200
    min_tokens: int = 0
    stop: tuple[str, ...] = ()
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    dry_multiplier: float = 0.0
    dry_base: float = 1.75
    dry_allowed_length: int = 2
    dry_range: int = 0
    dry_breakers: tuple[str, ...] = ("\n", ":", '"', "*")
    xtc_threshold: float = 0.1
    xtc_probability: float = 0.0
    banned: tuple[str, ...] = ()
    think: bool = False
    think_tokens: int = 1000
    raw: bool = False
    seed: int = 0


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """`[editor]`."""

    autosave: float = 3.0
    """Seconds between saves of a changed chapter."""
    width: int = 80
    """Cells of text in a row, in the middle of the pane; 0 uses the whole pane."""
    typewriter: bool = False
    """The row that is written on stays in the middle of the pane."""
    focus: bool = False
    """All paragraphs but the one with the cursor are dimmed."""
    typography: bool = False
    """Typed straight quotes, "--" and "..." become curly quotes, a dash and an ellipsis."""
    spelling: str = ""
    """A language, such as "en" or "de", in which unknown words are underlined; empty means none."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, in force for one manuscript."""

    engine: EngineSettings = field(default_factory=EngineSettings)
    writing: WritingSettings = field(default_factory=WritingSettings)
    editor: EditorSettings = field(default_factory=EditorSettings)
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
    """Settings in force. `WRITER_ENGINE`, `WRITER_MODEL` and `WRITER_KEEP_WARM` of `environ` come last."""
    settings = _merge(Settings(), read_toml(user_file), user_file)
    if manuscript_file is not None:
        tables = read_toml(manuscript_file).get("settings", {})
        if not isinstance(tables, Mapping):
            raise ConfigError(f'{manuscript_file}: "settings" must be a table, written as [settings.writing].')
        _refuse_foreign(tables, manuscript_file, user_file)
        own = {name: table for name, table in tables.items() if name != "chapter"}
        settings = _merge(settings, own, manuscript_file)
        settings = replace(settings, chapters=_chapters(settings.writing, tables.get("chapter", {}), manuscript_file))
    return _from_environment(settings, environ)


def check_writing(table: Mapping[str, Any], source: Path, name: str = "settings.writing") -> WritingSettings:
    """This table, as if a file held it. Raises ConfigError, as reading that file would."""
    checked: WritingSettings = _section(WritingSettings(), table, source, name)
    return checked


def _refuse_foreign(tables: Mapping[str, Any], source: Path, user_file: Path) -> None:
    """A manuscript's own file may not choose what runs on this machine, or where the text is sent."""
    engine = tables.get("engine")
    known = {f.name for f in fields(EngineSettings)}
    for key in engine if isinstance(engine, Mapping) else ():
        if key in known - _OF_A_MANUSCRIPT:
            raise ConfigError(
                f'{source}: "{key}" may not be set by a manuscript, which may come from someone else. '
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
        found[path] = _section(writing, table, source, f"settings.chapter.{one_line(path)}")
    return found


def _merge(settings: Settings, tables: Mapping[str, Any], source: Path) -> Settings:
    for name, table in tables.items():
        known = [f.name for f in fields(Settings) if f.name != "chapters"]
        if name not in known:
            raise ConfigError(_unknown(source, f"[{name}]", name, known))
        if not isinstance(table, Mapping):
            raise ConfigError(f'{source}: "{one_line(name)}" must be a table, written as [{one_line(name)}].')
        settings = replace(settings, **{name: _section(getattr(settings, name), table, source, name)})
    return settings


def _section(section: Any, table: Mapping[str, Any], source: Path, name: str) -> Any:
    known = [f.name for f in fields(section)]
    if isinstance(section, WritingSettings):
        section = _with_preset(section, table.get("preset"), source, name)
    for key, value in table.items():
        if key not in known:
            raise ConfigError(_unknown(source, f'"{key}" in [{name}]', key, known))
        wanted = type(getattr(section, key))
        if type(value) is int:  # TOML sets no limit; beyond some size it cannot even be shown
            value = max(-(10**18), min(value, 10**18))
        if wanted is float and type(value) is int:
            value = float(value)
        if wanted is tuple and type(value) is list and all(type(each) is str and each.strip(" ") for each in value):
            value = tuple(value)
        if type(value) is not wanted:
            kind = _KINDS[wanted]
            raise ConfigError(f'{source}: "{key}" in [{name}] must be {kind}, not {one_line(repr(value))}.')
        _check_limits(value, f'{source}: "{key}" in [{name}]', key)
        section = replace(section, **{key: value})
    return section


def _with_preset(section: WritingSettings, name: Any, source: Path, table: str) -> WritingSettings:
    """The section with what the preset names: before what stands beside it, after what other files said."""
    if name is None or name == "":
        return section
    if not isinstance(name, str) or name not in PRESETS:
        raise ConfigError(f'{source}: "preset" in [{table}] is {_listed(PRESETS)} or "", not {one_line(repr(name))}.')
    return replace(section, **PRESETS[name].values)  # type: ignore[arg-type]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _check_limits(value: Any, what: str, key: str) -> None:
    low, high = _LIMITS.get(key, (0, 0))
    if isinstance(value, tuple):
        if len(value) > high or any(len(each) > _LONGEST_TEXT for each in value):
            raise ConfigError(f"{what} must be at most {high:g} texts of at most {_LONGEST_TEXT} characters.")
        return
    if isinstance(value, str | bool) or low <= value <= high:  # false for nan as well
        return
    span = f"at least {low:g}" if value < low and high > 1 else f"a number from {low:g} to {high:g}"
    raise ConfigError(f"{what} must be {span}, not {value:g}.")


def _unknown(source: Path, what: str, key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    hint = f'Did you mean "{near[0]}"?' if near else "Valid are: " + ", ".join(known) + "."
    return f"{source}: {one_line(what)} is not a setting. {hint}"


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
        _check_limits(engine.keep_warm, "WRITER_KEEP_WARM", "keep_warm")
    if engine.kind not in ("vllm", "scripted"):
        raise ConfigError(f'The engine kind is "vllm" or "scripted", not "{one_line(engine.kind)}".')
    if engine.after_quit not in ("keep", "stop"):
        raise ConfigError(f'engine.after_quit is "keep" or "stop", not "{one_line(engine.after_quit)}".')
    if engine.after_sleep not in ("continue", "wait"):
        raise ConfigError(f'engine.after_sleep is "continue" or "wait", not "{one_line(engine.after_sleep)}".')
    return replace(settings, engine=engine)
