"""What a value of a settings file may be, and the sentences about one that is something else."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from writer.language import say
from writer.presets import WRITING
from writer.text.sanitise import one_line

_MOST = 2**31 - 1
_LONGEST_TEXT = 100  # characters of a text in a list
_LIMITS: Mapping[str, tuple[float, float]] = {  # what vLLM takes, and what a timer does
    "keep_warm": (0, _MOST),
    "window": (0, _MOST),
    "kv_cache_mib": (1, _MOST),
    "gpu_memory": (0, 1),
    "gpus": (0, 64),
    "kv_disk_gib": (0, 100_000),
    "autosave": (0.1, 86_400),
    "width": (0, 1000),
    **{name: (each.low, each.high) for name, each in WRITING.items()},
}


def beyond_limits(value: Any, key: str) -> str:
    """What such a value must be, as the end of a sentence; "" if it is within its limits."""
    low, high = _LIMITS.get(key, (0, 0))
    if isinstance(value, tuple):
        if len(value) > high or any(len(each) > _LONGEST_TEXT for each in value):
            return say(
                "must be at most {high:g} texts of at most {longest_text} characters.",
                high=high,
                longest_text=_LONGEST_TEXT,
            )
        return ""
    if isinstance(value, str | bool) or low <= value <= high:  # false for nan as well
        return ""
    span = (
        say("at least {low:g}", low=low)
        if value < low and high > 1
        else say("a number from {low:g} to {high:g}", low=low, high=high)
    )
    return say("must be {span}, not {value:g}.", span=span, value=value)


def unknown(place: str, what: str, key: str, known: list[str]) -> str:
    """The sentence about a key that is none, with the nearest that is one."""
    near = difflib.get_close_matches(key, known, n=1)
    hint = say('Did you mean "{near}"?', near=near[0]) if near else say("Valid are: {names}.", names=", ".join(known))
    return say("{place}: {what} is not a setting. {hint}", place=place, what=one_line(what), hint=hint)
