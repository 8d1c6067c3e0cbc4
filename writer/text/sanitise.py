"""Foreign text made safe for a terminal. Nothing that a model or a file says may act as a control code.

Each unsafe character becomes exactly one visible one, so offsets into the text stay true.
"""

from __future__ import annotations

_REPLACEMENT = "\ufffd"
# C0 as control pictures (U+2400 …), DEL as U+2421; C1, bidi overrides and isolates, marks, line and paragraph
# separators, the inner BOM and lone surrogates as U+FFFD.
_UNSAFE: dict[int, str] = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"}
_UNSAFE[0x7F] = "\u2421"
_UNSAFE |= dict.fromkeys(range(0x80, 0xA0), _REPLACEMENT)
_UNSAFE |= dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F], _REPLACEMENT)
_UNSAFE |= dict.fromkeys([0x2028, 0x2029, 0xFEFF], _REPLACEMENT)
_UNSAFE |= dict.fromkeys(range(0xD800, 0xE000), _REPLACEMENT)
_MODEL = _UNSAFE | {0x0D: ""}  # a carriage return of the model is one half of a line break


def visible(text: str) -> str:
    """The text with every control character shown as a mark; newline and tab stay. Same length."""
    return text.translate(_UNSAFE)


def one_line(text: str, limit: int = 200) -> str:
    """The text as one safe line of at most `limit` characters, for titles, status lines and errors."""
    line = " ".join(visible(text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def from_model(text: str) -> str:
    """Model output as it enters the manuscript: `visible`, and "\\r\\n" becomes "\\n"."""
    return text.translate(_MODEL)
