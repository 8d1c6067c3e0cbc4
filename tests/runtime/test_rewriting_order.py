"""The order of a rewriting: which prompt a model gets, by what it can do, and how long it may write."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from writer.engine.scripted import Script, ScriptedEngine
from writer.engine.scripted_cache import PrefixCache
from writer.errors import PromptTooLong, RequestRefused
from writer.generation.model import Sampling
from writer.generation.rewriting import Kind
from writer.runtime import rewriting_order
from writer.runtime.engine_wording import EngineWording
from writer.runtime.orders import AsideOrder
from writer.runtime.rewriting import RewriteRequest, Task, signs
from writer.runtime.rewriting_order import Notes, gap_in

CHAPTER = "It was late. The lamp had gone out. Nobody spoke."
START, END = 13, 35
PREFIX, SUFFIX, MIDDLE, THINK = 9001, 9002, 9003, 9004


@dataclass
class FillingEngine(ScriptedEngine):
    """Its tokenizer knows the marks for filling the middle."""

    def __init__(self, *, template: bool) -> None:
        super().__init__(Script(template=template), PrefixCache())

    async def tokenize(self, text: str, *, special: bool = False) -> tuple[int, ...]:
        marks = {"<|fim_prefix|>": PREFIX, "<|fim_suffix|>": SUFFIX, "<|fim_middle|>": MIDDLE}
        return (marks[text],) if text in marks else await super().tokenize(text, special=special)


async def no_notes(engine: object, request: RewriteRequest, taken: int) -> tuple[str, ...]:
    """The author has written none."""
    return ()


async def resolved(engine: ScriptedEngine, asked: RewriteRequest, sampling: Sampling, notes: Notes) -> AsideOrder:
    return await rewriting_order.resolved(engine, EngineWording(engine), asked, sampling, notes)


def engine(*, template: bool = True) -> ScriptedEngine:
    return ScriptedEngine(Script(template=template), PrefixCache())


def request(kind: Kind, **more: object) -> RewriteRequest:
    return RewriteRequest("c.md", CHAPTER, START, START if kind is Kind.INSERT else END, kind, **more)  # type: ignore[arg-type]


async def test_a_model_with_a_template_is_asked() -> None:
    order = await resolved(engine(), request(Kind.SHORTEN, count=3, tag="t"), Sampling(seed=5), no_notes)
    said = await engine().detokenize(order.prompt_ids)
    assert "<passage>\nThe lamp had gone out.\n</passage>" in said
    assert (order.role, order.start, order.end, order.count, order.tag) == ("rewrite", START, END, 3, "t")
    assert Task.read(order.instruction) == Task(Kind.SHORTEN, near=signs(CHAPTER, START, END))
    assert order.sampling is not None
    assert (order.sampling.seed, order.sampling.stop) == (5, ())


async def test_an_answer_is_limited_by_the_tokens_of_the_selection() -> None:
    short = await resolved(engine(), request(Kind.SHORTEN), Sampling(max_tokens=5000), no_notes)
    long = await resolved(engine(), request(Kind.EXPAND), Sampling(max_tokens=5000), no_notes)
    tokens = len(await engine().tokenize(CHAPTER[START:END]))
    assert short.sampling is not None
    assert long.sampling is not None
    assert tokens < short.sampling.max_tokens < long.sampling.max_tokens < 4 * tokens + 50


async def test_a_model_that_only_continues_gets_examples_or_a_refusal() -> None:
    order = await resolved(engine(template=False), request(Kind.SHORTEN), Sampling(), no_notes)
    assert (await engine().detokenize(order.prompt_ids)).endswith("Original:\nThe lamp had gone out.\n\nShortened:\n")
    assert order.sampling is not None
    assert order.sampling.stop == ("\n###",)
    with pytest.raises(RequestRefused, match="only continues text"):
        await resolved(engine(template=False), request(Kind.TENSE), Sampling(), no_notes)


async def test_a_model_that_can_fill_the_middle_gets_both_sides_between_its_marks() -> None:
    filling = FillingEngine(template=False)
    order = await resolved(filling, request(Kind.INSERT), Sampling(), no_notes)
    opening, before = await filling.tokenize("", special=True), await filling.tokenize("It was late. ")
    after = await filling.tokenize("The lamp had gone out. Nobody spoke.")
    assert order.prompt_ids == (*opening, PREFIX, *before, SUFFIX, *after, MIDDLE)
    assert (order.role, order.start, order.end) == ("insert", START, START)
    assert Task.read(order.instruction) == Task(Kind.INSERT, marks=True, near=signs(CHAPTER, START, START))


async def test_a_model_with_a_template_fills_by_marks_only_when_asked_to() -> None:
    filling = FillingEngine(template=True)
    asked = await resolved(filling, request(Kind.INSERT, wish="rain"), Sampling(), no_notes)
    assert Task.read(asked.instruction) == Task(Kind.INSERT, "rain", near=signs(CHAPTER, START, START))
    assert MIDDLE not in asked.prompt_ids
    marked = await resolved(filling, request(Kind.INSERT, marks=True), Sampling(), no_notes)
    assert marked.prompt_ids[-1] == MIDDLE
    with pytest.raises(RequestRefused, match="without a wish"):
        await resolved(filling, request(Kind.INSERT, wish="rain", marks=True), Sampling(), no_notes)


async def test_a_model_without_marks_and_template_cannot_insert() -> None:
    assert await gap_in(engine()) is None
    with pytest.raises(RequestRefused, match="not into the middle"):
        await resolved(engine(template=False), request(Kind.INSERT), Sampling(), no_notes)


async def test_the_authors_notes_stand_in_front_if_there_is_room() -> None:
    async def notes(engine: object, request: RewriteRequest, taken: int) -> tuple[str, ...]:
        assert taken > 100
        return ("Mara is tall.",)

    async def long_notes(engine: object, request: RewriteRequest, taken: int) -> tuple[str, ...]:
        return ("Mara is tall. " * 5000,)

    for kind in (Kind.SHORTEN, Kind.INSERT):
        said = await engine().detokenize((await resolved(engine(), request(kind), Sampling(), notes)).prompt_ids)
        assert "<notes>\nMara is tall.\n</notes>\n\n<before>" in said
        bare = await resolved(engine(), request(kind), Sampling(), long_notes)
        assert bare.prompt_ids == (await resolved(engine(), request(kind), Sampling(), no_notes)).prompt_ids


class ThinkingEngine(ScriptedEngine):
    """Its tokenizer knows the marks of a thought; its template may open one, or close it again."""

    def __init__(self, header: str) -> None:
        super().__init__(Script(), PrefixCache())
        self.header = header

    async def render(self, messages: object) -> tuple[int, ...]:
        return await super().tokenize(f"Asked.\n<assistant>\n{self.header}")

    async def tokenize(self, text: str, *, special: bool = False) -> tuple[int, ...]:
        return (THINK,) if text == "<think>" else await super().tokenize(text, special=special)


@pytest.mark.parametrize("header", ["", "<think>\n", "<think>\n\n</think>\n\n"])
async def test_a_thinking_model_finds_its_thought_closed(header: str) -> None:
    thinking = ThinkingEngine(header)
    said = await thinking.detokenize((await resolved(thinking, request(Kind.SHORTEN), Sampling(), no_notes)).prompt_ids)
    assert said.count("<think>") == said.count("</think>") == 1
    assert said.endswith("</think>\n\n")
    assert "</think>" not in await engine().detokenize(
        (await resolved(engine(), request(Kind.SHORTEN), Sampling(), no_notes)).prompt_ids
    )


async def test_a_selection_without_words_or_longer_than_the_window_is_refused() -> None:
    blank = RewriteRequest("c.md", "One.\n\n\nTwo.", 4, 7, Kind.SHORTEN)
    with pytest.raises(RequestRefused, match="Nothing is selected"):
        await resolved(engine(), blank, Sampling(), no_notes)
    long = "The lamp had gone out an hour before. " * 400
    with pytest.raises(PromptTooLong, match="Select a shorter passage"):
        await resolved(engine(), RewriteRequest("c.md", long, 0, len(long), Kind.EXPAND), Sampling(), no_notes)
