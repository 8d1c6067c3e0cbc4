"""The only place that joins store, engine and front end. Imports what it builds only when it builds it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from writer import locations
from writer.config import EngineSettings, Settings, load
from writer.manuscript.model import Manuscript
from writer.manuscript.project import open_manuscript

if TYPE_CHECKING:
    from writer.engine.base import Engine, EngineSource
    from writer.engine.counting import ModelWording
    from writer.engine.keeping_models import LocalModels
    from writer.generation.wording import Wording
    from writer.runtime.desk import Desk
    from writer.runtime.events import Event
    from writer.runtime.file_marks import Mark
    from writer.runtime.late_source import LateSource
    from writer.runtime.rereading import SettingsSource
    from writer.runtime.showing import Reader
    from writer.runtime.thread import WritingThread

    Notify = Callable[[Event], None]
    Known = tuple[Settings, tuple[Mark, ...]]


def harden() -> None:
    """What every process of ours does first: private files, and no core dump that would hold the manuscript."""
    import resource

    os.umask(0o077)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def settings_for(manuscript: Manuscript | None, environ: Mapping[str, str]) -> Settings:
    """Settings in force for a manuscript, or for none. Raises ConfigError."""
    return load(locations.config_file(), manuscript.settings_file if manuscript else None, environ)


def _read_settings(manuscript: Manuscript, environ: Mapping[str, str]) -> Known:
    """Settings in force, and the marks that their files had before: whoever finds others there reads again."""
    from writer.runtime.file_marks import marks_of

    marks = marks_of(_settings_files(manuscript))
    return settings_for(manuscript, environ), marks


def _settings_files(manuscript: Manuscript) -> tuple[Path, Path]:
    return locations.config_file(), manuscript.settings_file


def _settings_source(manuscript: Manuscript, environ: Mapping[str, str], seen: tuple[Mark, ...]) -> SettingsSource:
    from writer.runtime.rereading import SettingsSource

    return SettingsSource(_settings_files(manuscript), lambda: settings_for(manuscript, environ), seen)


def engine_source(settings: Settings, environ: Mapping[str, str]) -> EngineSource:
    """The engine that the settings name."""
    engine = settings.engine
    if engine.kind == "scripted":
        from writer.engine.scripted_source import ScriptedSource

        return ScriptedSource(environ)
    if engine.url:
        from writer.engine.remote import RemoteEngine

        return RemoteEngine(engine, environ=environ)
    from writer.engine.lease import KeptEngine

    return KeptEngine(engine, environ=environ)


def late_source(settings: Settings, files: SettingsSource, environ: Mapping[str, str]) -> LateSource:
    """The engine that the settings in these files name when it is wanted. `settings` are those that were read."""
    from writer.runtime.late_source import LateSource

    return LateSource(settings.engine, files, lambda engine: engine_source(replace(settings, engine=engine), environ))


def models_here(environ: Mapping[str, str]) -> LocalModels:
    """The models of this machine, and the way to others."""
    from writer.engine.keeping_models import LocalModels

    return LocalModels(environ)


def wording_for(engine: Engine) -> Wording:
    """How texts become ids: with the model's own tokenizer if it is on this machine, else by asking the engine."""
    folder = engine.facts.model_folder
    if folder is not None and (local := model_wording(folder)):
        return local
    from writer.runtime.engine_wording import EngineWording

    return EngineWording(engine)


@lru_cache(maxsize=2)
def model_wording(folder: Path) -> ModelWording | None:
    """The wording of the model in a folder, which remembers what it has counted; None if its tokenizer is another."""
    from writer.engine.counting import ModelWording

    local = ModelWording(folder)
    return local if local.usable else None


def model_on_disk(engine: EngineSettings) -> Reader | None:
    """The model that the settings name, read without an engine; None if it is not here yet. Raises ModelUnusable."""
    if engine.kind != "vllm" or engine.url:
        return None
    from writer.engine import convert, launch, models, windows
    from writer.runtime.showing import Reader

    default = locations.data_dir() / "models" / models.DEFAULT_MODEL
    if not engine.model and not convert.is_prepared(default):
        return None
    folder = models.resolve(engine.model, lambda line: None, trusted=launch.is_trusted(engine))
    wording = model_wording(folder)
    if wording is None:
        return None
    model = models.fingerprint(folder)
    return Reader(wording, windows.expected(engine.window, models.window(folder), model.model), model.tokenizer)


def open_desk(
    folder: Path, environ: Mapping[str, str], notify: Notify, *, patience: int | None = None, known: Known | None = None
) -> Desk:
    """A desk that holds the manuscript's lock; call its `open()` next. Raises the errors of each room.

    `known` are the settings if they were read already, and the marks of their files from before that.
    """
    from writer.manuscript.chapter_file import tidy
    from writer.manuscript.lock import ManuscriptLock
    from writer.manuscript.versions import Versions
    from writer.manuscript.word_history import WordHistory
    from writer.process import boot_id
    from writer.runtime.arranging import finished, shelf_for
    from writer.runtime.counting import Counting
    from writer.runtime.desk import Desk, Means
    from writer.runtime.turns import Turns
    from writer.storage.opening import open_state

    manuscript = open_manuscript(folder)
    settings, seen = known or _read_settings(manuscript, environ)
    files = _settings_source(manuscript, environ, seen)
    source = late_source(settings, files, environ)  # before the state is open, which must then be closed
    state_dir = locations.state_dir(manuscript.id)
    lock = ManuscriptLock.take(state_dir)
    try:
        tidy(manuscript.folder, [c.path for c in manuscript.chapters], state_dir / "saving")
        state = open_state(state_dir / "state.db", boot_id=boot_id())
        versions = Versions(state_dir / "versions")
        shelf = shelf_for(manuscript.folder, state_dir, versions, state, Turns(state_dir))
        state.notes = (*state.notes, *finished(shelf))
        manuscript = open_manuscript(folder)
        means = Means(
            manuscript=manuscript,
            settings=settings,
            state=state,
            source=source,
            lock=lock,
            state_dir=state_dir,
            versions=versions,
            notify=Counting(notify, manuscript.folder, WordHistory(state_dir)),
            patience=patience,
            wording=wording_for,
            on_disk=lambda: model_on_disk(source.settings),
            settings_source=files,
        )
        return Desk(means)
    except BaseException:
        lock.release()
        raise


def writing_thread(folder: Path, environ: Mapping[str, str]) -> tuple[Manuscript, Settings, WritingThread]:
    """What the app is built from. Wrong folders, settings and a second window are refused before the screen opens."""
    from writer.manuscript.lock import ManuscriptLock
    from writer.runtime.thread import WritingThread

    manuscript = open_manuscript(folder)
    known = _read_settings(manuscript, environ)
    lock = ManuscriptLock.take(locations.state_dir(manuscript.id))
    try:
        manuscript = _whole(manuscript)
    finally:
        lock.release()
    return manuscript, known[0], WritingThread(lambda notify: open_desk(folder, environ, notify, known=known))


def _whole(manuscript: Manuscript) -> Manuscript:
    """The manuscript, after a change of its chapters that a kill cut short. For the holder of the lock."""
    from writer.manuscript.names import RECORD

    state_dir = locations.state_dir(manuscript.id)
    if not (state_dir / RECORD).exists():
        return manuscript
    from writer.manuscript.arranging import Shelf, finish_files
    from writer.manuscript.versions import Versions

    finish_files(Shelf(manuscript.folder, state_dir, Versions(state_dir / "versions")))
    return open_manuscript(manuscript.folder)
