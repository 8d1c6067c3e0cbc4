"""Whether the model's weights can be used on this machine, and what is left for text beside them on its GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from writer.config import EngineSettings
from writer.doctor.finding import Finding
from writer.engine import appetite, build, keepers, models, quantised, tuning
from writer.engine.build import Build
from writer.engine.fitting import fit
from writer.engine.hardware import Hardware
from writer.engine.keeper_state import read_note
from writer.engine.launch import is_trusted
from writer.engine.weights import read_json, size
from writer.errors import EngineStartFailed, ModelUnusable
from writer.language import say
from writer.text.sentences import sentences


def findings(settings: EngineSettings, hardware: Hardware) -> list[Finding]:
    """Nothing for the small model, for a server of others, and where the model or vLLM has a finding already."""
    if settings.kind != "vllm" or settings.url or not settings.model:
        return []
    try:
        found = build.find(settings.python)
        folder = models.resolve(settings.model, lambda line: None, trusted=is_trusted(settings))
        config = read_json(folder, "config.json")
        if engine_alive():
            hardware = Hardware((), 0, 0, 0)  # what it holds is not others'
        return [
            *weights(config, found, hardware),
            *kept(settings, tuning.remembered()),
            *room(settings, config, folder, hardware if not found.cpu_only else Hardware((), 0, 0, 0)),
        ]
    except (EngineStartFailed, OSError):
        return []


def engine_alive() -> bool:
    """Whether an engine of the user's has a GPU now: then nothing can be said of what is free. Asks no process."""
    notes = map(read_note, keepers.all_folders())
    return any(note is not None and note.device == "gpu" and note.alive() for note in notes)


def weights(config: Mapping[str, Any], found: Build, hardware: Hardware) -> list[Finding]:
    """How the weights are quantised, if they are, and whether that can be used here."""
    rounded = quantised.found_in(config)
    if rounded is None:
        return []
    try:
        quantised.require_device(rounded, found, hardware.gpus)
    except ModelUnusable as error:
        return [_bad(say("Model's weights"), error)]
    return [Finding(say("Model's weights"), "ok", say("They are quantised: {words}.", words=rounded.words))]


def kept(settings: EngineSettings, tuned: Mapping[str, Any]) -> list[Finding]:
    """Whether a cache on disk is set where it was measured not to pay, or has never been measured."""
    if not settings.kv_disk_gib:
        return []
    if not tuned:
        return [Finding(say("Cache on disk"), "ok", say("It is on. Whether it pays here: writer engine tune."))]
    if tuned.get("pays"):
        return [Finding(say("Cache on disk"), "ok", say("It is on, and pays here."))]
    step = say("Set engine.kv_disk_gib to 0 in your settings, or measure again: writer engine tune.")
    return [
        Finding(say("Cache on disk"), "warn", say("It is on, but was measured to be slower than reading anew."), step)
    ]


def room(settings: EngineSettings, config: Mapping[str, Any], folder: Path, hardware: Hardware) -> list[Finding]:
    """What fits beside the weights now."""
    if not hardware.gpus:
        return []
    eats = appetite.of_model(config, size(folder), settings.dtype)
    try:
        found = fit(settings, hardware.gpus, eats, models.window(folder))
    except EngineStartFailed as error:
        return [_bad(say("Room for text"), error)]
    if not (sentence := found.sentence.rstrip("…")):
        return []
    told = say("{sentence}.", sentence=f"{sentence[0].upper()}{sentence[1:]}")
    return [Finding(say("Room for text"), "ok", told)]


def _bad(subject: str, error: EngineStartFailed) -> Finding:
    """Its last sentence is the next step."""
    step = error.sentence[slice(*sentences(error.sentence)[-1])]
    what = error.sentence.removesuffix(step).rstrip()
    return Finding(subject, "bad", what or step, step if what else "")
