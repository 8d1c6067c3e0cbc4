"""The engine's Python, and whether vLLM can be loaded by it: the one question that takes seconds."""

from __future__ import annotations

from writer.config import EngineSettings
from writer.doctor.finding import Finding
from writer.engine import build, trial
from writer.engine.trial import Trial
from writer.errors import EngineStartFailed
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
        step = "Correct engine.python in the settings, or take it out."
        return [Finding("Engine's Python", "bad", error.sentence, step)]
    return [loaded(trial.load(found.python), found.python, has_gpu and not found.cpu_only)]


def loaded(tried: Trial, python: str, wants_gpu: bool) -> Finding:
    """What came of the trial. `wants_gpu`: there is a GPU, and this build is made for one."""
    subject = "Engine on trial"
    if tried.trouble:
        sentence = f"vLLM is installed, but {python} cannot load it: {one_line(tried.trouble, 300).rstrip('.')}."
        return Finding(subject, "bad", sentence, "Remove the folder .venv and run scripts/start again.")
    if wants_gpu and not tried.cuda:
        sentence = f"vLLM can be loaded, but its torch {tried.torch} finds no GPU it can use."
        return Finding(
            subject, "bad", sentence, "Install a newer NVIDIA driver, or run scripts/start with WRITER_BUILD=cpu."
        )
    return Finding(subject, "ok", f"{python} loads vLLM, with torch {tried.torch}.")
