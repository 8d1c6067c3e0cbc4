"""From what lies in the folder to a plan and its ids: counts, draws up, makes the ids, and makes sure that they fit."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import replace

from writer.generation.plan import Plan, draw_up
from writer.generation.plan_budget import Room, room_to_write
from writer.generation.plan_material import Material, pieces, text_piece, with_nearness
from writer.generation.plan_parts import Measured, Piece, countable, measured
from writer.generation.window import SCENE, Turn, lasting
from writer.generation.wording import Known, Wording

_BLOCK = 32  # the larger of the usual blocks: a plan made without an engine is then the same as one made with it
_CHARACTERS = 8  # of a source, for each token of the window: more cannot fit
_TRIES = 4


async def plan_of(
    material: Material,
    wording: Wording,
    *,
    window: int,
    to_write: int,
    block: int = _BLOCK,
    last: Turn | None = None,
    known: Sequence[Known] = (),
) -> Plan:
    """The plan with its ids, which leave room for `to_write` tokens (half the window at most).

    `last`: the turn of the chapter's plan before. Raises PromptTooLong, EngineDied, ModelUnusable.
    """
    note = await wording.note()
    material = replace(material, sentences=material.sentences + ((note,) if note else ()))
    room = Room(window, room_to_write(window, to_write), await wording.overhead(), math.lcm(_BLOCK, max(1, block)))
    last = lasting(last, material.text, window * SCENE)
    counted = await _counted(material, last, wording, window)
    for _ in range(_TRIES):
        plan = _drawn(material, counted, room, last)
        if last is not None and (plan.turn is None or plan.turn.at != last.at):  # much is read anew: the scene as well
            last, counted = None, await _counted(material, None, wording, window)
            plan = _drawn(material, counted, room, last)
        plan = plan.sent(await wording.ids(plan.prompt, known))
        excess = plan.tokens + room.to_write - window
        if excess <= 0:
            break
        room = replace(room, overhead=room.overhead + excess + _BLOCK)  # the pieces were less than the whole
    return plan


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
