"""A second window: its card, and the app that only reads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from conditions import wait_until
from desktop import make_novel
from textual.pilot import Pilot
from textual.widgets import Label

from writer import locations
from writer.config import InterfaceSettings
from writer.errors import ManuscriptLocked
from writer.manuscript.lock import ManuscriptLock
from writer.manuscript.project import open_manuscript
from writer.runtime.events import ChapterMerged, DeskOpened, Event, GenerationFailed, SaveRefused
from writer.runtime.orders import DraftOrder, SaveOrder
from writer.runtime.reading import ReadingDesk
from writer.tui import __main__ as app_process
from writer.tui.gatekeeping import entry
from writer.tui.gatekeeping.gate import QUIT, READ, TAKE, Gate
from writer.tui.gatekeeping.reading import ReadingApp
from writer.tui.widgets.status import StatusLine

SENTENCE = "This manuscript is open in another window (process 7)."


async def until(pilot: Pilot[object], condition: Callable[[], object]) -> None:
    for _ in range(1000):
        if condition():
            return
        await pilot.pause(0.01)
    raise AssertionError("never came to be")


def lines(gate: Gate) -> str:
    return " ".join(str(label.content) for label in gate.screen.query(Label))


@pytest.mark.parametrize(
    ("keys", "answer"), [(["enter"], READ), (["right", "right", "enter"], QUIT), (["escape"], QUIT)]
)
async def test_the_card_says_who_writes_and_takes_an_answer(keys: list[str], answer: str) -> None:
    gate = Gate(SENTENCE, lambda: pytest.fail("nobody asked for that"))
    async with gate.run_test() as pilot:
        await until(pilot, lambda: "process 7" in lines(gate))
        await pilot.press(*keys)
    assert gate.return_value == answer


async def test_a_screen_reader_is_told_the_choices_by_key() -> None:
    gate = Gate(SENTENCE, lambda: pytest.fail("nobody asked for that"))
    gate.present(InterfaceSettings(screen_reader=True))
    async with gate.run_test() as pilot:
        await until(pilot, lambda: "process 7" in lines(gate))
        told = "Press 1 or Enter for “Read only”. Press 2 for “Take over”. Press 3 for “Quit”. Escape quits."
        assert told in lines(gate)
        await pilot.press("9", "3")
    assert gate.return_value == QUIT


async def test_numbers_are_no_keys_for_who_is_not_told_of_them() -> None:
    gate = Gate(SENTENCE, lambda: pytest.fail("nobody asked for that"))
    async with gate.run_test() as pilot:
        await until(pilot, lambda: "process 7" in lines(gate))
        assert "Press" not in lines(gate)
        await pilot.press("3", "enter")
    assert gate.return_value == READ


def test_the_card_is_as_the_settings_want_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    novel, presented = make_novel(tmp_path), list[bool]()
    monkeypatch.setattr(Gate, "run", lambda self: presented.append(self.calm.reader) or QUIT)
    for asked in ("0", "1"):
        monkeypatch.setenv("WRITER_SCREEN_READER", asked)
        entry.knock(novel.folder, ManuscriptLocked(SENTENCE), lambda folder: pytest.fail("not asked for"))
    with novel.settings_file.open("a", encoding="utf-8") as file:
        file.write("\n[settings.keys]\nsave = 'f11'\n")  # refused, which opening it tells
    entry.knock(novel.folder, ManuscriptLocked(SENTENCE), lambda folder: pytest.fail("not asked for"))
    assert presented == [False, True, False]


async def test_taking_over_waits_until_the_other_has_let_go() -> None:
    free = threading.Event()
    gate = Gate(SENTENCE, lambda: None if free.wait(20) else pytest.fail("never freed"))
    async with gate.run_test() as pilot:
        await until(pilot, lambda: "process 7" in lines(gate))
        await pilot.press("right", "enter")
        await until(pilot, lambda: "saves what it has" in lines(gate))
        assert gate.return_value is None
        free.set()
        await until(pilot, lambda: gate.return_value is not None)
    assert gate.return_value == TAKE


async def test_a_window_that_does_not_let_go_is_told_and_asked_about_again() -> None:
    def refuse() -> None:
        raise ManuscriptLocked("The other window does not answer.")

    gate = Gate(SENTENCE, refuse)
    async with gate.run_test() as pilot:
        await until(pilot, lambda: "process 7" in lines(gate))
        await pilot.press("right", "enter")
        await until(pilot, lambda: "does not answer" in lines(gate))
        await pilot.press("enter")
    assert gate.return_value == READ


def test_what_was_chosen_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    novel = make_novel(tmp_path)
    answers = iter([READ, QUIT, TAKE])
    monkeypatch.setattr(Gate, "run", lambda self: next(answers))
    refused = ManuscriptLocked(SENTENCE)

    def refuse(folder: Path) -> entry.Opened:
        raise refused

    opened = entry.knock(novel.folder, refused, refuse)
    assert opened is not None
    assert isinstance(opened[1], ReadingDesk)
    assert entry.knock(novel.folder, refused, refuse) is None
    assert entry.knock(novel.folder, refused, lambda folder: opened) is opened


def test_a_third_window_that_was_faster_brings_the_card_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    novel = make_novel(tmp_path)
    answers, shown = iter([TAKE, QUIT]), []

    def run(self: Gate) -> str:
        shown.append(self._sentence)
        return next(answers)

    def refuse(folder: Path) -> entry.Opened:
        raise ManuscriptLocked("a third one")

    monkeypatch.setattr(Gate, "run", run)
    assert entry.knock(novel.folder, ManuscriptLocked(SENTENCE), refuse) is None
    assert shown == [SENTENCE, "a third one"]


def test_the_apps_process_shows_the_card_and_leaves_quietly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    novel = make_novel(tmp_path)
    lock = ManuscriptLock.take(locations.state_dir(novel.id))
    monkeypatch.setattr(Gate, "run", lambda self: QUIT)
    assert app_process.main([str(novel.folder)]) == 0
    lock.release()


# --- the desk that only reads, and the app over it


def test_a_desk_that_only_reads_follows_what_is_saved_and_refuses_the_rest(tmp_path: Path) -> None:
    novel = make_novel(tmp_path)
    path = novel.chapters[0].path
    events: list[Event] = []
    desk = ReadingDesk(novel.folder)
    desk.start(events.append)
    wait_until(lambda: any(isinstance(e, DeskOpened) for e in events))
    from writer.manuscript.chapter_file import ChapterFile

    file = ChapterFile(novel.folder / path)
    loaded = file.read()
    desk.opened(path, loaded)
    loaded = file.save(loaded.text + "\n\nMore.", loaded)
    wait_until(lambda: sum(isinstance(e, ChapterMerged) for e in events) == 1)
    file.save(loaded.text.replace("rained", "snowed"), loaded)
    desk.look()
    wait_until(lambda: sum(isinstance(e, ChapterMerged) for e in events) == 2)
    first, second = (e for e in events if isinstance(e, ChapterMerged))
    assert (first.onto, first.number, second.onto, second.number) == (0, 1, 1, 2)
    assert first.text == second.base == loaded.text
    assert second.text == file.read().text
    (novel.folder / path).unlink()
    desk.look()
    desk.draft(DraftOrder(path, "x"))
    desk.save(SaveOrder(path, "x", 3))
    wait_until(lambda: any(isinstance(e, SaveRefused) and e.serial == 3 for e in events))
    assert [e.generation for e in events if isinstance(e, GenerationFailed)] == [""]
    assert not (novel.folder / path).exists()
    desk.close().result(5)
    ManuscriptLock.take(locations.state_dir(open_manuscript(novel.folder).id)).release()  # it holds none


async def test_an_app_that_only_reads_cannot_be_typed_in(tmp_path: Path) -> None:
    novel = make_novel(tmp_path)
    before = (novel.folder / novel.chapters[0].path).read_bytes()
    app = ReadingApp(novel, ReadingDesk(novel.folder))
    async with app.run_test() as pilot:
        await pilot.press("x")
        await until(pilot, lambda: app.main.page is not None)
        page = app.main.page
        assert page is not None
        await pilot.press("y", "z", "backspace", "ctrl+s", "ctrl+g", "ctrl+n")
        await until(pilot, lambda: "Only reading" in app.main.query_one(StatusLine).line)
        assert page.editor.text.encode() == before
        assert page.editor.read_only
        assert not page.dirty
        await pilot.press("ctrl+q")
        await until(pilot, lambda: not app.is_running)
    assert (novel.folder / novel.chapters[0].path).read_bytes() == before
