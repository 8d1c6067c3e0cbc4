"""Tokens for a server that takes none: ids that hold the text itself, so that the journal keeps what was said. Pure.

An id is up to four ASCII characters, or one other character, or the mark at which a message of a talk begins. So a
text has about as many of them as a model's own tokenizer would make, and any ids, cut anywhere, are a text again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from writer.errors import RequestRefused
from writer.generation.prompt import ChatMessage
from writer.language import say

FINGERPRINT = "text"
"""Instead of a tokenizer's, so that such ids are never given to a model as they are."""
_PIECE = re.compile(r"[\x01-\x7f]{1,4}|[^\x01-\x7f]", re.DOTALL)
_CHARACTERS = 0x110000
_ROLES = ("system", "user", "assistant")
_PACKED = 1 << 29
_SEVEN = 0x7F


def of_text(text: str) -> tuple[int, ...]:
    """The ids of a text."""
    return tuple(_id(piece) for piece in _PIECE.findall(text))


def widths(ids: Sequence[int]) -> Iterator[int]:
    """How many characters each id shows."""
    return (len(_shown(each)) for each in ids)


def to_text(ids: Sequence[int]) -> str:
    """The text of the ids; where a message begins nothing is shown. Raises RequestRefused for ids of a model."""
    return "".join(map(_shown, ids))


def of_talk(messages: Sequence[ChatMessage]) -> tuple[int, ...]:
    """The ids of messages, and of an answer that is begun and empty."""
    whole: tuple[int, ...] = ()
    for message in (*messages, ChatMessage("assistant", "")):
        whole += (_CHARACTERS + _ROLES.index(message.role), *of_text(message.content))
    return whole


def to_talk(ids: Sequence[int]) -> tuple[list[ChatMessage], str]:
    """The messages, and what there is of the answer; no messages if the ids are those of a plain text."""
    starts = [at for at, each in enumerate(ids) if _CHARACTERS <= each < _CHARACTERS + len(_ROLES)]
    if not starts:
        return [], to_text(ids)
    parts = [
        ChatMessage(_ROLES[ids[at] - _CHARACTERS], to_text(ids[at + 1 : end]))
        for at, end in zip(starts, [*starts[1:], len(ids)], strict=True)
    ]
    return parts[:-1], parts[-1].content


def _id(piece: str) -> int:
    code = ord(piece[0])
    if len(piece) == 1:
        return code
    packed = 0
    for at, sign in enumerate(piece):
        packed |= ord(sign) << (7 * at)
    return _PACKED | packed


def _shown(number: int) -> str:
    if number < _CHARACTERS:
        return chr(number)
    if number < _CHARACTERS + len(_ROLES):
        return ""
    if _PACKED <= number < _PACKED << 1:
        return "".join(chr(sign) for at in range(4) if (sign := number >> (7 * at) & _SEVEN))
    raise RequestRefused(say("This text was begun with a model's own tokens, which this server does not take."))
