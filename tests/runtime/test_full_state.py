"""The disk of the state refuses: chapters on another disk are saved all the same, and recovery finds their places."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from desk_fixture import CHAPTER, bench
from hypothesis import given
from hypothesis import strategies as st
from test_desk import INTRO, paused_after

from writer.errors import SaveFailed, StateFull
from writer.generation.model import SpanRecord, State, StopCause
from writer.manuscript.chapter_file import ChapterFile
from writer.runtime import runner
from writer.runtime.events import CommitDelayed, CommitRecovered, GenerationStarted, SaveRefused
from writer.runtime.orders import DraftOrder, SaveOrder, Span
from writer.runtime.recovery import Placed, place
from writer.storage.generations import GenerationStore
from writer.storage.spans import SpanStore

SAVED = "The keeper slept. Rain came over the water and nobody saw the light go out."


def refuse(*words: object, **more: object) -> None:
    raise StateFull("The disk is full: paused.")


def span(text: str, start: int, covered: int) -> SpanRecord:
    return SpanRecord("g", hashlib.sha256(text.encode()).hexdigest(), start, start + covered, covered)


def placed(file: str, *spans: SpanRecord) -> Placed | None:
    return place(file, hashlib.sha256(file.encode()).hexdigest(), SAVED, spans)


@given(st.text(max_size=20), st.integers(0, 40), st.integers(1, len(SAVED)))
def test_a_place_that_was_not_recorded_is_found_at_the_end_of_a_chapter(before: str, old: int, held: int) -> None:
    file = before + SAVED[: max(old, held)]
    found = placed(file, span(before + SAVED[:old], len(before), old))
    if found is None:  # the words before it hold the same text
        assert (before + SAVED).count(SAVED[:old]) > 1
    else:
        assert found.text == before + SAVED


def test_with_the_authors_words_behind_it_the_place_is_not_guessed() -> None:
    assert placed("Intro. " + SAVED[:30] + "\n\nMine.", span("Intro. " + SAVED[:10], 7, 10)) is None


def test_what_was_taken_out_is_not_put_back() -> None:
    spans = (span("Intro. " + SAVED[:40], 7, 40), span("Intro. " + SAVED[:10], 7, 10))
    assert placed("Intro. " + SAVED[:30], *spans) is None


async def test_a_chapter_is_saved_though_its_place_cannot_be_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bench(tmp_path, batch=[1, 1]) as b:
        await paused_after(b, 60)
        generation = b.of(GenerationStarted)[-1].generation

        def order(characters: int) -> SaveOrder:
            text = INTRO + b.text[:characters]
            return SaveOrder(CHAPTER, text, 1, (Span(generation, len(INTRO), len(INTRO) + characters, characters),))

        assert await b.desk.save(order(20))
        with monkeypatch.context() as patch:
            patch.setattr(SpanStore, "_record", refuse)
            assert await b.desk.save(order(50))
        assert b.of(SaveRefused) == []
        assert b.file() == INTRO + b.text[:50]
    async with bench(tmp_path) as again:
        assert again.file() == INTRO + b.text
        assert again.opened.offers[0].intact
        assert again.opened.offers[0].note == ""


async def test_the_place_is_recorded_as_soon_as_there_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench(tmp_path, batch=[1, 1]) as b:
        await paused_after(b, 60)
        generation = b.of(GenerationStarted)[-1].generation
        text = INTRO + b.text[:50] + "\n\nThe author's end."
        order = SaveOrder(CHAPTER, text, 1, (Span(generation, len(INTRO), len(INTRO) + 50, 50),))
        with monkeypatch.context() as patch:
            patch.setattr(SpanStore, "_record", refuse)
            assert await b.desk.save(order)
    async with bench(tmp_path) as again:
        assert again.file() == INTRO + b.text + "\n\nThe author's end."
        assert again.opened.notes == ()


async def test_a_full_disk_is_on_record_while_writing_waits_for_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "_RETRIES", (0.0,))
    seen: list[tuple[State, StopCause | None]] = []
    honest, tries = GenerationStore.append, []

    async with bench(tmp_path, batch=[1, 1]) as b:
        store = b.desk._means.state.generations

        def grudging(self: GenerationStore, batch, **how) -> None:  # type: ignore[no-untyped-def]
            if batch.ordinal == 5 and len(tries) < 3:
                tries.append(batch)
                if len(tries) > 1:
                    found = store.generation(batch.generation)
                    seen.append((found.state, found.stopped_by))
                raise StateFull("The disk is full: paused.")
            honest(self, batch, **how)

        monkeypatch.setattr(GenerationStore, "append", grudging)
        outcome = await b.desk.draft(DraftOrder(CHAPTER, INTRO), b.desk.sampling())
        assert outcome.ended
        assert seen == [(State.INTERRUPTED, StopCause.DISK)] * 2
        assert len(b.of(CommitDelayed)) == 3
        assert len(b.of(CommitRecovered)) == 1
        assert store.load(store.all()[0].id).text == b.text


async def test_a_chapter_that_cannot_be_completed_locks_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*words: object) -> None:
        raise SaveFailed("The disk is full: 01-chapter-1.md is not saved.")

    async with bench(tmp_path, batch=[1, 1]) as b:
        await paused_after(b, 20)
    with monkeypatch.context() as patch:
        patch.setattr(ChapterFile, "save", full)
        async with bench(tmp_path) as again:
            assert again.opened.notes == ("The disk is full: 01-chapter-1.md is not saved.",)
            assert again.opened.offers == ()
    async with bench(tmp_path) as later:
        assert later.file() == INTRO + b.text
        assert later.opened.offers[0].intact


async def test_a_start_on_a_full_disk_completes_the_chapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench(tmp_path, batch=[1, 1]) as b:
        await paused_after(b, 20)
    with monkeypatch.context() as patch:
        patch.setattr(SpanStore, "_record", refuse)
        async with bench(tmp_path) as again:
            assert again.file() == INTRO + b.text
            assert again.opened.offers[0].intact
    async with bench(tmp_path) as later:
        assert later.file() == INTRO + b.text
        assert later.opened.offers[0].intact
