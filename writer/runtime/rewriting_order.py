"""From a rewriting's request to the order that is written beside the chapter: its prompt as ids, its limits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from writer.engine.base import Engine
from writer.errors import PromptTooLong, RequestRefused
from writer.generation.model import Sampling
from writer.generation.prompt import ChapterPrompt
from writer.generation.rewriting import (
    Kind,
    answer_sampling,
    require_able,
    rewriting_prompt,
    token_limit,
)
from writer.generation.rewriting_insert import Gap, gap_of, insertion_prompt, mark_texts, require_gap
from writer.generation.wording import Wording
from writer.language import say
from writer.runtime.orders import AsideOrder
from writer.runtime.rewriting import RewriteRequest, Task, signs

_MOST_FOR_GAP = 400  # tokens of an insertion, unless the settings allow fewer
Notes = Callable[[Engine, RewriteRequest, int], Awaitable[Sequence[str]]]
"""The author's notes that belong to a request, if so many tokens of the window are taken."""


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


async def resolved(
    engine: Engine, wording: Wording, request: RewriteRequest, sampling: Sampling, notes: Notes
) -> AsideOrder:
    """The whole order for this engine's model, which reads by `wording`.

    Raises RequestRefused if the model cannot do it, or EngineDied.
    """
    if request.kind is Kind.INSERT:
        drawn = replace(sampling, max_tokens=min(sampling.max_tokens, _MOST_FOR_GAP))
        ids, marks = await _insertion(engine, wording, request, notes, drawn.max_tokens)
    else:
        limit = token_limit(request.kind, len(await engine.tokenize(_selected(request))))
        ids, by_example = await _rewriting(engine, wording, request, notes, limit)
        drawn, marks = answer_sampling(sampling, limit, by_example=by_example), False
    order = plain_order(request)
    near = signs(order.text, order.start, order.end)
    task = Task(request.kind, " ".join(request.wish.split()), marks, near)
    return replace(order, prompt_ids=ids, instruction=task.stored(), sampling=drawn)


def _selected(request: RewriteRequest) -> str:
    if not request.passage.text.strip():
        raise RequestRefused(say("Nothing is selected that could be rewritten. Select a passage, then try again."))
    return request.passage.text


async def _rewriting(
    engine: Engine, wording: Wording, request: RewriteRequest, notes: Notes, limit: int
) -> tuple[tuple[int, ...], bool]:
    """The ids, and whether the model goes by examples."""
    parts = rewriting_prompt(request.kind, request.passage, request.wish)
    rendered = await wording.asked(parts.messages)
    require_able(parts, has_template=rendered is not None)
    ids = rendered if rendered is not None else await engine.tokenize(parts.plain, special=True)
    if len(ids) + limit > engine.facts.window:
        raise PromptTooLong(
            say(
                "The passage and its rewriting would need {ids:,} tokens, but the model's window holds "
                "{window:,}. Select a shorter passage.",
                ids=len(ids) + limit,
                window=engine.facts.window,
            )
        )
    if rendered is None:
        return ids, True
    kept = await notes(engine, request, len(rendered) + limit)
    noted = rewriting_prompt(request.kind, request.passage, request.wish, kept)
    return await _with_notes(engine, wording, rendered, noted, limit), False


async def _insertion(
    engine: Engine, wording: Wording, request: RewriteRequest, notes: Notes, limit: int
) -> tuple[tuple[int, ...], bool]:
    """The ids, and whether the model fills the gap by its own marks."""
    passage = request.passage
    rendered = None if request.marks else await wording.asked(insertion_prompt(passage, request.wish).messages)
    if rendered is not None:
        kept = await notes(engine, request, len(rendered) + limit)
        noted = insertion_prompt(passage, request.wish, kept)
        return await _with_notes(engine, wording, rendered, noted, limit), False
    gap = require_gap(await gap_in(engine), request.wish)
    opening = await engine.tokenize("", special=True)
    before, after = await engine.tokenize(passage.before), await engine.tokenize(passage.after)
    return gap.ids(opening, before, after), True


async def _with_notes(
    engine: Engine, wording: Wording, rendered: tuple[int, ...], noted: ChapterPrompt, limit: int
) -> tuple[int, ...]:
    """The prompt with the author's notes, if it leaves room for the answer; `rendered` is the one without."""
    whole = await wording.asked(noted.messages) or rendered
    return whole if len(whole) + limit <= engine.facts.window else rendered


async def gap_in(engine: Engine) -> Gap | None:
    """The marks for filling the middle that this engine's tokenizer knows: each is one token of its own."""
    special = {}
    for mark in mark_texts():
        if len(ids := await engine.tokenize(mark)) == 1:
            special[mark] = ids[0]
    return gap_of(special)
