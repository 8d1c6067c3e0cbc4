"""The engine is made from the settings of the moment when it is first wanted, and then stays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from writer.config import EngineSettings, Settings
from writer.engine.base import Engine, EngineStatus, Report
from writer.errors import ConfigError, EngineStartFailed
from writer.runtime.file_marks import marks_of
from writer.runtime.late_source import LateSource
from writer.runtime.rereading import SettingsSource

FIRST, SECOND = EngineSettings(model="first"), EngineSettings(model="second")


class Source:
    """Where an engine of these settings comes from."""

    def __init__(self, settings: EngineSettings, said: list[str]) -> None:
        self._model, self._said = settings.model, said

    async def acquire(self, report: Report) -> Engine:
        self._said.append(f"acquire {self._model}")
        if self._model == "broken":
            raise EngineStartFailed("It is broken. Choose another.")
        return object()  # type: ignore[return-value]

    async def restart(self, report: Report) -> Engine:
        self._said.append(f"restart {self._model}")
        return object()  # type: ignore[return-value]

    async def release(self, *, stop: bool) -> None:
        self._said.append(f"release {self._model}")

    async def status(self) -> EngineStatus:
        return EngineStatus("stopped", model=self._model)


class Bench:
    """A late source, and the file that it reads."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "config.toml"
        self._says: Settings | ConfigError = Settings(engine=FIRST)
        self.said: list[str] = []
        self.reads = 0
        files = SettingsSource((self._path,), self._read, marks_of((self._path,)))
        self.source = LateSource(FIRST, files, lambda settings: Source(settings, self.said))  # type: ignore[arg-type,return-value]

    def write(self, engine: EngineSettings | ConfigError) -> None:
        """The file says this now, or is wrong so."""
        self._says = Settings(engine=engine) if isinstance(engine, EngineSettings) else engine
        self._path.write_text(f"{engine!r}")

    def _read(self) -> Settings:
        self.reads += 1
        if isinstance(self._says, ConfigError):
            raise self._says
        return self._says

    async def acquire(self) -> None:
        await self.source.acquire(lambda status: None)


async def test_what_was_chosen_before_the_first_word_writes_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write(SECOND)
    assert (await bench.source.status()).model == "second"
    await bench.acquire()
    assert bench.said == ["release first", "acquire second"]
    assert bench.source.settings == SECOND


async def test_an_engine_that_has_come_stays(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    await bench.acquire()
    bench.write(SECOND)
    await bench.source.restart(lambda status: None)
    await bench.acquire()
    assert (await bench.source.status()).model == "first"
    assert bench.said == ["acquire first", "restart first", "acquire first"]


async def test_after_a_failed_start_the_corrected_settings_hold(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write(replace(FIRST, model="broken"))
    with pytest.raises(EngineStartFailed):
        await bench.acquire()
    bench.write(SECOND)
    await bench.acquire()
    assert bench.said[-1] == "acquire second"


async def test_settings_that_cannot_be_read_change_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.write(ConfigError("Line 3 is wrong."))
    await bench.acquire()
    assert bench.said == ["acquire first"]


async def test_what_has_not_changed_is_not_read_again(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    await bench.source.status()
    assert bench.reads == 0
    bench.write(SECOND)
    await bench.source.status()
    await bench.acquire()
    assert bench.reads == 1
