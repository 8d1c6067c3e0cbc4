"""From what lies in the folder to a plan and its ids: counts, draws up, makes the ids, and makes sure that they fit."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from writer.config import WritingSettings
from writer.generation.plan import Plan, draw_up
from writer.generation.plan_budget import Room, room_to_write
from writer.generation.plan_material import Material, pieces, text_piece, with_nearness
from writer.generation.plan_parts import Measured, Piece, countable, measured
from writer.generation.sampling import Sampling
from writer.generation.window import SCENE, Turn, lasting
from writer.generation.wording import Known, Wording
from writer.language import say

_BLOCK = 32  # the larger of the usual blocks: a plan made without an engine is then the same as one made with it
_CHARACTERS = 8  # of a source, for each token of the window: more cannot fit
_TRIES = 4
_NO_THOUGHT = say("This model does not think before it writes, as far as its template tells, so it writes at once.")


@dataclass(frozen=True, slots=True)
class How:
    """What of the settings changes how a prompt is put."""

    think: int = 0  # most tokens of a thought; 0 is none
    raw: bool = False  # as plain text, without the model's template


PLAINLY = How()


def how_of(settings: WritingSettings | Sampling) -> How:
    """What the settings in force say."""
    return How(settings.think_tokens if settings.think else 0, settings.raw)


async def plan_of(
    material: Material,
    wording: Wording,
    *,
    window: int,
    to_write: int,
    block: int = _BLOCK,
    last: Turn | None = None,
    known: Sequence[Known] = (),
    how: How = PLAINLY,
) -> Plan:
    """The plan with its ids, which leave room for `to_write` tokens and a thought (half the window at most).

    `last`: the turn of the chapter's plan before. Raises PromptTooLong, EngineDied, ModelUnusable.
    """
    thinks = how.think > 0 and not how.raw and await wording.thinks()
    note = await _note(wording, how, thinks=thinks)
    material = replace(material, sentences=material.sentences + ((note,) if note else ()))
    to_write += how.think if thinks else 0
    room = Room(window, room_to_write(window, to_write), await wording.overhead(), math.lcm(_BLOCK, max(1, block)))
    last = lasting(last, material.text, window * SCENE)
    counted = await _counted(material, last, wording, window)
    for _ in range(_TRIES):
        plan = _drawn(material, counted, room, last)
        if last is not None and (plan.turn is None or plan.turn.at != last.at):  # much is read anew: the scene as well
            last, counted = None, await _counted(material, None, wording, window)
            plan = _drawn(material, counted, room, last)
        plan = await _sent(plan, wording, known, how, thinks=thinks)
        excess = plan.tokens + room.to_write - window
        if excess <= 0:
            break
        room = replace(room, overhead=room.overhead + excess + _BLOCK)  # the pieces were less than the whole
    return plan


async def _sent(plan: Plan, wording: Wording, known: Sequence[Known], how: How, *, thinks: bool) -> Plan:
    if thinks and (opened := await wording.thought(plan.prompt)):
        return plan.thought_over(opened.prompt_ids, opened.thinking, how.think)
    prompt = replace(plan.prompt, messages=()) if how.raw else plan.prompt
    return plan.sent(await wording.ids(prompt, known))


async def _note(wording: Wording, how: How, *, thinks: bool) -> str:
    """What is unusual about the model's template, as far as it matters now."""
    if how.raw or thinks:
        return ""
    return _NO_THOUGHT if how.think else await wording.note()


async def _counted(material: Material, last: Turn | None, wording: Wording, window: int) -> tuple[Measured, ...]:
    parts = await asyncio.to_thread(_pieces, material, last, window * _CHARACTERS)
    return measured(parts, await wording.counts(countable(parts)))


def _pieces(material: Material, last: Turn | None, most: int) -> tuple[Piece, ...]:
    near = with_nearness(material, last.scene if last else len(material.text))
    return (text_piece(near), *pieces(near, most))


def _drawn(material: Material, counted: tuple[Measured, ...], room: Room, last: Turn | None) -> Plan:
    text, *rest = counted
    mentions = any(each.keys and not each.always for each in material.notes)
    return draw_up(rest, text, room, last=last, mentions=mentions, notes=material.sentences)
