"""The prompt plan: what the model will be given for the next words, part by part, before anything is sent.

Pure. Parts are ordered by how rarely they change, so that the prompt's beginning stays in the engine's prefix cache:
instructions, style, notes, outline, summaries, sources, then the text, then what is asked. Since the text is the
assistant's open turn, what is asked stands as near to its end as it can without moving at each request (`window.Turn`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from writer.generation.plan_budget import Fitted, Room, fit
from writer.generation.plan_parts import CHANGES, ORDER, Changes, Kind, Measured
from writer.generation.prompt import ChapterPrompt, chat, plainly
from writer.generation.sampling import Thinking
from writer.generation.window import Turn, View, asked_again, stays, step, turn_at, view
from writer.language import say

_ASKED = (Kind.MENTIONED, Kind.REQUEST)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the prompt, for the inspector."""

    kind: Kind
    title: str
    text: str = field(repr=False)  # what is sent
    tokens: int  # of what is sent
    whole: int  # tokens of the part if all of it were sent
    included: bool
    cut: bool
    why: str  # one sentence if not all of it is sent
    changes: Changes


@dataclass(frozen=True, slots=True)
class Plan:
    """What is sent. `prompt_ids` are empty until they are made; from then on `tokens` is exact."""

    parts: tuple[Part, ...]
    prompt: ChapterPrompt = field(repr=False)
    window: int  # tokens that the model can hold
    to_write: int  # of them, kept free for what is written
    tokens: int
    turn: Turn | None = None  # where the request stands in the text
    notes: tuple[str, ...] = ()  # sentences about what could not be read
    prompt_ids: tuple[int, ...] = field(default=(), repr=False)
    thinking: Thinking | None = None
    """If the model thinks first: then the prompt ends in its thought, and the end of the text stands behind that."""

    @property
    def left_out(self) -> tuple[str, ...]:
        """A sentence for each part that is left out or cut, the author's own first."""
        return tuple(part.why for part in self.parts if part.why)

    @property
    def share(self) -> float:
        """How full the window is once all is written: 1.0 is full."""
        return (self.tokens + self.to_write) / self.window

    @property
    def steady(self) -> int:
        """Tokens of the parts in front that do not change while the chapter is written."""
        fixed = (Changes.WITH_THE_BOOK, Changes.WITH_THE_CHAPTER)
        return sum(part.tokens for part in self.parts if part.changes in fixed)

    def sent(self, prompt_ids: Sequence[int]) -> Plan:
        """The plan with the ids that it became."""
        return replace(self, prompt_ids=tuple(prompt_ids), tokens=len(prompt_ids))

    def thought_over(self, prompt_ids: tuple[int, ...], thinking: Thinking, most: int) -> Plan:
        """The same of a model that thinks first, with `most` tokens; half of the window's room at most."""
        room = self.window - len(prompt_ids) - len(thinking.cut)
        limited = replace(thinking, limit=max(1, min(most, room // 2)))
        return replace(self, prompt_ids=prompt_ids, tokens=len(prompt_ids) + len(thinking.then), thinking=limited)


def draw_up(
    pieces: Sequence[Measured],
    text: Measured,
    room: Room,
    *,
    last: Turn | None = None,
    mentions: bool = False,
    notes: tuple[str, ...] = (),
) -> Plan:
    """The plan for these pieces and the chapter's text. `last`: the turn of the chapter's plan before.

    Raises PromptTooLong if not even the request fits.
    """
    pieces = sorted(pieces, key=lambda each: ORDER.index(each.piece.kind))
    fitted = fit(pieces, text.total, room, mentions=mentions)
    asked = "\n\n".join(_text(each) for each in fitted.parts if each.included and _kind(each) in _ASKED)
    whole = "".join(text.piece.chunks)
    before = stays(last, whole)
    place = None if before is None else _chunk_at(text.piece.chunks, before)
    space = fitted.text_room - text.head
    stride = step(space, room.block)
    seen = view(text.tokens, space, stride, place, asked_again=asked_again(last, asked))
    begin, middle = (sum(map(len, text.piece.chunks[:index])) for index in (seen.start, seen.turn))
    sections = {kind: [_text(each) for each in fitted.parts if each.included and _kind(each) is kind] for kind in ORDER}
    prompt = _prompt(text.piece.title, sections, asked, (whole[begin:middle], whole[middle:]), cut=begin > 0)
    parts = _parts(fitted.parts, _text_part(text, seen, whole[begin:]))
    tokens = sum(part.tokens for part in parts) + room.overhead
    return Plan(parts, prompt, room.window, room.to_write, tokens, turn_at(whole, middle, asked, last), notes)


def _kind(fitted: Fitted) -> Kind:
    return fitted.measured.piece.kind


def _text(fitted: Fitted) -> str:
    return (fitted.measured.piece.heading + "".join(fitted.chunks)).strip("\n")


def _chunk_at(chunks: Sequence[str], at: int) -> int | None:
    place = 0
    for index, chunk in enumerate(chunks):
        if place >= at:
            return index if place == at else None
        place += len(chunk)
    return None


def _prompt(
    title: str, sections: dict[Kind, list[str]], asked: str, text: tuple[str, str], *, cut: bool
) -> ChapterPrompt:
    steady = [text for kind in ORDER[: ORDER.index(Kind.CHAPTER)] for text in sections[kind]]
    chapter = "\n\n".join(sections[Kind.CHAPTER])
    if cut:
        chapter += "\n\nThe beginning of the chapter is left out here."
    return ChapterPrompt(
        messages=chat(steady, chapter, asked, text[0]),
        prefill=text[1],
        plain=plainly(steady[len(sections[Kind.INSTRUCTIONS]) :], title, asked, *text),
    )


def _text_part(text: Measured, seen: View, sent: str) -> Part:
    why = ""
    if seen.left_out:
        total = sum(text.tokens)
        why = say(
            "The beginning of this chapter is left out: {left_out:,} of its {total:,} tokens.",
            left_out=seen.left_out,
            total=total,
        )
    return Part(
        Kind.TEXT,
        text.piece.title,
        sent,
        tokens=seen.tokens + text.head,
        whole=text.total,
        included=bool(sent),
        cut=bool(why),
        why=why,
        changes=CHANGES[Kind.TEXT],
    )


def _parts(fitted: Sequence[Fitted], text: Part) -> tuple[Part, ...]:
    parts = [
        Part(
            kind=_kind(each),
            title=each.measured.piece.title,
            text=_text(each) if each.included else "",
            tokens=each.tokens,
            whole=each.measured.total,
            included=each.included,
            cut=each.included and bool(each.why),
            why=each.why,
            changes=CHANGES[_kind(each)],
        )
        for each in fitted
    ]
    return tuple(sorted([*parts, text], key=lambda part: ORDER.index(part.kind)))
