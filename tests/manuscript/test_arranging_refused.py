"""Changes of chapters on a disk that refuses, and beside other programs that write: nothing is lost or overwritten."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from arranged import KEPT, PLANS, TEXTS, dying, shelf_of, texts, words_on_disk

from writer.errors import ChapterChangedOnDisk, SaveFailed, StateFull
from writer.manuscript.arrangement import Carried
from writer.manuscript.arranging import Shelf, arrange, finish
from writer.manuscript.book import read_book

ONE, TWO, THREE = TEXTS


def refused(patch: pytest.MonkeyPatch, at: int) -> list[str]:
    """Lets call number `at` find a full disk; the calls that were made."""
    calls: list[str] = []

    def refusing(name: str) -> Callable[..., object]:
        really = getattr(os, name)

        def call(*arguments: object, **named: object) -> object:
            calls.append(name)
            if len(calls) == at + 1:
                raise OSError(errno.ENOSPC, "No space left on device")
            return really(*arguments, **named)

        return call

    for name in ("link", "replace", "fsync"):
        patch.setattr(os, name, refusing(name))
    return calls


@pytest.mark.parametrize("name", PLANS)
def test_a_disk_that_refuses_any_call_leaves_all_of_it_or_none(
    made: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once if nothing was visible yet; else the next start does the rest."""
    refusals = 0
    before, plan = texts(shelf_of(made)), PLANS[name](read_book(made / "novel"))
    for at in range(60):
        root = made.with_name(f"trial{at}")
        shutil.copytree(made, root)
        shelf = shelf_of(root)
        with monkeypatch.context() as patch:
            calls = refused(patch, at)
            try:
                arrange(shelf, plan)
            except SaveFailed as error:
                refusals += 1
                nothing = "Nothing is changed" in error.sentence or "No earlier version" in error.sentence
                assert texts(shelf) == before or not nothing
        assert words_on_disk(shelf) >= KEPT
        assert finish(shelf) in ((), plan.told)
        assert len(set(read_book(shelf.folder).paths)) == len(texts(shelf)) in (2, 3, 4)
        assert words_on_disk(shelf) >= KEPT
        if len(calls) <= at:
            break
    assert refusals > 3


def test_a_state_that_cannot_follow_is_carried_along_at_the_next_start(made: Path) -> None:
    def full(carried: tuple[Carried, ...]) -> None:
        raise StateFull("The disk is full.")

    shelf = shelf_of(made)
    with pytest.raises(StateFull):
        arrange(Shelf(shelf.folder, shelf.state_dir, shelf.versions, full), PLANS["rename"](read_book(shelf.folder)))
    calls: list[tuple[Carried, ...]] = []
    assert finish(shelf_of(made, calls)) == ()
    assert [carried.new for carried in calls[0]] == [
        "chapters/02-the-lamp-is-out.md",
        "notes/summaries/02-the-lamp-is-out.md",
        "outline.md",
    ]


# --- other programs


def test_a_chapter_that_has_changed_since_the_plan_stops_it_before_anything_is_done(made: Path) -> None:
    shelf = shelf_of(made)
    plan = PLANS["merge"](read_book(shelf.folder))
    (shelf.folder / TWO).write_text("Other.")
    before = words_on_disk(shelf)
    with pytest.raises(ChapterChangedOnDisk, match="02-the-lamp"):
        arrange(shelf, plan)
    assert words_on_disk(shelf) == before
    assert finish(shelf) == ()


def test_a_name_that_is_taken_since_the_plan_stops_it(made: Path) -> None:
    shelf = shelf_of(made)
    plan = PLANS["split"](read_book(shelf.folder))
    (shelf.folder / plan.steps[0].path).write_text("Other.")
    with pytest.raises(ChapterChangedOnDisk, match="already a file"):
        arrange(shelf, plan)
    assert (shelf.folder / ONE).read_text() == TEXTS[ONE]


@pytest.mark.parametrize("name", ["rename", "split", "merge"])
@pytest.mark.parametrize("edited", [ONE, TWO, "writer.toml"])
def test_what_another_program_writes_between_a_kill_and_the_next_start_stays(
    made: Path, name: str, edited: str
) -> None:
    planned = PLANS[name](read_book(made / "novel"))
    for at in range(0, 100, 2):
        root = made.with_name(f"trial{at}")
        shutil.copytree(made, root)
        killed = dying(lambda root=root: arrange(shelf_of(root), planned), at)  # type: ignore[misc]
        shelf = shelf_of(root)
        file = shelf.folder / edited
        if not killed or not file.exists():
            break
        other = file.read_bytes() + b"\n# otherwise\n"
        file.write_bytes(other)
        said = finish(shelf)
        left = [path.read_bytes() for path in shelf.folder.rglob("*") if path.is_file()]
        assert words_on_disk(shelf) >= KEPT
        assert any(b"# otherwise\n" in data for data in left)
        assert not said or "No word is lost" in said[0]
        assert finish(shelf) == ()
