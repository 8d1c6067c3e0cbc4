"""From a rewriting's request to the order that is written beside the chapter: its prompt as ids, its limits."""

from __future__ import annotations

from dataclasses import replace

from writer.engine.base import Engine
from writer.generation.model import Sampling
from writer.generation.rewriting import (
    Kind,
    answer_sampling,
    require_able,
    rewriting_prompt,
    token_limit,
)
from writer.generation.rewriting_insert import Gap, gap_of, insertion_prompt, mark_texts, require_gap
from writer.runtime.orders import AsideOrder
from writer.runtime.rewriting import RewriteRequest, Task, signs

_MOST_FOR_GAP = 400  # tokens of an insertion, unless the settings allow fewer


def plain_order(request: RewriteRequest) -> AsideOrder:
    """The order without its prompt, which takes an engine to make."""
    return AsideOrder(
        tag=request.tag,
        chapter=request.chapter,
        text=request.text,
        start=request.start,
        end=request.start if request.kind is Kind.INSERT else request.end,
        role=request.role,
        count=request.count,
    )


async def resolved(engine: Engine, request: RewriteRequest, sampling: Sampling) -> AsideOrder:
    """The whole order for this engine's model. Raises RequestRefused if the model cannot do it, or EngineDied."""
    if request.kind is Kind.INSERT:
        ids, marks = await _insertion(engine, request)
        drawn = replace(sampling, max_tokens=min(sampling.max_tokens, _MOST_FOR_GAP))
    else:
        ids, by_example = await _rewriting(engine, request)
        tokens = await engine.tokenize(request.passage.text)
        marks = False
        drawn = answer_sampling(sampling, token_limit(request.kind, len(tokens)), by_example=by_example)
    order = plain_order(request)
    near = signs(order.text, order.start, order.end)
    task = Task(request.kind, " ".join(request.wish.split()), marks, near)
    return replace(order, prompt_ids=ids, instruction=task.stored(), sampling=drawn)


async def _rewriting(engine: Engine, request: RewriteRequest) -> tuple[tuple[int, ...], bool]:
    """The ids, and whether the model goes by examples."""
    parts = rewriting_prompt(request.kind, request.passage, request.wish)
    rendered = await engine.render(parts.messages)
    require_able(parts, has_template=rendered is not None)
    if rendered is not None:
        return rendered, False
    return await engine.tokenize(parts.plain, special=True), True


async def _insertion(engine: Engine, request: RewriteRequest) -> tuple[tuple[int, ...], bool]:
    """The ids, and whether the model fills the gap by its own marks."""
    passage = request.passage
    rendered = None if request.marks else await engine.render(insertion_prompt(passage, request.wish).messages)
    if rendered is not None:
        return rendered, False
    gap = require_gap(await gap_in(engine), request.wish)
    opening = await engine.tokenize("", special=True)
    before, after = await engine.tokenize(passage.before), await engine.tokenize(passage.after)
    return gap.ids(opening, before, after), True


async def gap_in(engine: Engine) -> Gap | None:
    """The marks for filling the middle that this engine's tokenizer knows: each is one token of its own."""
    special = {}
    for mark in mark_texts():
        if len(ids := await engine.tokenize(mark)) == 1:
            special[mark] = ids[0]
    return gap_of(special)
