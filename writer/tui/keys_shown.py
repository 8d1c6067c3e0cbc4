"""Keys in sentences and lists, as the author has set them. The app's own texts name the usual keys."""

from __future__ import annotations

import re
from collections.abc import Mapping

from writer.key_names import KeySettings

_NAMED = re.compile(
    r"\b(?:(?:Ctrl|Alt|Shift|ctrl|alt|shift)\+(?:[A-Za-z]\b|F\d{1,2}\b|f\d{1,2}\b)|[Ff](?:1[0-2]|[1-9])\b)"
)


def shown(text: str, changed: Mapping[str, str]) -> str:
    """The text with the keys of now. `changed`: name → key of those that are not the usual ones."""
    if not changed:
        return text
    usual = KeySettings()
    now = {getattr(usual, name): key for name, key in changed.items()}

    def key(found: re.Match[str]) -> str:
        pressed = now.get(found[0].lower())
        return found[0] if pressed is None else pressed if found[0].islower() else _titled(pressed)

    return _NAMED.sub(key, text)


def _titled(key: str) -> str:
    """ "ctrl+g" as a sentence writes it: "Ctrl+G"."""
    return "+".join(part.capitalize() for part in key.split("+"))
