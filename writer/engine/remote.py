"""A server that others run, by its address. We attach and let go; we never start or stop it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlsplit

from writer.config import EngineSettings
from writer.engine.base import EngineStatus, Report
from writer.engine.by_text import TextEngine
from writer.engine.client import VllmEngine
from writer.engine.client_setup import NotVllm
from writer.engine.patience import NONE, Patience
from writer.engine.server_key import key_for, require_salt
from writer.engine.unreachable import UNREACHABLE, NotAnswered
from writer.errors import EngineDied, EngineError, EngineStartFailed, WriterError
from writer.language import say
from writer.text.sanitise import one_line

_TRIES = 8
_FIRST_PAUSE, _GROWTH = 0.5, 40  # seconds, doubled with each try up to so many times: up to a minute in all


class RemoteEngine:
    """An EngineSource (see base.py) for `engine.url`. Its key: see server_key.py."""

    def __init__(
        self,
        settings: EngineSettings,
        *,
        environ: Mapping[str, str],
        first_pause: float = _FIRST_PAUSE,
        patience: Patience | None = None,
    ) -> None:
        self._url = settings.url
        self._settings = settings
        self._environ = environ
        self._first_pause = first_pause
        self._patience = patience or Patience()
        self._engine: VllmEngine | TextEngine | None = None
        self._report: Report = lambda status: None

    async def acquire(self, report: Report) -> VllmEngine | TextEngine:
        """Attach, or return what is attached. Raises EngineStartFailed or RequestRefused."""
        self._report = report
        if self._engine is None:
            report(self._status("starting", say("asking the server…")))
            try:
                self._engine = await self._attach(replace(self._patience, told=self._waiting))
            except EngineDied as error:
                raise EngineStartFailed(self._unanswered(error), detail=error.detail) from None
        report(self._status("ready", say("ready")))
        return self._engine

    async def restart(self, report: Report) -> VllmEngine | TextEngine:
        """Attach again, with growing pauses: whoever runs the server may be starting it anew."""
        await self.release(stop=False)
        pause = self._first_pause
        for _ in range(_TRIES - 1):
            try:
                return await self.acquire(report)
            except EngineStartFailed:
                report(self._status("starting", say("waiting for the server…")))
                await self._patience.sleep(pause * (0.5 + self._patience.chance() / 2))
                pause = min(2 * pause, _GROWTH * self._first_pause)
        return await self.acquire(report)

    async def last_words(self) -> str:
        """Whoever runs the server knows."""
        return ""

    async def sleep(self) -> float:
        """Refused: the GPU is that of others."""
        raise EngineError(
            say("The engine runs on a server that others run, so its GPU is not freed from here. Pause only.")
        )

    async def wake(self) -> float:
        """Nothing to do."""
        return 0.0

    async def release(self, *, stop: bool) -> None:
        """Closes our connections. `stop` changes nothing: the server is not ours."""
        engine, self._engine = self._engine, None
        if engine is not None:
            await engine.aclose()

    async def status(self) -> EngineStatus:
        """Whether the server answers now."""
        try:
            probe = await self._attach(NONE)
        except WriterError as error:
            return self._status("stopped", error.sentence)
        await probe.aclose()
        return EngineStatus(state="ready", model=probe.facts.model, sentence=say("ready"))

    async def _attach(self, patience: Patience) -> VllmEngine | TextEngine:
        require_salt(self._settings.cache_salt)
        key = await key_for(self._url, self._environ)
        if self._settings.protocol != "openai":
            try:
                return await VllmEngine.attach(
                    url=self._url,
                    device="remote",
                    api_key=key,
                    patience=patience,
                    cache_salt=self._settings.cache_salt,
                )
            except NotVllm:
                if self._settings.protocol == "vllm":
                    raise
        return await TextEngine.attach(
            url=self._url,
            model=self._settings.model,
            window=self._settings.window,
            api_key=key,
            patience=patience,
        )

    def _waiting(self, seconds: float) -> None:
        state = "ready" if self._engine else "starting"
        self._report(
            self._status(
                state, say("the server is busy; it is asked again in {seconds} s…", seconds=max(1, round(seconds)))
            )
        )

    def _status(self, state: str, sentence: str) -> EngineStatus:
        return EngineStatus(state=state, model=self._engine.facts.model if self._engine else "", sentence=sentence)

    def _unanswered(self, error: EngineDied) -> str:
        """One that it was not asked for, such as being busy, is told as it is."""
        if not isinstance(error, NotAnswered) and error.sentence != UNREACHABLE:
            return error.sentence
        return say(
            "The server at {url} does not answer. Start it, or correct engine.url in the settings.",
            url=_shown(self._url),
        )


def _shown(url: str) -> str:
    """The address without a password that may stand in it."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return one_line(url)
    return one_line(url.replace(parts.netloc, parts.netloc.rpartition("@")[2], 1) if "@" in parts.netloc else url)
