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
from writer.generation.thought import KNOWN
from writer.runtime.orders import AsideOrder
from writer.runtime.rewriting import RewriteRequest, Task, signs

_MOST_FOR_GAP = 400  # tokens of an insertion, unless the settings allow fewer
_SPARE = 32  # tokens for the marks of an empty thought
_HEADER = 24  # ids at the end of a rendered prompt, in which a thought may be opened
_TAGS = 5  # of the known marks of a thought: those that a model may open by itself
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


async def resolved(engine: Engine, request: RewriteRequest, sampling: Sampling, notes: Notes) -> AsideOrder:
    """The whole order for this engine's model. Raises RequestRefused if the model cannot do it, or EngineDied."""
    if request.kind is Kind.INSERT:
        drawn = replace(sampling, max_tokens=min(sampling.max_tokens, _MOST_FOR_GAP))
        ids, marks = await _insertion(engine, request, notes, drawn.max_tokens)
    else:
        limit = token_limit(request.kind, len(await engine.tokenize(_selected(request))))
        ids, by_example = await _rewriting(engine, request, notes, limit)
        drawn, marks = answer_sampling(sampling, limit, by_example=by_example), False
    order = plain_order(request)
    near = signs(order.text, order.start, order.end)
    task = Task(request.kind, " ".join(request.wish.split()), marks, near)
    return replace(order, prompt_ids=ids, instruction=task.stored(), sampling=drawn)


def _selected(request: RewriteRequest) -> str:
    if not request.passage.text.strip():
        raise RequestRefused("Nothing is selected that could be rewritten. Select a passage, then try again.")
    return request.passage.text


async def _rewriting(engine: Engine, request: RewriteRequest, notes: Notes, limit: int) -> tuple[tuple[int, ...], bool]:
    """The ids, and whether the model goes by examples."""
    parts = rewriting_prompt(request.kind, request.passage, request.wish)
    rendered = await engine.render(parts.messages)
    require_able(parts, has_template=rendered is not None)
    ids = rendered if rendered is not None else await engine.tokenize(parts.plain, special=True)
    if len(ids) + limit > engine.facts.window:
        raise PromptTooLong(
            f"The passage and its rewriting would need {len(ids) + limit:,} tokens, but the model's window holds "
            f"{engine.facts.window:,}. Select a shorter passage."
        )
    if rendered is None:
        return ids, True
    kept = await notes(engine, request, len(rendered) + limit)
    noted = rewriting_prompt(request.kind, request.passage, request.wish, kept)
    return await _with_notes(engine, rendered, noted, limit), False


async def _insertion(engine: Engine, request: RewriteRequest, notes: Notes, limit: int) -> tuple[tuple[int, ...], bool]:
    """The ids, and whether the model fills the gap by its own marks."""
    passage = request.passage
    rendered = None if request.marks else await engine.render(insertion_prompt(passage, request.wish).messages)
    if rendered is not None:
        kept = await notes(engine, request, len(rendered) + limit)
        return await _with_notes(engine, rendered, insertion_prompt(passage, request.wish, kept), limit), False
    gap = require_gap(await gap_in(engine), request.wish)
    opening = await engine.tokenize("", special=True)
    before, after = await engine.tokenize(passage.before), await engine.tokenize(passage.after)
    return gap.ids(opening, before, after), True


async def _with_notes(engine: Engine, rendered: tuple[int, ...], noted: ChapterPrompt, limit: int) -> tuple[int, ...]:
    """The prompt with the author's notes, if it leaves room for the answer; `rendered` is the one without."""
    whole = await engine.render(noted.messages) or rendered
    return await unthinking(engine, whole if len(whole) + limit + _SPARE <= engine.facts.window else rendered)


async def unthinking(engine: Engine, rendered: tuple[int, ...]) -> tuple[int, ...]:
    """The prompt, at whose end a model that thinks finds an empty thought: a passage needs none, and has few tokens."""
    header = (await engine.detokenize(rendered[-_HEADER:])).rstrip()
    for markers in KNOWN[:_TAGS]:
        if header.endswith(markers.end):
            break
        if header.endswith(markers.begin):
            return rendered + await engine.tokenize(f"\n\n{markers.end}\n\n")
        if len(await engine.tokenize(markers.begin)) == 1:
            return rendered + await engine.tokenize(f"{markers.begin}\n\n{markers.end}\n\n")
    return rendered


async def gap_in(engine: Engine) -> Gap | None:
    """The marks for filling the middle that this engine's tokenizer knows: each is one token of its own."""
    special = {}
    for mark in mark_texts():
        if len(ids := await engine.tokenize(mark)) == 1:
            special[mark] = ids[0]
    return gap_of(special)
