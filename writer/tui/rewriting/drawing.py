"""The difference as it is shown. It can be understood without colours: signs say what is taken and what is not."""

from __future__ import annotations

from textual.content import Content

from writer.editing.hunks import Hunk, pieces
from writer.language import many, say
from writer.text.sanitise import visible
from writer.tui.rewriting.answers import Answer

TAKEN, LEFT = "✓", "✗"
_GONE, _COME, _STAYS, _DROPPED = "$text-error strike", "$text-success underline", "", "$text-disabled strike"


def difference(answer: Answer) -> tuple[Content, int]:
    """Both texts in one, and the character at which the hunk under the cursor begins.

    What goes is struck through, what comes is underlined; of a rejected hunk it is the other way round, and dimmed.
    """
    parts: list[tuple[str, str]] = []
    seen, at, length = -1, 0, 0
    for piece in pieces(answer.original, answer.hunks):
        taken = piece.hunk not in answer.rejected
        if piece.hunk > seen:
            seen = piece.hunk
            here = seen == answer.hunk
            at = length if here else at
            parts.append((_sign(taken, here), "bold reverse" if here else "bold"))
            length += len(parts[-1][0])
        parts.append((visible(piece.text), _style(piece.kind, taken)))
        length += len(parts[-1][0])
    return Content.assemble(*parts), at


def _sign(taken: bool, here: bool) -> str:
    sign = TAKEN if taken else LEFT
    return f"[{sign}]" if here else f"{sign}"


def _style(kind: str, taken: bool) -> str:
    if kind == "removed":
        return _GONE if taken else _STAYS
    if kind == "inserted":
        return _COME if taken else _DROPPED
    return _STAYS


def told(answer: Answer) -> str:
    """How far it is, in words."""
    if not answer.ended:
        return say("writing…") if answer.raw else say("waiting for the engine…")
    if answer.found is None:
        return say("ended")
    return counted(answer.hunks, len(answer.accepted))


def counted(found: tuple[Hunk, ...], taken: int) -> str:
    """How many changes there are, and how many of them are taken."""
    if not found:
        return say("no change")
    return many("{count:,} change, {taken:,} taken", "{count:,} changes, {taken:,} taken", len(found), taken=taken)
