"""Prompts of a desk: planned from the folder, told before they are sent, and their beginning stays in the cache."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from a_book import make
from desk_fixture import CHAPTER, Bench, bench

from writer.generation.plan import Plan
from writer.generation.plan_parts import Kind
from writer.manuscript.project import add_chapter, create, open_manuscript
from writer.runtime.events import GenerationFailed, GenerationStarted, PromptPlanned
from writer.runtime.orders import DraftOrder, ResumeOrder

LAST = "chapters/40-chapter-40.md"


@pytest.fixture
def novel(tmp_path: Path) -> Path:
    folder = tmp_path / "novel"
    create(folder, title="Salt")
    (folder / "notes/characters").mkdir()
    (folder / "notes/characters/mara.md").write_text("---\ntitle: Mara\nkeys: [Mara]\n---\nMara is afraid of water.")
    (folder / "notes/style.md").write_text("Short sentences.")
    (folder / "outline.md").write_text("## Chapter 1\n\nMara comes home.\n")
    return folder


def plan_of(desk: Bench) -> Plan:
    return desk.of(PromptPlanned)[-1].plan


def kinds(plan: Plan) -> set[Kind]:
    return {part.kind for part in plan.parts if part.included}


async def write(desk: Bench, chapter: str, text: str, instruction: str = "") -> str:
    """Writes on in the chapter; its text with what was written."""
    before = len(desk.text)
    await desk.desk.draft(DraftOrder(chapter, text, instruction))
    return text + desk.text[before:]


async def test_the_plan_is_told_before_anything_is_sent_and_what_is_sent_is_the_plan(novel: Path) -> None:
    async with bench(novel, finish_at=20) as desk:
        await write(desk, CHAPTER, "# One\n\nMara woke.", "it rains")
        told = [type(event) for event in desk.events]
        assert told.index(PromptPlanned) < told.index(GenerationStarted)
        plan = plan_of(desk)
        assert kinds(plan) >= {Kind.INSTRUCTIONS, Kind.STYLE, Kind.OUTLINE, Kind.MENTIONED, Kind.REQUEST, Kind.TEXT}
        (generation,) = desk.desk._means.state.generations.all()
        stored = desk.desk._means.state.generations.generation(generation.id)
        assert stored.prompt_ids == plan.prompt_ids
        assert len(plan.prompt_ids) == plan.tokens == desk.of(GenerationStarted)[0].prompt_tokens


async def test_a_note_that_nobody_mentions_is_not_sent(novel: Path) -> None:
    async with bench(novel, finish_at=5) as desk:
        await write(desk, CHAPTER, "# One\n\nNobody woke.")
        assert Kind.MENTIONED not in kinds(plan_of(desk))
        await write(desk, CHAPTER, "# One\n\nNobody woke.", "Mara wakes")
        assert Kind.MENTIONED in kinds(plan_of(desk))


async def test_going_on_finds_the_prompt_in_the_cache_also_after_a_restart(tmp_path: Path) -> None:
    folder = make(tmp_path / "book", chapters=6, words=4200, notes=12)
    chapter = open_manuscript(folder).chapters[-1].path
    text, script = (folder / chapter).read_text(), {"window": 9000, "finish_at": 60}
    async with bench(folder, cache_file=str(tmp_path / "cache"), **script) as desk:
        for _ in range(4):
            text = await write(desk, chapter, text)
        first, *others = desk.of(GenerationStarted)
        assert first.cached_tokens == 0
        assert min(each.cached_tokens / each.prompt_tokens for each in others) > 0.95
    async with bench(folder, cache_file=str(tmp_path / "cache"), **script) as desk:
        await write(desk, chapter, text)
        (again,) = desk.of(GenerationStarted)
        assert again.cached_tokens / again.prompt_tokens > 0.95


async def test_another_request_keeps_what_stands_before_it(tmp_path: Path) -> None:
    folder = make(tmp_path / "book", chapters=6, words=4200, notes=12)
    chapter = open_manuscript(folder).chapters[-1].path
    async with bench(folder, window=9000, finish_at=30) as desk:
        text = await write(desk, chapter, (folder / chapter).read_text(), "it rains")
        await write(desk, chapter, text, "the sun comes out")
        second = desk.of(GenerationStarted)[-1]
        assert second.cached_tokens / second.prompt_tokens > 0.9


async def test_the_prompt_leaves_room_for_what_is_written_whatever_lies_in_the_folder(tmp_path: Path) -> None:
    folder = make(tmp_path / "book", chapters=8, words=16_000, notes=30)
    for window in (2048, 4096):
        async with bench(folder, window=window, finish_at=5) as desk:
            for chapter in open_manuscript(folder).chapters[::7]:
                await write(desk, chapter.path, (folder / chapter.path).read_text())
                plan = plan_of(desk)
                assert plan.tokens + plan.to_write <= window
                assert plan.to_write == min(1200, window // 2)
                assert plan.left_out
            assert desk.of(GenerationFailed) == []


async def test_what_cannot_be_read_is_told_and_keeps_nobody_from_writing(novel: Path) -> None:
    (novel / "notes/broken.md").write_text("---\npriority: very\n---\ntext")
    (novel / "outline.md").write_bytes(b"\xff\xfe\x00 not text \xff")
    async with bench(novel, finish_at=5) as desk:
        await write(desk, CHAPTER, "# One\n\nMara woke.")
        plan = plan_of(desk)
        assert any("broken.md" in sentence for sentence in plan.notes)
        assert len(plan.notes) >= 2
        assert desk.text


async def test_earlier_chapters_are_known_by_their_summaries_and_the_last_one_by_its_end(novel: Path) -> None:
    (novel / CHAPTER).write_text("# One\n\nThe lamp went out at the end.")
    (novel / "notes/summaries").mkdir()
    (novel / "notes/summaries/01-chapter-1.md").write_text("Mara came home.")
    manuscript = add_chapter(open_manuscript(novel), "Two")
    async with bench(novel, finish_at=5) as desk:
        await write(desk, manuscript.chapters[-1].path, "# Two\n\n")
        texts = {part.kind: part.text for part in plan_of(desk).parts}
        assert "Mara came home." in texts[Kind.SUMMARIES]
        assert "The lamp went out" in texts[Kind.BEFORE]


async def test_a_model_without_a_template_goes_on_with_the_plain_text(novel: Path) -> None:
    async with bench(novel, finish_at=5, template=False) as desk:
        await write(desk, CHAPTER, "# One\n\nMara woke.")
        detokenized = await (await desk.desk._room.ready()).detokenize(plan_of(desk).prompt_ids)
        assert detokenized.endswith("# One\n\nMara woke.")
        assert "novelist" not in detokenized
        assert "Short sentences." in detokenized


async def test_a_text_that_has_filled_the_window_goes_on_with_a_prompt_that_begins_further_in(novel: Path) -> None:
    async with bench(novel, window=2000) as desk:
        text = await write(desk, CHAPTER, "# One\n\n" + "Nobody woke. The rain went on.\n\n" * 20)
        for _ in range(3):
            last = desk.of(GenerationStarted)[-1]
            before = len(desk.text)
            outcome = await desk.desk.resume(ResumeOrder(last.generation, CHAPTER, text, last.start, len(text)))
            assert outcome.ended, outcome
            text += desk.text[before:]
        assert desk.of(GenerationFailed) == []
        assert len({started.generation for started in desk.of(GenerationStarted)}) >= 3
        assert all(plan.plan.tokens + plan.plan.to_write <= 2000 for plan in desk.of(PromptPlanned))
        assert any("The beginning of this chapter is left out" in each for each in plan_of(desk).left_out)


async def test_room_is_kept_for_a_text_that_is_longer_than_usual(novel: Path) -> None:
    async with bench(novel, window=8000, finish_at=5) as desk:
        text = "# One\n\n" + "Nobody woke. The rain went on.\n\n" * 300
        for most, kept in ((20, 1200), (3000, 3000)):
            await desk.desk.draft(DraftOrder(CHAPTER, text), replace(desk.desk.sampling(CHAPTER), max_tokens=most))
            assert plan_of(desk).to_write == kept
            assert plan_of(desk).tokens + kept <= 8000
