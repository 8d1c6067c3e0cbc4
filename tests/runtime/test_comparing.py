"""Another model, tokenizer or engine: asked, told, and no id is ever given to one that reads it otherwise."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from desk_fixture import CHAPTER, Bench, bench
from test_desk import INTRO, SAMPLING, paused_after, resume_order

from writer.engine.base import EngineFacts, Request
from writer.engine.scripted import ScriptedEngine
from writer.errors import EngineError, RequestRefused
from writer.generation.model import Delta, Fingerprint, Saved
from writer.runtime import comparing
from writer.runtime.events import GenerationFailed, GenerationStarted, Noted
from writer.runtime.orders import DraftOrder

A = Fingerprint("model a", "tokens a", "vllm 0.32.0 cpu float32 v1")


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (A, ""),
        (replace(A, engine="vllm 0.33.0"), ""),
        (replace(A, model=""), ""),
        (replace(A, model="model b"), "from its last token,"),
        (replace(A, model="model b", tokenizer="tokens b"), "no token is reused"),
        (replace(A, tokenizer="tokens b"), "no token is reused"),
        (replace(A, model="model b", tokenizer=""), "else by its text"),
    ],
)
def test_only_what_has_changed_is_asked(now: Fingerprint, words: str) -> None:
    asked = comparing.choice(A, now, "B")
    assert bool(asked) == bool(words)
    assert asked is None or (words in asked.sentence and "Continue once more to go on with B" in asked.sentence)


class Reader:
    """An engine that reads ids as it likes. `words` maps ids; what is not there is refused, as by a real server."""

    def __init__(self, fingerprint: Fingerprint, words: dict[int, str]) -> None:
        self.facts = EngineFacts("B", "vllm 0.32.0", "remote", 8192, 16, fingerprint)
        self.words = words
        self.asked: list[Sequence[int]] = []

    async def detokenize(self, token_ids: Sequence[int]) -> str:
        self.asked.append(token_ids)
        try:
            return "".join(self.words[i] for i in token_ids)
        except KeyError:
            raise RequestRefused("It has no such token.") from None


SAVED = Saved((1, 2, 3), "The sea rose.", (3, 7, 13), 1)
WORDS = {1: "The", 2: " sea", 3: " rose."}


@pytest.mark.parametrize(
    ("now", "words", "same"),
    [
        (A, {}, True),
        (replace(A, tokenizer="tokens b"), WORDS, False),
        (Fingerprint("served:b", ""), WORDS, True),
        (Fingerprint("served:b", ""), {1: "Der", 2: " See", 3: " stieg."}, False),
        (Fingerprint("served:b", ""), {}, False),
        (Fingerprint("", ""), WORDS | {3: " fell."}, False),
        (Fingerprint("model a", ""), {}, True),
    ],
)
async def test_where_no_fingerprint_tells_the_engine_reads_the_ids_aloud(
    now: Fingerprint, words: dict[int, str], same: bool
) -> None:
    assert await comparing.same_tokens(Reader(now, words), A, SAVED) is same  # type: ignore[arg-type]


async def test_a_text_without_tokens_proves_nothing() -> None:
    reader: Any = Reader(Fingerprint("served:b", ""), WORDS)
    assert not await comparing.same_tokens(reader, A, Saved())


async def test_another_version_of_the_engine_is_told_and_goes_on(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 1]) as b:
        await paused_after(b, 10)
        b.alter("engine", "scripted 0")
        assert (await b.desk.resume(resume_order(b))).ended
        assert [event.sentence for event in b.of(Noted)] == [
            "This text was begun with scripted 0, and scripted 1 goes on: at the very next token, but later words may "
            "fall differently than they would have."
        ]


async def test_a_server_that_comes_back_with_another_model_gets_no_ids(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A restart in the middle of a text: the very next request would go to another model."""
    given: list[tuple[str, int]] = []
    honest = ScriptedEngine.stream

    async def stream(engine: ScriptedEngine, request: Request) -> AsyncGenerator[Delta, None]:
        given.append((engine.facts.model, len(request.prompt_ids)))
        async for delta in honest(engine, request):
            yield delta

    monkeypatch.setattr(ScriptedEngine, "stream", stream)
    async with bench(tmp_path, batch=[1, 1], die_at=20, die_once=True) as b:
        await b.desk.warm_up()
        source: Any = b.desk._means.source._source  # type: ignore[attr-defined]
        source._script = replace(source._script, model="another")
        outcome = await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)
        assert "came back with another model (another instead of scripted)" in outcome.sentence
        assert outcome.tokens == len(b.ids) == 20
        assert [model for model, _ in given] == ["scripted"]
        assert len(b.of(GenerationFailed)) == 1
        await asked_then_done(b)


async def asked_then_done(b: Bench) -> None:
    """The first continue asks, the second goes on."""
    assert (
        "Continue once more to go on with another, from its last token"
        in (await b.desk.resume(resume_order(b))).sentence
    )
    assert (await b.desk.resume(resume_order(b))).ended
    assert b.of(GenerationStarted)[-1].resumed_from == 20


def test_a_restart_may_bring_back_the_same_model_only() -> None:
    facts = EngineFacts("m", "1", "cpu", 8192, 16, A)
    comparing.require_same(facts, replace(facts, version="2"))
    for other in (
        replace(facts, model="n"),
        replace(facts, fingerprint=replace(A, tokenizer="tokens b")),
        replace(facts, fingerprint=replace(A, model="model b")),
    ):
        with pytest.raises(EngineError, match="another model"):
            comparing.require_same(facts, other)
