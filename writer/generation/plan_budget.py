"""What of the prompt fits: shares of the window, and what is cut or left out where there is too little room. Pure.

Parts that stay the same from request to request must not depend on how long the text is by now, or every word written
would change the prompt's beginning and empty the prefix cache. So the text's share grows in a few large steps only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from writer.errors import PromptTooLong
from writer.generation.plan_parts import Kind, Measured
from writer.language import say

SHARE = 1 / 2
"""Of the budget, for the text so far. More if the rest leaves more."""
SHORT = 1 / 4
"""For a text that is no longer yet, where there are sources: then a report begins with more of them in view."""
_MENTIONED = 1 / 8  # of the budget, for notes that are mentioned
_INSTRUCTIONS = 1 / 4
_STEP = 1 / 16  # the request's share grows by so much
_FIRST_SHARES = {Kind.OUTLINE: 1 / 3, Kind.SUMMARIES: 1 / 3, Kind.BEFORE: 1 / 6, Kind.SOURCE: 1 / 2}
"""Of the room for what stays the same; more only where others leave it."""
MARGIN = 16
"""Tokens that stay free, and one in 200 beside them: text counted in pieces can be a little more in one."""


@dataclass(frozen=True, slots=True)
class Room:
    """The window, and what of it is not for the prompt's parts. In tokens."""

    window: int
    to_write: int
    overhead: int = 0  # of the chat template
    block: int = 16  # of the prefix cache

    @property
    def budget(self) -> int:
        """Tokens for all parts together."""
        return self.window - self.to_write - self.overhead - MARGIN - self.window // 200


