"""The settings of drawing as the author sees them: names, values as text, and back. Pure."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields

from writer.config import WritingSettings
from writer.language import say
from writer.manuscript.writing_table import Value
from writer.presets import PRESETS, WRITING
from writer.text.sanitise import visible

GROUPS: Mapping[str, tuple[str, ...]] = {
    "A choice of all": ("preset",),
    "How the model is asked": ("think", "think_tokens", "raw"),
    "How daring": ("temperature", "min_p", "top_p", "top_k"),
    "Against repetition": (
        "repetition_penalty",
        "presence_penalty",
        "frequency_penalty",
        "dry_multiplier",
        "dry_base",
        "dry_allowed_length",
        "dry_range",
        "dry_breakers",
    ),
    "Against the obvious": ("xtc_probability", "xtc_threshold"),
    "Never": ("banned",),
    "How long": ("max_tokens", "min_tokens", "stop"),
    "The same again": ("seed",),
}
LABELS: Mapping[str, str] = {
    "preset": "Preset",
    "temperature": "Temperature",
    "min_p": "Min-p",
    "top_p": "Top-p",
    "top_k": "Top-k",
    "repetition_penalty": "Repetition penalty",
    "presence_penalty": "Presence penalty",
    "frequency_penalty": "Frequency penalty",
    "dry_multiplier": "DRY strength",
    "dry_base": "DRY growth",
    "dry_allowed_length": "DRY allowed length",
    "dry_range": "DRY range",
    "dry_breakers": "DRY breakers",
    "xtc_probability": "XTC probability",
    "xtc_threshold": "XTC threshold",
    "banned": "Banned words",
    "max_tokens": "Length",
    "min_tokens": "Least length",
    "stop": "Stop before",
    "think": "Think first",
    "think_tokens": "Tokens to think",
    "raw": "Plain text",
    "seed": "Seed",
}
_OF_THE_DRAW = ("min_p", "top_p", "top_k", "xtc_probability", "xtc_threshold", "seed")
"""Settings that change nothing where the likeliest token is taken each time."""
CANNOT = "Only the engine that writer starts on a CPU can do this one."
_ENTRY = re.compile(r'\s*"(?:[^"\\]|\\.)*"\s*(?=,|$)|[^,]+')  # in quotes, or up to the next comma
_KINDS: Mapping[str, type] = {each.name: type(each.default) for each in fields(WritingSettings)}


def shown(value: Value) -> str:
    """A value on one line, as `parsed` reads it again."""
    if isinstance(value, tuple | list):
        return ", ".join(_quoted(each) for each in value)
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def _quoted(text: str) -> str:
    """As TOML has it. What could steer a terminal is written as a number."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(each if visible(each) == each else f"\\u{ord(each):04x}" for each in quoted)


def parsed(name: str, line: str) -> object:
    """What was typed, as writer.toml would hold it. What is no number stays text, and is refused where it is checked.

    A list is written with quotes as in TOML, or simply: Mara, the storm.
    """
    line, kind = line.strip(), _KINDS[name]
    if kind is tuple:
        return _texts(line)
    if kind is str:
        return line
    if kind is bool:
        return {"yes": True, "true": True, "no": False, "false": False}.get(line.lower(), line)
    try:
        return int(line.replace(",", "")) if kind is int else float(line.replace(",", "."))
    except ValueError:
        return line


def _texts(line: str) -> list[str]:
    return [text for each in _ENTRY.findall(line) if (text := _text(each.strip()))]


def _text(entry: str) -> str:
    if not entry.startswith('"'):
        return entry
    try:
        return str(tomllib.loads(f"x = {entry}")["x"])
    except ValueError:  # the quote belongs to the text
        return entry


def explained(name: str, inherited: Value, *, able: bool, drawn: bool = True) -> str:
    """What a setting does, its limits, and what holds if it is not set here. `drawn`: the temperature is above 0."""
    each, kind = WRITING[name], _KINDS[name]
    parts = [each.says]
    if kind is tuple:
        parts.append(f'Write them with commas between; quotes keep blanks: "a ", "b". At most {each.high:g}.')
    elif kind not in (str, bool):
        parts.append(f"From {each.low:g}." if each.high > 10**6 else f"From {each.low:g} to {each.high:g}.")
    if not able:
        parts.append(CANNOT)
    if not drawn and name in _OF_THE_DRAW:
        parts.append(say("The temperature is 0, so nothing is drawn, and this changes nothing."))
    parts.append(f"If it is not set here: {shown(inherited) or 'none'}.")
    return " ".join(parts)


def needs_control(name: str) -> bool:
    """Whether only an engine with writer's own processor can do it, or it belongs to one that is so."""
    return WRITING[name].word_control or name.startswith(("dry_", "xtc_"))


def next_value(name: str, value: Value) -> Value | None:
    """What Enter makes of a value that has only a few; None if it has many."""
    if name == "preset":
        return next_preset(str(value))
    return not value if isinstance(value, bool) else None


def next_preset(name: str) -> str:
    """The preset after this one; "" is none."""
    names = ["", *PRESETS]
    return names[(names.index(name) + 1) % len(names)] if name in names else ""
