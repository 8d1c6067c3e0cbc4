"""Which keys are typing."""

from __future__ import annotations


def typed(character: str | None, key: str = "") -> bool:
    """Whether a key's character is text: anything but a control character. A letter with Alt is a command."""
    return (
        bool(character)
        and not key.startswith("alt+")
        and len(character or "") == 1
        and not _control(ord(character or " "))
    )


def _control(code: int) -> bool:
    return code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000
