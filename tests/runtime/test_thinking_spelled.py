"""A model whose marks of a thought are no tokens of their own: its thought is told by its words, over every pause."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from desk_fixture import CHAPTER, Bench, bench
from thinking_bench import START, THINKING, go_on, paused_after, stored, thinking, thought

from writer.engine import scripted_words as words
from writer.engine.base import ChatMessage
from writer.engine.scripted import ScriptedEngine
from writer.generation.thinking import beyond
from writer.runtime.orders import DraftOrder
from writer.storage.integrity import check

OPENING, MARK = words.tokenize("<assistant>\n<think>\n"), words.tokenize("</think>")
SIZE = 20
"""Tokens of the thought, without the mark."""


@pytest.fixture(autouse=True)
def spelled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripted model spells the marks out; its template opens a thought."""

    async def render(self: ScriptedEngine, messages: Sequence[ChatMessage]) -> tuple[int, ...]:
        return (words.BOS, *words.tokenize("".join(each.content for each in messages)), *OPENING)

    honest = ScriptedEngine._token

    def token(self: ScriptedEngine, request: Any, sequence: list[int], given: int) -> int:
        at = next(n for n in range(len(sequence), 0, -1) if tuple(sequence[n - len(OPENING) : n]) == OPENING)
        since = len(sequence) - at - SIZE
        return MARK[since] if 0 <= since < len(MARK) else honest(self, request, sequence, given)

    monkeypatch.setattr(ScriptedEngine, "render", render)
    monkeypatch.setattr(ScriptedEngine, "_token", token)


def whole_of(b: Bench) -> tuple[list[int], str, str]:
    return b.ids, b.text, thought(b)


async def test_a_pause_at_any_letter_of_the_mark_leaves_no_seam(tmp_path: Path) -> None:
    async with bench(tmp_path / "whole", batch=[1, 1]) as b:
        await b.desk.draft(DraftOrder(CHAPTER, START), THINKING)
        whole = whole_of(b)
        generation, saved = stored(b)
        assert thinking(generation).end_id is None
        assert len(MARK) > 3
        after = beyond(generation, saved)
        assert after.offset == SIZE + len(MARK) + len(thinking(generation).then)
        assert len(after.saved.token_ids) == THINKING.max_tokens
        assert "</" not in b.text + thought(b)
        [found] = check(b.desk._means.state, lambda generation: words.detokenize)
        assert found.problem == ""
        assert (await b.desk.recalling.tell(CHAPTER)).text == thought(b)
    for tokens in (5, SIZE, SIZE + 1, SIZE + len(MARK) - 1, SIZE + len(MARK), SIZE + len(MARK) + 1, SIZE + 40):
        async with bench(tmp_path / str(tokens), batch=[1, 1]) as b:
            await paused_after(b, tokens)
            await b.desk.resume(go_on(b))
            assert whole_of(b)[:2] == whole[:2], tokens
            assert thought(b).replace(" ", "") == whole[2].replace(" ", "")
