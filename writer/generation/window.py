"""The rolling window over the text so far: where what is sent begins, and where what changes per request stands in it.

Pure. Both places move seldom and far, so that going on in a chapter keeps the beginning of its prompt, and with it the
engine's prefix cache.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

TAIL = 128
"""Tokens of the text that stand behind the request, at least: what the model goes on from."""
SCENE = 2
"""Characters after which the notes of the scene are chosen anew, for each token of the window.

More than the window rolls at once: so it is done when it rolls, and much is read anew in any case.
"""


@dataclass(frozen=True, slots=True)
class Turn:
    """Where the request stood in a chapter's text, and what it was; remembered from one request to the next."""

    at: int  # characters of the chapter's text before it
    before: str  # sha256 of those
    asked: str  # sha256 of all that changes per request
    scene: int = 0  # characters of the text when the notes of the scene were chosen


@dataclass(frozen=True, slots=True)
class View:
    """What of the chunks of a text is sent."""

    start: int  # the first chunk that is sent
    turn: int  # the first chunk behind the request; equal to `start` if the request stands before all
    tokens: int  # of what is sent
    left_out: int  # tokens before `start`


def view(tokens: Sequence[int], room: int, stride: int, turn: int | None = None, *, asked_again: bool = False) -> View:
    """The window over chunks of so many tokens. `turn`: the chunk where the request stood before, if it may stay.

    With another request than before it stays only while little stands behind it: all of that is computed anew.
    """
    start = _start(tokens, room, stride)
    place = _late(tokens, start)
    if turn is not None and start <= turn < max(1, len(tokens)) and (asked_again or sum(tokens[turn:]) <= stride // 4):
        place = turn
    return View(start, place, sum(tokens[start:]), sum(tokens[:start]))


def step(room: int, block: int) -> int:
    """Tokens that the window rolls at once, in whole blocks of the prefix cache: half of the text's room.

    At each step nearly all of the text is read anew, so steps are to be rare. Larger ones would leave too little of it.
    """
    return max(1, block, room // 2 // max(1, block) * max(1, block))


def _start(tokens: Sequence[int], room: int, stride: int) -> int:
    """The first chunk at a whole number of steps from which on all fits. Depends on nothing but the sum, in steps."""
    total = sum(tokens)
    if total <= room or not tokens:
        return 0
    gone, mark = 0, stride
    for index, count in enumerate(tokens):
        if gone >= mark:
            if total - gone <= room:
                return index
            mark = (gone // stride + 1) * stride
        gone += count
    return _last_that_fit(tokens, room)


def _last_that_fit(tokens: Sequence[int], room: int) -> int:
    """No mark is near enough: as many whole chunks from the end as fit, the last one in any case."""
    index, left = len(tokens) - 1, room - tokens[-1]
    while index > 0 and tokens[index - 1] <= left:
        index -= 1
        left -= tokens[index]
    return index


def _late(tokens: Sequence[int], start: int) -> int:
    """The request's new place: as late as possible, since all behind it is computed anew whenever it changes."""
    behind = 0
    for index in range(len(tokens) - 1, start, -1):
        behind += tokens[index]
        if behind >= TAIL:
            return index
    return start


def turn_at(text: str, at: int, asked: str, last: Turn | None = None) -> Turn:
    """The place `at` of this text, to be remembered. `last`: the turn by which the notes of the scene were chosen."""
    return Turn(at, _digest(text[:at]), _digest(asked), last.scene if last else len(text))


def lasting(turn: Turn | None, text: str, most: int) -> Turn | None:
    """The turn, unless the text before it has changed or more than so many characters came after its scene."""
    if turn is None or not turn.at <= len(text) <= turn.scene + most or turn.before != _digest(text[: turn.at]):
        return None
    return turn


def stays(turn: Turn | None, text: str) -> int | None:
    """Where the request may stay, in characters: the text before it is the same. None if it may not."""
    if turn is None or turn.at > len(text) or turn.before != _digest(text[: turn.at]):
        return None
    return turn.at


def asked_again(turn: Turn | None, asked: str) -> bool:
    """Whether all that changes per request is the same as then."""
    return turn is not None and turn.asked == _digest(asked)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
