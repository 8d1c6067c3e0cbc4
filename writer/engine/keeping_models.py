"""The models of this machine, for the commands and the app: looked at, downloaded, converted, chosen, erased."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from writer import locations
from writer.catalogue.fitting import fit
from writer.catalogue.ports import CalledOff, Shelf
from writer.catalogue.suggesting import suggest
from writer.catalogue.table import read_table
from writer.catalogue.values import Fit, Machine, Offer, Progress, Shelved, gigabytes
from writer.config import EngineSettings, load
from writer.engine import downloading, gguf_header, hardware, home, hub_call, models, shelf
from writer.engine.hub_call import Errand
from writer.engine.launch import served_name
from writer.engine.running import running_engines
from writer.engine.server_key import place
from writer.errors import EngineBusy, ModelUnusable
from writer.language import say, together
from writer.manuscript.user_settings import set_engine
from writer.text.sanitise import one_line


class LocalModels:
    """Those of the user whose environment this is."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.host = hub_call.host(environ)

    def machine(self) -> Machine:
        """What an engine could have here."""
        return shelf.machine(self._settings(), self._environ)

    def look(self, language: str = "") -> Shelf:
        """Everything at once."""
        machine = self.machine()
        found = [each for each in suggest(read_table(), machine, language) if each.fit.fits]
        settings = self._settings()
        return Shelf(machine, shelf.shelved(settings, machine), tuple(found), settings.url)

    def shelved(self) -> tuple[Shelved, ...]:
        """What is here."""
        return shelf.shelved(self._settings(), self.machine())

    def fetching(self) -> Download:
        """A new download."""
        return Download(self._environ)

    def judge(self, offer: Offer) -> Fit:
        """Whether it will fit."""
        return fit(offer.weights, self.machine())

    def use(self, model: Shelved | str) -> str:
        """`engine.model` in the user's settings."""
        name = model if isinstance(model, str) else model.name
        if name != shelf.SMALL:
            models.resolve(name, lambda line: None)
        file = locations.config_file()
        if self._settings().url:
            set_engine(file, "url", "")  # else that server would go on writing
        set_engine(file, "model", "" if name == shelf.SMALL else name)
        shown = say("the small model") if name == shelf.SMALL else one_line(name)
        overruled = say("WRITER_MODEL is set and wins until you unset it.") if self._environ.get("WRITER_MODEL") else ""
        now = say(
            "From now on {shown} writes; an engine that runs already goes on until its next start.",
            shown=shown,
        )
        return together(overruled, now, self._given_room(name), say("It is kept in {file}.", file=file))

    def _given_room(self, name: str) -> str:
        """Sets what the model needs to have room for text, as it was said beside its name; a sentence if it does."""
        fits = (each.fit for each in self.shelved() if each.name == name and each.fit)
        chosen = next((fit for fit in fits if fit.fits), None)
        if chosen is None or not chosen.room:
            return ""
        set_engine(locations.config_file(), "kv_cache_mib", chosen.room_mib)
        return say("{step} is set too, so that it has room for text.", step=chosen.step)

    def use_server(self, url: str) -> str:
        """`engine.url` in the user's settings. The server is asked when it is to write."""
        url = url.strip()
        place(url)
        set_engine(locations.config_file(), "url", url)
        return say("From now on {url} writes. If it wants a key: writer engine key set", url=one_line(url))

    def remove(self, model: Shelved) -> None:
        """Not while an engine has it loaded; the small model writes if it was the chosen one."""
        if not model.ours:
            raise ModelUnusable(
                say("{folder} was not made by writer, so it stays. Erase it yourself.", folder=model.folder)
            )
        if _is_loaded(model):
            raise EngineBusy(
                say('An engine has {model} loaded. Stop it first, with "writer engine stop".', model=model.name)
            )
        home.erase(model.folder)
        if model.chosen and model.name != shelf.SMALL:
            set_engine(locations.config_file(), "model", "")

    def convert(self, source: Path, header: gguf_header.Header, report: Callable[[str], None]) -> str:
        """A GGUF file becomes a folder of ours; its path. Raises ModelUnusable."""
        target = home.home() / (re.sub(r"[^\w.-]+", "-", source.stem).strip("-.") or "model")
        if target.exists() and not home.is_ours(target):
            raise ModelUnusable(say("{target} is there already. Rename the file, then try again.", target=target))
        _require_memory(source, header)
        models.prepare(source.absolute(), target, report, room=header.weights.size + 100_000_000)
        return str(target)

    def _settings(self) -> EngineSettings:
        return load(locations.config_file(), None, self._environ).engine


class Download:
    """One errand after the other, each of which can be called off."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._errand = Errand(environ)
        self._cancelled = False

    def ask(self, hub: str) -> Offer:
        """The hub's answer."""
        return downloading.ask(hub, self._next())

    def fetch(self, offer: Offer, report: Callable[[Progress], None]) -> str:
        """The model's name."""
        downloading.fetch(offer, self._next(), report)
        return offer.hub

    def cancel(self) -> None:
        """Stop."""
        self._cancelled = True
        self._errand.cancel()

    def _next(self) -> Errand:
        self._errand = Errand(self._environ)
        if self._cancelled:
            raise CalledOff
        return self._errand


def _is_loaded(model: Shelved) -> bool:
    return any(served_name(model.folder) == each.model for each in asyncio.run(running_engines()))


def _require_memory(source: Path, header: gguf_header.Header) -> None:
    """The whole model is in memory while it is converted."""
    free = hardware.detect({}).free_ram_bytes
    needed = header.weights.size * 3 // 2 + 1_000_000_000
    if free and needed > free:
        raise ModelUnusable(
            say(
                "Converting {source} takes about {needed} of memory; {free} are free. Close some programs, "
                "or take the model as safetensors instead.",
                source=source.name,
                needed=gigabytes(needed),
                free=gigabytes(free),
            )
        )
