"""The scripted engine's vocabulary and its one law: which token stands at a position. Pure.

A token is some bytes of UTF-8. Ids: 0 ends the text, 1 opens a prompt, then the 256 single bytes (any text can be
tokenised), then pieces of characters, then words. A character of several tokens shows only at the last of them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

EOS, BOS = 0, 1
_FIRST_BYTE = 2
_WORDS = tuple(
    """ the| a| harbour| keeper| light| window| stairs| and| then| slowly| walked| over| water| grey| morning| she| he
| they| said| nothing| old| letter| under| door| rain| until| night| began| again| remembered| small| boat| name| of
| in| to| was| were| had| with| without| never| always| voice| hands| salt| wind| sea| stones| house|,|.|;|!|?| —
|灯塔|海边|老船长|，|。|雨夜|她说|窗|👩‍👩‍👧|naïve|…""".replace("\n|", "|").split("|")
)
_BREAKS = ("\n", "\n\n", ".\n\n")
_SPLIT = ("海", "浪", "夜", "雾", "🌊", "🕯", "é", "火")  # each is made of two or three tokens


def _pieces(character: str) -> tuple[bytes, ...]:
    raw = character.encode()
    return (raw[:-2], raw[-2:-1], raw[-1:]) if len(raw) > 2 else (raw[:1], raw[1:])


_SEQUENCES = tuple(_pieces(character) for character in _SPLIT)
_SINGLE = tuple(bytes([value]) for value in range(256))
_TOKENS: tuple[bytes, ...] = (
    b"",
    b"",
    *_SINGLE,
    *dict.fromkeys(piece for pieces in _SEQUENCES for piece in pieces if len(piece) > 1),
    *(word.encode() for word in (*_WORDS, *_BREAKS)),
)
_IDS = {token: index for index, token in reversed(list(enumerate(_TOKENS))) if token}
_WORD_IDS = tuple(_IDS[word.encode()] for word in _WORDS)
_BREAK_IDS = tuple(_IDS[word.encode()] for word in _BREAKS)
_SEQUENCE_IDS = tuple(tuple(_IDS[piece] for piece in pieces) for pieces in _SEQUENCES)
_LONGEST_FIRST = sorted((word.encode() for word in (*_WORDS, *_BREAKS)), key=len, reverse=True)
_SCAN = re.compile(b"|".join(map(re.escape, _LONGEST_FIRST)) + b"|.", re.DOTALL)
_CELL = 3  # positions that belong together: three words, or one split character and what fills up

THINK, UNTHINK = len(_TOKENS), len(_TOKENS) + 1
"""Marks of a thought: in the vocabulary of a model that thinks, behind all others."""
_MARKS = {b"<think>": THINK, b"</think>": UNTHINK}

DIGEST = hashlib.sha256(b"\0".join(_TOKENS)).hexdigest()
"""Fingerprint of the vocabulary."""


def token_at(model: str, seed: int, position: int, before: int) -> int:
    """The id at an absolute position (0 is the prompt's first), after the id `before`."""
    cell, offset = divmod(position, _CELL)
    kind = _draw(model, seed, cell, b"cell")
    sequence = _SEQUENCE_IDS[kind // 8 % len(_SEQUENCE_IDS)]
    if kind % 8 == 0 and offset < len(sequence) and (offset == 0 or before == sequence[offset - 1]):
        return sequence[offset]
    value = _draw(model, seed, position, b"word")
    if value % 40 == 0:
        return _BREAK_IDS[value // 40 % len(_BREAK_IDS)]
    return _WORD_IDS[value // 40 % len(_WORD_IDS)]


def tokenize(text: str) -> tuple[int, ...]:
    """Ids of any text; words where they fit, single bytes elsewhere."""
    return tuple(_IDS[piece] for piece in _SCAN.findall(text.encode("utf-8", "replace")))


def tokenize_marked(text: str) -> tuple[int, ...]:
    """The same of a model that thinks: the marks of a thought are one token each."""
    pieces = re.split(b"(</?think>)", text.encode("utf-8", "replace"))
    found = ([_MARKS[piece]] if piece in _MARKS else [_IDS[each] for each in _SCAN.findall(piece)] for piece in pieces)
    return tuple(token for ids in found for token in ids)


def thought(sequence: Sequence[int]) -> int | None:
    """How many tokens the thought has that the sequence ends in; None if it ends in none."""
    for back, token in enumerate(reversed(sequence)):
        if token in (THINK, UNTHINK):
            return back if token == THINK else None
    return None


def raw(token_id: int) -> bytes:
    """The token's bytes; none for the two special ids and for ids that do not exist."""
    if token_id in (THINK, UNTHINK):
        return b"<think>" if token_id == THINK else b"</think>"
    return _TOKENS[token_id] if 0 <= token_id < len(_TOKENS) else b""


def detokenize(token_ids: Sequence[int]) -> str:
    """The ids' text; an unfinished character shows as U+FFFD."""
    return b"".join(map(raw, token_ids)).decode("utf-8", "replace")


def batch_size(model: str, seed: int, position: int, low: int, high: int) -> int:
    """How many tokens come at once from this position on."""
    return low + _draw(model, seed, position, b"batch") % (max(low, high) - low + 1)


def chance(model: str, position: int, token_id: int) -> float:
    """How sure the engine says it was of an id at a position: more than 0, less than 1."""
    return 0.01 + 0.98 * (_draw(model, token_id, position, b"sure") % 1000) / 1000


def _draw(model: str, seed: int, number: int, purpose: bytes) -> int:
    key = b"%d %d %b" % (seed, number, model.encode())
    return int.from_bytes(hashlib.blake2b(key, digest_size=6, person=purpose).digest(), "little")
