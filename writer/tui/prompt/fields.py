"""The settings of drawing as the author sees them: names, values as text, and back. Pure."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields

from writer.config import WritingSettings
from writer.language import say, together
from writer.manuscript.writing_table import Value
from writer.presets import PRESETS, WRITING
from writer.text.sanitise import visible

GROUPS: Mapping[str, tuple[str, ...]] = {
    say("A choice of all"): ("preset",),
    say("How the model is asked"): ("think", "think_tokens", "raw"),
    say("How daring"): ("temperature", "min_p", "top_p", "top_k"),
    say("Against repetition"): (
        "repetition_penalty",
        "presence_penalty",
        "frequency_penalty",
        "dry_multiplier",
        "dry_base",
        "dry_allowed_length",
        "dry_range",
        "dry_breakers",
    ),
    say("Against the obvious"): ("xtc_probability", "xtc_threshold"),
    say("Never"): ("banned",),
    say("How long"): ("max_tokens", "min_tokens", "stop"),
    say("The same again"): ("seed",),
}
LABELS: Mapping[str, str] = {
    "preset": say("Preset"),
    "temperature": say("Temperature"),
    "min_p": say("Min-p"),
    "top_p": say("Top-p"),
    "top_k": say("Top-k"),
    "repetition_penalty": say("Repetition penalty"),
    "presence_penalty": say("Presence penalty"),
    "frequency_penalty": say("Frequency penalty"),
    "dry_multiplier": say("DRY strength"),
    "dry_base": say("DRY growth"),
    "dry_allowed_length": say("DRY allowed length"),
    "dry_range": say("DRY range"),
    "dry_breakers": say("DRY breakers"),
    "xtc_probability": say("XTC probability"),
    "xtc_threshold": say("XTC threshold"),
    "banned": say("Banned words"),
    "max_tokens": say("Length"),
    "min_tokens": say("Least length"),
    "stop": say("Stop before"),
    "think": say("Think first"),
    "think_tokens": say("Tokens to think"),
    "raw": say("Plain text"),
    "seed": say("Seed"),
}
_OF_THE_DRAW = ("min_p", "top_p", "top_k", "xtc_probability", "xtc_threshold", "seed")
"""Settings that change nothing where the likeliest token is taken each time."""
CANNOT = say("Only the engine that writer starts on a CPU can do this one.")
_ENTRY = re.compile(r'\s*"(?:[^"\\]|\\.)*"\s*(?=,|$)|[^,]+')  # in quotes, or up to the next comma
_KINDS: Mapping[str, type] = {each.name: type(each.default) for each in fields(WritingSettings)}


def shown(value: Value) -> str:
    """A value on one line, as `parsed` reads it again."""
    if isinstance(value, tuple | list):
        return ", ".join(_quoted(each) for each in value)
    return (say("no"), say("yes"))[value] if isinstance(value, bool) else str(value)


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
        words = {"yes": True, "true": True, say("yes"): True, "no": False, "false": False, say("no"): False}
        return words.get(line.lower(), line)
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
        parts.append(
            say('Write them with commas between; quotes keep blanks: "a ", "b". At most {high:g}.', high=each.high)
        )
    elif kind not in (str, bool):
        parts.append(
            say("From {low:g}.", low=each.low)
            if each.high > 10**6
            else say("From {low:g} to {high:g}.", low=each.low, high=each.high)
        )
    if not able:
        parts.append(CANNOT)
    if not drawn and name in _OF_THE_DRAW:
        parts.append(say("The temperature is 0, so nothing is drawn, and this changes nothing."))
    parts.append(say("If it is not set here: {value}.", value=shown(inherited) or say("none")))
    return together(*parts)


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
