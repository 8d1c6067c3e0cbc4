"""Where a scripted engine comes from: the JSON in `WRITER_SCRIPT`, an object with the fields of `Script`."""

from __future__ import annotations

import asyncio
import difflib
import json
import time
from collections.abc import Mapping
from dataclasses import fields, replace

from writer.engine.base import EngineStatus, Report
from writer.engine.scripted import Script, ScriptedEngine, prefix_cache
from writer.errors import ConfigError, EngineError
from writer.language import say

VARIABLE = "WRITER_SCRIPT"


class ScriptedSource:
    """An EngineSource (see base.py). The prefix cache lives as long as this object, or as its file."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._script = read_script(environ.get(VARIABLE, ""))
        self._cache = prefix_cache(self._script)
        self._engine: ScriptedEngine | None = None
        self._seconds = 0.0
        self._asleep = False

    async def acquire(self, report: Report) -> ScriptedEngine:
        """The engine, started if there is none. A dead one is not replaced: that is what `restart` is for."""
        if self._engine is None:
            begun = time.monotonic()
            report(self._status("starting", say("starting the engine…")))
            await asyncio.sleep(self._script.start_delay)
            self._seconds = time.monotonic() - begun
            self._engine = ScriptedEngine(self._script, self._cache)
        report(self._status("ready", say("ready")))
        return self._engine

    async def restart(self, report: Report) -> ScriptedEngine:
        """A new engine with an empty cache; with `die_once` it does not die again."""
        died, self._engine = self._engine is not None and self._engine.dead, None
        if died:
            self._cache.clear()
        if died and self._script.die_once:
            self._script = replace(self._script, die_at=None)
        return await self.acquire(report)

    async def last_words(self) -> str:
        """Nothing is known."""
        return ""

    async def sleep(self) -> float:
        """Forgets what was read, as a real one does. Raises EngineError unless the script says that it can."""
        if not self._script.can_sleep:
            raise EngineError(say("The scripted engine holds no GPU. Nothing has to be freed."))
        self._cache.clear()
        self._asleep = True
        return 0.0

    async def wake(self) -> float:
        """It needs no time."""
        self._asleep = False
        return 0.0

    async def release(self, *, stop: bool) -> None:
        """Nothing is held; `stop` forgets the engine."""
        if stop:
            self._engine = None

    async def status(self) -> EngineStatus:
        """As known here."""
        if self._engine is None:
            return self._status("stopped", say("stopped"))
        return (
            self._status("failed", say("the engine has stopped"))
            if self._engine.dead
            else self._status("ready", say("ready"))
        )

    def _status(self, state: str, sentence: str) -> EngineStatus:
        if state == "ready" and self._asleep:
            state, sentence = "asleep", say("asleep")
        able = self._script.can_sleep
        return EngineStatus(state, self._script.model, sentence, seconds=self._seconds, can_sleep=able)


def read_script(text: str) -> Script:
    """The script; an empty text is the default one. Raises ConfigError that names the wrong key."""
    try:
        table = json.loads(text or "{}")
    except ValueError as error:
        raise ConfigError(
            say("{variable} is not valid JSON: {error}. Correct it, then start again.", variable=VARIABLE, error=error)
        ) from None
    if not isinstance(table, dict):
        raise ConfigError(say("{variable} must be a JSON object. Correct it, then start again.", variable=VARIABLE))
    known = [f.name for f in fields(Script)]
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1) or known
            raise ConfigError(
                say(
                    '{variable}: "{key}" is not part of a script. Did you mean "{near}"?',
                    variable=VARIABLE,
                    key=key,
                    near=near[0],
                )
            )
    if "batch" in table:
        low, high = table["batch"]
        table["batch"] = (int(low), int(high))
    return Script(**table)
