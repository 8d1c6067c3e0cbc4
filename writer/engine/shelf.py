"""The models on this machine, looked at: ours, those of the hub's cache, the one in the settings. Changes nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from writer.catalogue.fitting import fit
from writer.catalogue.values import Machine, Place, Shelved
from writer.config import EngineSettings
from writer.engine import build, fitting, hardware, home, models
from writer.engine.appetite import Appetite
from writer.engine.convert import DIGESTS, is_prepared
from writer.engine.described import describe, licence
from writer.errors import EngineStartFailed, ModelUnusable
from writer.language import say

SMALL = "small"
"""The name of the small model that comes with writer."""


def machine(settings: EngineSettings, environ: Mapping[str, str]) -> Machine:
    """What an engine of these settings could have here. Asks the driver: up to ten seconds if that hangs."""
    found = hardware.detect(environ, ask_driver=True)
    plain = Machine(
        "cpu",
        say("this machine without a GPU"),
        found.ram_bytes,
        found.free_ram_bytes,
        kv_cache=settings.kv_cache_mib * 2**20,
        window=settings.window or fitting.USUAL_WINDOW,
        wide=settings.dtype in ("auto", "float32", "float"),
    )
    if not found.gpus or _cpu_only(settings):
        return plain
    gpus = _chosen_gpus(settings.gpus, found.gpus)
    return replace(
        plain,
        device="gpu",
        name=gpus[0].name if len(gpus) == 1 else f"{len(gpus)} × {gpus[0].name}",
        total=sum(gpu.total_bytes for gpu in gpus),
        free=len(gpus) * min(gpu.free_bytes for gpu in gpus),
        share=settings.gpu_memory or fitting.free_share(gpus),
        gpus=len(gpus),
    )


def _chosen_gpus(wanted: int, gpus: Sequence[hardware.Gpu]) -> Sequence[hardware.Gpu]:
    """Those that a large model of many heads would be divided among."""
    try:
        return fitting.choose(wanted, gpus, Appetite(sys.maxsize, heads=64, shared=True))
    except EngineStartFailed:  # more are wanted than there are: the start tells
        return gpus[:1]


def shelved(settings: EngineSettings, machine: Machine) -> tuple[Shelved, ...]:
    """All models here, and whether each fits. Reads headers and sizes."""
    return tuple(_fitted(each, machine) for each in _found(settings))


def _found(settings: EngineSettings) -> Iterator[Shelved]:
    whole, parts = home.all_places()
    chosen = _chosen(settings)
    small = home.home() / models.DEFAULT_MODEL
    if small not in whole and models.default_model_source() is not None:
        yield Shelved(SMALL, "small", small, 0, chosen=not (settings.model or settings.url), licence="apache-2.0")
    for folder in whole:
        yield _own(folder, chosen)
    for folder in parts:
        sentence = say(
            'Its download is not complete: "writer models add {folder}" goes on.', folder=home.hub_of(folder)
        )
        yield Shelved(home.hub_of(folder), "unfinished", folder, home.size_of(folder), ours=True, trouble=sentence)
    known = {home.hub_of(folder) for folder in whole}
    cached = {name: folder for name, folder in models.cached() if name not in known}
    for name, folder in cached.items():
        yield _described(name, "cache", folder, chosen)
    if settings.model and not settings.url and chosen not in [*whole, *cached.values()]:
        yield _described(settings.model, "folder", chosen or Path(settings.model), chosen)


def _own(folder: Path, chosen: Path | None) -> Shelved:
    said = home.note(folder)
    if folder.name == models.DEFAULT_MODEL:
        return replace(_described(SMALL, "small", folder, chosen), licence=licence(folder) or "apache-2.0")
    place: Place = "downloaded" if said else "converted" if (folder / DIGESTS).is_file() else "folder"
    found = _described(home.hub_of(folder) or str(folder), place, folder, chosen)
    return replace(found, licence=str(said.get("licence") or found.licence))


def _described(name: str, place: Place, folder: Path, chosen: Path | None) -> Shelved:
    found = Shelved(name, place, folder, 0, chosen=folder == chosen, ours=home.is_ours(folder))
    try:
        weights = describe(folder)
        found = replace(found, size=weights.size, weights=weights, licence=licence(folder))
        models.check(folder)
    except ModelUnusable as error:
        return replace(found, trouble=error.sentence)
    except OSError as error:
        return replace(
            found,
            trouble=say("{folder} cannot be read: {why}. Check its permissions.", folder=folder, why=error.strerror),
        )
    return found


def _fitted(each: Shelved, machine: Machine) -> Shelved:
    return replace(each, fit=fit(each.weights, machine)) if each.weights and not each.trouble else each


def _chosen(settings: EngineSettings) -> Path | None:
    """The folder of the model in the settings; None if it is not to be found, or a server writes."""
    if settings.url:
        return None
    if not settings.model:
        small = home.home() / models.DEFAULT_MODEL
        return small if is_prepared(small) else None
    try:
        return models.place_of(settings.model).absolute()
    except (ModelUnusable, OSError, RuntimeError):
        return None


def _cpu_only(settings: EngineSettings) -> bool:
    try:
        return build.find(settings.python).cpu_only
    except EngineStartFailed:
        return False
