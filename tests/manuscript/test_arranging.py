"""Changes of chapters that are cut short by a kill before each system call that changes a file: every word stays in a
file, and the next start leaves all of the change done, or none of it."""

from __future__ import annotations

import json
import shutil
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from arranged import KEPT, PLANS, TEXTS, Plan, dying, shelf_of, texts, words_on_disk

from writer.errors import WriterError
from writer.manuscript import arranging, atomic, settings_file
from writer.manuscript.arrangement import Arrangement, dumped, make, parsed
from writer.manuscript.arranging import Shelf, arrange, finish
from writer.manuscript.book import read_book
from writer.manuscript.project import open_manuscript
from writer.manuscript.summaries import Summary, write_summary


def what_is_wrong(root: Path, before: list[str], after: list[str], told: tuple[str, ...]) -> str:
    """After a kill and a new start, which may say what was to be `told`: "" if all is well."""
    missing = KEPT - words_on_disk(shelf_of(root))
    if missing:
        return f"gone from all files: {missing}"
    shelf = shelf_of(root)
    open_manuscript(shelf.folder)
    said = finish(shelf)
    found = texts(shelf)
    if said not in ((), told) or found not in (before, after):
        return f"in doubt: {said} {found}"
    if (shelf.state_dir / arranging.RECORD).exists():
        return "the record was left behind"
    return "" if finish(shelf) == () and texts(shelf) == found else "the second start changed something"


def trials(made: Path, plan: Plan, how: Callable[[Shelf, Arrangement], object] = arrange) -> Iterator[str]:
    """What was wrong after a kill before each change, until one trial comes to its end."""
    before, planned = texts(shelf_of(made)), plan(read_book(made / "novel"))
    whole = made.with_name("whole")
    shutil.copytree(made, whole)
    arrange(shelf_of(whole), planned)
    after = texts(shelf_of(whole))
    for at in range(200):
        root = made.with_name(f"trial{at}")
        shutil.copytree(made, root)
        killed = dying(lambda root=root: how(shelf_of(root), planned), at)  # type: ignore[misc]
        yield what_is_wrong(root, before, after, planned.told)
        shutil.rmtree(root)
        if not killed:
            return


def summaries(shelf: Shelf) -> int:
    """How many there are."""
    return len(list(shelf.folder.glob("notes/summaries/*.md")))


def test_a_kill_loses_no_word_of_summaries_that_become_one(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_summary(made / "novel", Summary(next(iter(TEXTS)), "Both of them.", "cd"))
    monkeypatch.setattr("test_arranging.KEPT", KEPT | {"Both", "them"})
    found = list(trials(made, PLANS["merge"]))
    assert len(found) > 10
    assert [wrong for wrong in found if wrong] == []
    assert summaries(shelf_of(made.with_name("whole"))) == 1


@pytest.mark.parametrize("name", PLANS)
def test_a_kill_before_any_change_leaves_all_of_it_or_none(made: Path, name: str) -> None:
    found = list(trials(made, PLANS[name]))
    assert len(found) > 10
    assert [wrong for wrong in found if wrong] == []


def backwards(shelf: Shelf, plan: Arrangement) -> None:
    """A planted mistake: what is removed goes first."""
    arrange(shelf, Arrangement(plan.steps[::-1], plan.carried))


def unwritten(shelf: Shelf, plan: Arrangement) -> None:
    """A planted mistake: the plan is not written down."""
    for step in plan.steps:
        arranging._take(shelf, step)


@pytest.mark.parametrize(
    ("name", "how", "said"),
    [
        ("merge", backwards, "gone from all files"),
        ("split", backwards, "gone from all files"),
        ("merge", unwritten, "in doubt"),
        ("rename", unwritten, "in doubt"),
    ],
)
def test_the_kills_find_a_planted_mistake(
    made: Path, name: str, how: Callable[[Shelf, Arrangement], None], said: str
) -> None:
    assert any(said in wrong for wrong in trials(made, PLANS[name], how))


@pytest.mark.parametrize("name", PLANS)
def test_a_start_that_is_killed_too_is_finished_by_the_next_one(made: Path, name: str) -> None:
    plan = PLANS[name](read_book(made / "novel"))
    atomic.write_new(made / "state" / arranging.RECORD, dumped(plan))
    whole = made.with_name("whole")
    shutil.copytree(made, whole)
    assert finish(shelf_of(whole)) == plan.told
    for at in range(200):
        root = made.with_name(f"trial{at}")
        shutil.copytree(made, root)
        killed = dying(lambda root=root: finish(shelf_of(root)), at)  # type: ignore[misc]
        assert what_is_wrong(root, [], texts(shelf_of(whole)), plan.told) == ""
        if not killed:
            return
    pytest.fail("it never came to its end")


# --- the record


def test_a_record_is_read_as_it_was_written(made: Path) -> None:
    for plan in (PLANS[name](read_book(made / "novel")) for name in PLANS):
        assert parsed(dumped(plan)) == plan


@pytest.mark.parametrize("data", [b"", b"x", b"00000000\n{}", b"\xff\xfe", dumped(Arrangement(()))[:-1]])
def test_a_damaged_record_is_put_aside_and_told(made: Path, data: bytes) -> None:
    shelf = shelf_of(made)
    shelf.record.write_bytes(data)
    (said,) = finish(shelf)
    assert "cannot be read" in said
    assert finish(shelf) == ()
    assert shelf.record.with_suffix(".kept").read_bytes() == data


def test_a_record_of_another_form_is_refused() -> None:
    body = json.dumps({"form": 2, "steps": [], "carried": []}).encode()
    with pytest.raises(ValueError, match="form"):
        parsed(b"%08x\n" % zlib.crc32(body) + body)


def test_a_step_that_leads_outside_changes_nothing_there(made: Path) -> None:
    shelf = shelf_of(made)
    outside = made / "outside.md"
    outside.write_text("Mine.")
    (shelf.folder / "chapters" / "04-link.md").symlink_to(outside)
    (shelf.folder / "away").symlink_to(made)
    with pytest.raises(WriterError):
        arrange(shelf, Arrangement((make("away/new.md", "x"),)))
    assert not (made / "new.md").exists()


def test_settings_that_are_no_toml_change_nothing(made: Path) -> None:
    with pytest.raises(settings_file.ConfigError, match="not valid TOML"):
        settings_file.SettingsText("chapters = [")
