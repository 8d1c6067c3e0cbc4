"""vLLM's log lines in plain words for the status line. Pure; knows the lines of vLLM 0.26 to 0.33."""

from __future__ import annotations

import re

from writer.language import say

STARTING = say("starting the engine…")
_SHARDS = re.compile(r"checkpoint shards:\s+(\d+)% Completed")
_STAGES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"Starting vLLM (API )?server"), say("almost ready…")),
    (
        re.compile(r"Capturing CUDA graph|Graph capturing finished|[Ww]arming up|KV cache size:|CPU KV cache"),
        say("warming up…"),
    ),
    (
        re.compile(r"Starting torch\.compile|Dynamo bytecode transform|Compiling a graph|torch\.compile took"),
        say("compiling…"),
    ),
    (re.compile(r"Starting to load model"), say("loading the model…")),
    (re.compile(r"Resolved architecture:|Initializing a V1 LLM engine"), say("preparing the engine…")),
)


def words(line: str) -> str | None:
    """What this line says about the start, or None if it says nothing an author would miss."""
    if shards := _SHARDS.search(line):
        return say("loading the model, {shards} %…", shards=shards[1])
    return next((plain for pattern, plain in _STAGES if pattern.search(line)), None)


def latest(lines: list[str], before: str) -> str:
    """The words after these lines were read; `before` if none of them says anything."""
    for line in reversed(lines):
        if found := words(line):
            return found
    return before


def ready(seconds: float) -> str:
    """How the start ended well."""
    return say("ready in {seconds:.0f} s", seconds=seconds) if seconds >= 1 else say("ready")
