"""A prompt plan as lines for the author: what is sent, what of it is in the cache, what is left out next. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import set_cell_size

from writer.generation.plan import Part, Plan
from writer.generation.plan_parts import Changes, Kind
from writer.language import say, together
from writer.text.sanitise import one_line
from writer.tui.aligned import flush_right, padded
from writer.tui.widgets.status import WARNING

NEAR = 0.9
"""From this share of the window on, the meter warns."""
_CHANGES = {
    Changes.WITH_THE_BOOK: say("It changes with the book."),
    Changes.WITH_THE_CHAPTER: say("It changes with the chapter."),
    Changes.AS_IT_GROWS: say("It changes as the text grows."),
    Changes.EACH_REQUEST: say("It changes with each request."),
}
_ASKED = (Kind.MENTIONED, Kind.REQUEST)
_QUARTER = 1 / 4  # of the room: beyond it the text takes room from the sources
_EIGHTH = 1 / 8  # of the room, for mentioned notes: beyond it they have only what is free
_BAR = 6
_EIGHTHS = " ▏▎▍▌▋▊▉█"


@dataclass(frozen=True, slots=True)
class Row:
    """One part of the prompt."""

    part: Part
    cached: int  # tokens of it that the engine has read already

    @property
    def kept(self) -> str:
        """What of it is in the cache, in a word."""
        if not self.part.included:
            return ""
        if self.cached >= self.part.tokens:
            return say("cached")
        return say("partly") if self.cached > 0 else say("new")


def rows(plan: Plan, cached: int) -> list[Row]:
    """The parts, with what of each lies in the first `cached` tokens. Whole to a few tokens: marks count nowhere."""
    places = _places(plan)
    return [Row(part, max(0, min(part.tokens, cached - places[index]))) for index, part in enumerate(plan.parts)]


def _places(plan: Plan) -> list[int]:
    """Where each part begins, in tokens. What is asked stands inside the text."""
    at = max(0, plan.tokens - sum(part.tokens for part in plan.parts))  # the template's marks: all in front, to be safe
    places = []
    for part in plan.parts:
        if part.kind in _ASKED:
            places.append(at - _behind(plan))
        else:
            places.append(at)
        at += part.tokens
    return places


def _behind(plan: Plan) -> int:
    """Tokens of the text that stand behind what is asked."""
    text = next((part for part in plan.parts if part.kind is Kind.TEXT), None)
    if text is None or not text.text:
        return 0
    return round(text.tokens * min(1.0, len(plan.prompt.prefill) / len(text.text)))


def line(row: Row, most: int, width: int) -> str:
    """A row as wide as that: title, tokens, a bar against the largest part (of `most` tokens), what is cached."""
    part = row.part
    nothing = not part.whole  # an empty chapter has nothing to leave out
    mark = " " if nothing else "×" if not part.included else "~" if part.cut else " "
    tokens = say("empty") if nothing else f"{part.tokens:,}" if part.included else say("left out")
    title = set_cell_size(f"{mark} {one_line(part.title, 80)}", max(8, width - _BAR - 18))
    return f"{title} {flush_right(tokens, 8)} {bar(part.tokens, most)} {padded(row.kept, 6)}".rstrip()


def bar(tokens: int, most: int) -> str:
    """A bar of fixed width; never empty for something, never full for less than all."""
    eighths = round(_BAR * 8 * tokens / most) if most > 0 else 0
    eighths = max(1, eighths) if tokens > 0 else 0
    full, rest = divmod(min(eighths, _BAR * 8), 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(_BAR)


def about(row: Row) -> str:
    """More of one part."""
    part = row.part
    said = part.why or say("{title}: {tokens:,} tokens.", title=part.title, tokens=part.whole)
    return together(one_line(said, 300), _CHANGES[part.changes])


def totals(plan: Plan) -> str:
    """The plan against the window."""
    return say(
        "{tokens:,} tokens of {window:,}, {to_write:,} kept free for what is written: {percent} % full.",
        tokens=plan.tokens,
        window=plan.window,
        to_write=plan.to_write,
        percent=percent(plan),
    )


def percent(plan: Plan) -> int:
    """How full the window is once all is written."""
    return round(100 * plan.share)


def meter(plan: Plan) -> str:
    """For the status line. Near the end of the window it is marked, and names what is left out next."""
    if plan.share < NEAR:
        return say("context {percent} %", percent=percent(plan))
    return say(
        "{warning} context {percent} %, next out: {part}",
        warning=WARNING,
        percent=percent(plan),
        part=one_line(next_out(plan), 40),
    )


def next_out(plan: Plan) -> str:
    """What is left out first when the text grows, as plan_budget shares the window."""
    room = plan.window - plan.to_write
    text = sum(part.whole for part in plan.parts if part.kind is Kind.TEXT)
    sources = [part for part in plan.parts if part.kind is Kind.SOURCE and part.included]
    if sources and text <= _QUARTER * room:
        return sources[-1].title
    mentioned = [part for part in plan.parts if part.kind is Kind.MENTIONED and part.included]
    if sum(part.tokens for part in mentioned) > _EIGHTH * room:
        return mentioned[-1].title
    return say("the beginning of this chapter")


def losses(plan: Plan) -> str:
    """One sentence of all that is left out and could not be read; "" if there is nothing."""
    said: Sequence[str] = (*plan.left_out, *plan.notes)
    if not said:
        return ""
    first = one_line(said[0], 220).rstrip(".。")
    if len(said) == 1:
        return say("{first}. F6 shows what is sent.", first=first)
    return say("{first} (and {others} more). F6 shows what is sent.", first=first, others=len(said) - 1)
