"""Where the last request stood in a chapter: remembered over restarts, and through changes of chapters."""

from __future__ import annotations

from pathlib import Path

from desk_fixture import CHAPTER, Bench, bench
from test_desk import INTRO

from writer.generation.window import turn_at
from writer.manuscript import atomic
from writer.manuscript import chapter_plans as plans
from writer.manuscript.arrangement import dumped
from writer.manuscript.arranging import RECORD
from writer.manuscript.book import read_book
from writer.manuscript.project import add_chapter, open_manuscript
from writer.runtime.events import PromptPlanned
from writer.runtime.orders import ArrangeOrder, DraftOrder, SaveOrder
from writer.runtime.turns import FILE, Turns

NEW = "chapters/01-salt.md"
TEXT = INTRO + "Nobody woke. The rain went on.\n\n" * 30


def test_turns_come_back_and_damage_is_as_if_there_were_none(tmp_path: Path) -> None:
    file = tmp_path / FILE
    turn = turn_at("some text", 4, "asked")
    Turns(tmp_path).keep(CHAPTER, turn)
    assert Turns(tmp_path).of(CHAPTER) == turn
    assert file.stat().st_mode & 0o777 == 0o600
    for damage in ("", "[1]", "{", '{"a": [1, 2, 3, 4]}', '{"a": {}}', '{"a": [-1, "", "", 0]}', "[" * 5000):
        file.write_text(damage)
        assert Turns(tmp_path).of("a") is None
    Turns(tmp_path / "nowhere").keep(CHAPTER, turn)


async def asked(b: Bench, chapter: str, text: str) -> int:
    """Writes on with a request; the place in the text where the request stands."""
    await b.desk.draft(DraftOrder(chapter, text, "It rains."))
    plan = b.of(PromptPlanned)[-1].plan
    assert plan.turn is not None
    return plan.turn.at


async def test_a_request_stays_at_its_place_when_only_the_file_of_its_chapter_is_renamed(tmp_path: Path) -> None:
    async with bench(tmp_path, finish_at=5) as b:
        place = await asked(b, CHAPTER, TEXT)
        later = TEXT + b.text + "\n\nThe sea was grey that day." * 60
        assert await b.desk.save(SaveOrder(CHAPTER, later, 1))
        assert await b.desk.arranging.arrange(ArrangeOrder("r", lambda book: plans.renamed(book, 1, "Salt")))
        assert await asked(b, NEW, later) == place
    async with bench(tmp_path, finish_at=5) as b:
        assert await asked(b, NEW, later) == place


async def test_turns_follow_a_rename_that_a_kill_cut_short(tmp_path: Path) -> None:
    async with bench(tmp_path, finish_at=5) as b:
        await asked(b, CHAPTER, TEXT)
        state_dir = b.desk._means.state_dir
        turn = Turns(state_dir).of(CHAPTER)
    atomic.write_new(state_dir / RECORD, dumped(plans.renamed(read_book(tmp_path), 1, "Salt")))
    async with bench(tmp_path, finish_at=5):
        assert Turns(state_dir).of(NEW) == turn is not None
        assert Turns(state_dir).of(CHAPTER) is None


async def test_turns_stay_with_the_chapters_that_are_split_moved_and_joined(tmp_path: Path) -> None:
    async with bench(tmp_path, finish_at=5) as b:
        second = add_chapter(open_manuscript(tmp_path), "Water").chapters[-1].path
        await asked(b, CHAPTER, TEXT)
        await asked(b, second, TEXT.replace("Salt", "Water"))
        turns = b.desk._prompting._turns
        mine, others = turns.of(CHAPTER), turns.of(second)
        assert None not in (mine, others)
        await b.desk.arranging.arrange(ArrangeOrder("m", lambda book: plans.moved(book, 2, after=0)))
        at = len(TEXT) - 20
        await b.desk.arranging.arrange(ArrangeOrder("s", lambda book: plans.split(book, 2, at, "Later")))
        assert (turns.of(CHAPTER), turns.of(second)) == (mine, others)
        await b.desk.arranging.arrange(ArrangeOrder("j", lambda book: plans.merged(book, 2, 1)))
        assert (turns.of(CHAPTER), turns.of(second)) == (mine, None)
        assert Turns(b.desk._means.state_dir).of(second) is None
