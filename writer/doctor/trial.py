"""The engine's Python, and whether vLLM can be loaded by it: the one question that takes seconds."""

from __future__ import annotations

from writer import installation
from writer.config import EngineSettings
from writer.doctor.finding import Finding
from writer.engine import build, trial
from writer.engine.trial import Trial
from writer.errors import EngineStartFailed
from writer.language import say
from writer.text.sanitise import one_line


def findings(settings: EngineSettings, has_gpu: bool) -> list[Finding]:
    """Takes five seconds or more. Nothing where a server writes, and where no vLLM is installed for this Python."""
    if settings.kind != "vllm" or settings.url:
        return []
    try:
        found = build.find(settings.python)
    except EngineStartFailed as error:
        if not settings.python:
            return []  # it is told as missing already
        step = say("Correct engine.python in the settings, or take it out.")
        return [Finding(say("Engine's Python"), "bad", error.sentence, step)]
    return [loaded(trial.load(found.python), found.python, has_gpu and not found.cpu_only)]


def loaded(tried: Trial, python: str, wants_gpu: bool) -> Finding:
    """What came of the trial. `wants_gpu`: there is a GPU, and this build is made for one."""
    subject = say("Engine on trial")
    if tried.trouble:
        sentence = say(
            "vLLM is installed, but {python} cannot load it: {trouble}.",
            python=python,
            trouble=one_line(tried.trouble, 300).rstrip("."),
        )
        return Finding(subject, "bad", sentence, installation.anew("gpu" if wants_gpu else "cpu"))
    if wants_gpu and not tried.cuda:
        sentence = say("vLLM can be loaded, but its torch {torch} finds no GPU it can use.", torch=tried.torch)
        step = say("Install a newer NVIDIA driver, or {cpu}.", cpu=installation.for_the_cpu())
        return Finding(subject, "bad", sentence, step)
    return Finding(subject, "ok", say("{python} loads vLLM, with torch {torch}.", python=python, torch=tried.torch))
