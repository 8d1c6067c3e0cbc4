"""Who wrote what of a chapter, over saves, restarts, other programs, and text that was written without the app."""

from __future__ import annotations

from pathlib import Path

from desk_fixture import CHAPTER, Bench, bench
from test_desk import SAMPLING

from writer.editing.provenance import Provenance, recalled
from writer.runtime.orders import DraftOrder, SaveOrder
from writer.runtime.tracing import OriginsFound

TEXT = "It was late. The lamp had gone out an hour before. Nobody spoke."
MADE = Provenance().marked(13, 50, "g1")


def known(b: Bench, text: str) -> Provenance:
    found = b.desk.tracing.tell(CHAPTER, text)
    return recalled(text, found.former, found.stored, found.written)


async def test_what_was_saved_with_a_chapter_is_known_at_the_next_start(tmp_path: Path) -> None:
    async with bench(tmp_path / "b") as b:
        assert await b.desk.save(SaveOrder(CHAPTER, TEXT, 1, origins=MADE.stored()))
        assert await b.desk.save(SaveOrder(CHAPTER, TEXT, 2)), "a save that does not say changes nothing"
    async with bench(tmp_path / "b") as b:
        assert known(b, TEXT) == MADE
        assert [event.chapter for event in b.of(OriginsFound)] == [CHAPTER]
        changed = "Later. " + TEXT.replace("an hour", "a day")
        assert [changed[r.start : r.end] for r in known(b, changed).ranges] == ["The lamp had gone out ", " before."]


async def test_what_was_drafted_without_the_app_is_known_by_its_words(tmp_path: Path) -> None:
    async with bench(tmp_path / "b") as b:
        outcome = await b.desk.draft(DraftOrder(CHAPTER, TEXT + "\n\n"), SAMPLING)
        text = TEXT + "\n\n" + b.text
        (made,) = known(b, text).ranges
        assert made.origin == outcome.generation
        assert text[made.start : made.end] == b.text.strip()
        assert known(b, text.replace(b.text.strip()[5:20], "")) == Provenance()


async def test_what_was_taken_out_is_nobodys(tmp_path: Path) -> None:
    async with bench(tmp_path / "b") as b:
        outcome = await b.desk.draft(DraftOrder(CHAPTER, TEXT), SAMPLING)
        text = TEXT + b.text
        b.desk.discard(outcome.generation, TEXT, (len(TEXT), len(TEXT)))
        assert known(b, text) == Provenance()
