"""All that the app itself may send to a terminal of 100 × 30, as a grammar. Whatever else acts on one is foreign.

Numbers are bounded and colours are those of Textual's true-colour output, so that a sequence out of a text that looks
like one of ours is still told apart.
"""

from __future__ import annotations

import base64
import re

ROWS, COLUMNS = 30, 100
_MODES = {b"7", b"25", b"1000", b"1002", b"1003", b"1004", b"1006", b"1015", b"1016", b"1047", b"1049", b"2004"}
_ASKED = {b"2026", b"2048"}  # asked for, and switched once the terminal has answered
_OURS = re.compile(
    rb"\x1b\[(?P<style>[0-9;]*)m"
    rb"|\x1b\[(?P<row>[0-9]{1,3});(?P<column>[0-9]{1,3})H"
    rb"|\x1b\[H|\x1b\[>25u|\x1b\[<u"
    rb"|\x1b\[\?(?P<modes>[0-9;]+)(?P<switch>h|l|\$p)"
    rb"|\x1b\]22;(?:default|pointer|text)\x07"
    rb"|\x1b\]10;\?\x1b\\"
    rb"|\r\n"
)
_FOREIGN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_ATTRIBUTES = {b"", b"0", b"1", b"2", b"3", b"4", b"7", b"9"}


COPIED = rb"\x1b\]52;c;([A-Za-z0-9+/=]*)\x07"
"""What a copy sends besides."""
BAR = rb"\r\x1b\[2K|\r(?!\n)|\x1b\[1A\x1b\[2K|\x1b\[(?:[0-9;]*)m"
"""What the progress bar of the command line sends besides."""


def foreign(output: bytes, also: bytes = b"") -> list[str]:
    """What of the output is none of ours, each with a little of what is around it. `also` is ours at this place."""
    kept, end = [], 0
    for match in re.finditer(b"(?:" + also + b")|" + _OURS.pattern if also else _OURS.pattern, output):
        if _allowed(match):
            kept.append(output[end : match.start()])
            end = match.end()
    text = b" ".join([*kept, output[end:]]).decode("utf-8", "surrogateescape")
    return [repr(text[max(0, m.start() - 12) : m.start() + 20]) for m in _FOREIGN.finditer(text)]


def copied(output: bytes) -> list[str]:
    """What was handed to the clipboard."""
    return [base64.b64decode(text).decode() for text in re.findall(COPIED, output)]


def _allowed(match: re.Match[bytes]) -> bool:
    if match["style"] is not None:
        return _style(match["style"].split(b";"))
    if match["row"] is not None:
        return 1 <= int(match["row"]) <= ROWS and 1 <= int(match["column"]) <= COLUMNS + 1
    if match["modes"] is not None:
        numbers = set(match["modes"].split(b";"))
        return numbers <= _ASKED if match["switch"] == b"$p" else numbers <= _MODES | _ASKED
    return True


def _style(parts: list[bytes]) -> bool:
    """Attributes, and colours of 24 bits."""
    while parts:
        if parts[0] in (b"38", b"48") and len(parts) >= 5 and parts[1] == b"2":
            if any(len(part) > 3 or int(part or b"999") > 255 for part in parts[2:5]):
                return False
            parts = parts[5:]
        elif parts[0] in _ATTRIBUTES:
            parts = parts[1:]
        else:
            return False
    return True