def room_to_write(window: int, wanted: int) -> int:
    """Tokens kept free for what is written: what is wanted, but never more than half of the window."""
    return max(1, min(wanted, window // 2))


@dataclass(frozen=True, slots=True)
class Fitted:
    """What of a piece is sent."""

    measured: Measured
    chunks: tuple[str, ...] = field(repr=False)
    tokens: int  # of what is sent, with the heading; 0 if it is left out
    why: str = ""  # a sentence, if not all is sent

    @property
    def included(self) -> bool:
        """Whether any of it is sent."""
        return self.tokens > 0


@dataclass(frozen=True, slots=True)
class Fit:
    """All parts but the text, in their order, and the tokens that the text may have."""

    parts: tuple[Fitted, ...]
    text_room: int


def fit(pieces: Sequence[Measured], text_tokens: int, room: Room, *, mentions: bool) -> Fit:
    """What is sent of these pieces beside a text of that length. `mentions`: there are notes that may be mentioned.

    Raises PromptTooLong if not even the request fits.
    """
    budget = room.budget
    asked = _asked(pieces, room)
    per_request = _rounded(asked, max(1, int(budget * _STEP))) + (int(budget * _MENTIONED) if mentions else 0)
    per_request = min(per_request, max(asked, budget // 2))
    sources = any(each.piece.kind is Kind.SOURCE for each in pieces)
    level = SHORT if sources and text_tokens <= SHORT * budget else SHARE
    steady = max(0, budget - per_request - int(level * budget))
    done = {Kind.REQUEST: 0, Kind.CHAPTER: 0}
    fitted = _fill([each for each in pieces if each.piece.kind not in (*done, Kind.MENTIONED)], steady, budget)
    used = sum(each.tokens for each in fitted.values())
    text_room = max(0, budget - per_request - used)
    spare = max(0, text_room - int(level * budget)) if text_tokens <= level * budget else 0
    for_notes = max(0, per_request - asked)
    notes = _fill([each for each in pieces if each.piece.kind is Kind.MENTIONED], for_notes + spare, budget)
    fitted |= notes | {id(each): _whole(each) for each in pieces if each.piece.kind in done}
    text_room -= max(0, sum(each.tokens for each in notes.values()) - for_notes)
    return Fit(tuple(fitted[id(each)] for each in pieces), text_room)


def _asked(pieces: Sequence[Measured], room: Room) -> int:
    """Tokens of what is sent in any case. Raises PromptTooLong if it leaves nothing for instructions and text."""
    asked = sum(each.total for each in pieces if each.piece.kind in (Kind.REQUEST, Kind.CHAPTER))
    if asked > room.budget * 3 // 4:
        raise PromptTooLong(
            say(
                "The request alone is {asked:,} tokens long; the model's window of {window:,} has room for "
                "{room:,}. Say it in fewer words, or choose a model with a larger window.",
                asked=asked,
                window=room.window,
                room=max(0, room.budget * 3 // 4),
            )
        )
    return asked


def _rounded(tokens: int, step: int) -> int:
    return -(-tokens // step) * step


def _fill(pieces: Sequence[Measured], room: int, budget: int) -> dict[int, Fitted]:
    """The most important pieces first, but none takes all: first each gets its share, then what others did not need."""
    order = sorted(pieces, key=lambda each: -each.piece.priority)
    fitted: dict[int, Fitted] = {}
    left = room
    for each in order:
        if each.piece.kind is Kind.INSTRUCTIONS:
            kept = _beginning(each, max(min(left, int(budget * _INSTRUCTIONS)), budget // 8))
        else:
            kept = _as_much(each, min(left, int(room * _FIRST_SHARES.get(each.piece.kind, 1))))
        fitted[id(each)] = kept
        left = max(0, left - kept.tokens)
    for each in order:
        kept = fitted[id(each)]
        if kept.why and each.piece.kind is not Kind.INSTRUCTIONS:
            fitted[id(each)] = more = _as_much(each, kept.tokens + left)
            left -= more.tokens - kept.tokens
    return fitted


def _as_much(measured: Measured, room: int) -> Fitted:
    return _whole(measured) if measured.total <= room else _cut(measured, room)


def _whole(measured: Measured) -> Fitted:
    return Fitted(measured, measured.piece.chunks, measured.total)


def _cut(measured: Measured, room: int) -> Fitted:
    """Chunks of the highest rank, as many as fit; none if less than one fits."""
    piece, left = measured.piece, room - measured.head
    kept: list[int] = []
    for index in sorted(range(len(piece.chunks)), key=piece.rank, reverse=True):
        if measured.tokens[index] > left:
            break
        kept.append(index)
        left -= measured.tokens[index]
    if not kept:
        return Fitted(measured, (), 0, _left_out(measured, room))
    chunks = tuple(piece.chunks[index] for index in sorted(kept))
    tokens = measured.head + sum(measured.tokens[index] for index in kept)
    return Fitted(measured, chunks, tokens, _cut_sentence(measured, len(kept), tokens))


def _beginning(measured: Measured, room: int) -> Fitted:
    """As much from the beginning as fits, be it half a sentence."""
    if measured.total <= room:
        return _whole(measured)
    kept: list[str] = []
    tokens = measured.head
    for chunk, count in zip(measured.piece.chunks, measured.tokens, strict=True):
        if tokens + count > room:
            share = max(0, room - tokens) / max(1, count) * (1.0 if kept else 0.9)  # its tokens are not even
            kept.append(chunk[: int(len(chunk) * share)])
            tokens = max(tokens, room)
            break
        kept.append(chunk)
        tokens += count
    return Fitted(measured, tuple(filter(None, kept)), tokens, _cut_sentence(measured, len(kept), tokens))


def _left_out(measured: Measured, room: int) -> str:
    title, total = measured.piece.title, measured.total
    return say(
        "{title}: left out, since it has {total:,} tokens and there is room for {room:,}.",
        title=title,
        total=total,
        room=max(0, room),
    )


def _cut_sentence(measured: Measured, kept: int, tokens: int) -> str:
    piece, gone = measured.piece, measured.total - tokens
    if piece.unit:
        return say(
            "{title}: {gone} of {all} {unit} are left out.",
            title=piece.title,
            gone=len(piece.chunks) - kept,
            all=len(piece.chunks),
            unit=piece.unit,
        )
    at_the_beginning = bool(piece.ranks) and piece.ranks[0] < piece.ranks[-1]
    sentence = (
        say("{title}: its beginning is left out, {gone:,} of {total:,} tokens.")
        if at_the_beginning
        else say("{title}: its end is left out, {gone:,} of {total:,} tokens.")
    )
    return sentence.format(title=piece.title, gone=gone, total=measured.total)
