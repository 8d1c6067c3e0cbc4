"""What would be sent, shown without sending anything; and new settings for the next text."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from desk_fixture import CHAPTER, Bench, bench
from model_folders import model_folder

from writer.bootstrap import model_on_disk
from writer.config import EngineSettings, Settings, WritingSettings
from writer.errors import ModelUnusable
from writer.runtime.engine_wording import EngineWording
from writer.runtime.events import BatchCommitted, EngineAttached, GenerationStarted, PromptPlanned, PromptShown
from writer.runtime.orders import DraftOrder, SaveOrder
from writer.runtime.showing import Reader

TEXT = "# One\n\nIt rained on the harbour, and nobody had slept.\n"


def generations(desk: Bench) -> list[str]:
    return [each.id for each in desk.desk._means.state.generations.all()]


async def test_without_an_engine_and_a_model_nothing_is_known_and_nothing_is_started(tmp_path: Path) -> None:
    async with bench(tmp_path / "novel") as desk:
        shown = await desk.desk.plan(DraftOrder(CHAPTER, TEXT))
        assert shown.plan is None
        assert "Start the engine" in shown.why
        assert desk.of(EngineAttached) == []


async def test_a_model_on_the_disk_is_enough(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "model", "chatml")
    (folder / "config.json").write_text('{"max_position_embeddings": 4096}')
    (folder / "model.safetensors").write_bytes(b"\x02\0\0\0\0\0\0\0{}")
    async with bench(tmp_path / "novel") as desk:
        desk.desk._showing._on_disk = lambda: model_on_disk(EngineSettings(model=str(folder)))
        shown = await desk.desk.plan(DraftOrder(CHAPTER, TEXT))
        assert shown is not None
        assert shown.plan is not None
        assert shown.plan.window == 4096
        assert shown.request.startswith("<|im_start|>")
        assert shown.request.endswith(TEXT)
        assert shown.cached == 0
        assert desk.of(EngineAttached) == []


@pytest.mark.parametrize("model", ["", "/nowhere/at/all"])
def test_a_model_that_is_not_here_is_never_prepared_for_a_plan(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    if model:
        with pytest.raises(ModelUnusable):
            model_on_disk(EngineSettings(model=model))
    else:
        assert model_on_disk(EngineSettings()) is None
    assert [*(tmp_path / "data").rglob("config.json")] == []


async def test_what_is_shown_is_what_is_sent_and_nothing_is_written(tmp_path: Path) -> None:
    async with bench(tmp_path / "novel", finish_at=20) as desk:
        await desk.desk.warm_up()
        await desk.desk.save(SaveOrder(CHAPTER, TEXT, 1))  # the chapter's title is its file's heading
        shown = await desk.desk.plan(DraftOrder(CHAPTER, TEXT))
        assert shown.plan is not None
        assert generations(desk) == []
        assert desk.of(PromptPlanned) == []
        assert shown.cached == 0
        await desk.desk.draft(DraftOrder(CHAPTER, TEXT))
        (generation,) = generations(desk)
        sent = desk.desk._means.state.generations.generation(generation).prompt_ids
        assert sent == shown.plan.prompt_ids
        assert len(sent) == shown.tokens


async def test_it_tells_what_the_engine_has_read_already(tmp_path: Path) -> None:
    async with bench(tmp_path / "novel", finish_at=60) as desk:
        await desk.desk.draft(DraftOrder(CHAPTER, TEXT))
        now = TEXT + desk.text
        shown = await desk.desk.plan(DraftOrder(CHAPTER, now))
        assert shown.cached > 0
        await desk.desk.draft(DraftOrder(CHAPTER, now))
        assert desk.of(GenerationStarted)[-1].cached_tokens == shown.cached


async def test_an_engine_that_was_just_started_has_read_nothing(tmp_path: Path) -> None:
    async with bench(tmp_path / "novel", finish_at=60) as desk:
        await desk.desk.draft(DraftOrder(CHAPTER, TEXT))
        now = TEXT + desk.text
    async with bench(tmp_path / "novel") as desk:
        await desk.desk.warm_up()
        assert (await desk.desk.plan(DraftOrder(CHAPTER, now))).cached == 0


async def test_a_paused_text_goes_on_from_its_own_tokens_and_that_is_what_is_shown(tmp_path: Path) -> None:
    async with bench(tmp_path / "novel", hang_at=30) as desk:
        writing = asyncio.ensure_future(desk.desk.draft(DraftOrder(CHAPTER, TEXT)))
        while not desk.of(BatchCommitted):
            assert not writing.done(), writing.result()
            await asyncio.sleep(0)
        desk.desk.pause()
        await writing
        (generation,) = generations(desk)
        store = desk.desk._means.state.generations
        stored = store.generation(generation).prompt_ids + store.load(generation).token_ids
        order = DraftOrder(CHAPTER, TEXT + desk.text, parent=generation, parent_tokens=2**31)
        shown = await desk.desk.plan(order)
        assert shown.tokens == len(stored)
        assert shown.request == await (await desk.desk._room.ready()).detokenize(stored)


async def test_what_cannot_be_planned_is_told_as_a_sentence(tmp_path: Path) -> None:
    async with bench(tmp_path / "novel", window=200) as desk:
        await desk.desk.warm_up()
        shown = await desk.desk.plan(DraftOrder(CHAPTER, TEXT, "so " * 500))
        assert shown.plan is None
        assert "request alone" in shown.why
        assert desk.of(PromptShown) == [shown]


class Stuck(EngineWording):
    """An engine that never says how many tokens a text has."""

    async def counts(self, texts: Sequence[str]) -> Sequence[int]:
        await asyncio.Event().wait()
        return ()


async def test_a_plan_that_gets_no_answer_keeps_nobody_from_leaving(tmp_path: Path) -> None:
    async with bench(tmp_path / "novel") as desk:
        engine = await desk.desk._room.ready()
        desk.desk._showing._wording_of = Stuck
        stuck = asyncio.ensure_future(desk.desk.plan(DraftOrder(CHAPTER, TEXT)))
        await asyncio.sleep(0)
        desk.desk._showing._read = None
        desk.desk._showing._wording_of = EngineWording
        newer = await desk.desk.plan(DraftOrder(CHAPTER, TEXT))
        assert await stuck is None
        assert newer is not None
        assert desk.of(PromptShown) == [newer]
        desk.desk._showing._read = (engine, Reader(Stuck(engine), 4096, ""))
        last = asyncio.ensure_future(desk.desk.plan(DraftOrder(CHAPTER, TEXT)))
        await asyncio.sleep(0)
        await desk.desk.close()
        assert await last is None


async def test_new_settings_hold_for_the_next_text_and_a_chapter_has_its_own(tmp_path: Path) -> None:
    async with bench(tmp_path / "novel", finish_at=5) as desk:
        book = WritingSettings(temperature=0.3, seed=7)
        own = replace(book, temperature=1.4, max_tokens=77)
        desk.desk.settings(Settings(writing=book, chapters={CHAPTER: own}))
        await desk.desk.draft(DraftOrder(CHAPTER, TEXT))
        (generation,) = generations(desk)
        drawn = desk.desk._means.state.generations.generation(generation).sampling
        assert (drawn.temperature, drawn.max_tokens, drawn.seed) == (1.4, 77, 7)
        assert desk.of(PromptPlanned)[-1].plan.to_write == 77
        assert desk.desk.sampling("chapters/other.md").temperature == 0.3
