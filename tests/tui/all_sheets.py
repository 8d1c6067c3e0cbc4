"""Every screen over the text, by name, with something on it: to be looked at in any size, and to be tried by mouse."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from a_plan import plan
from desktop import Desktop, offer, rested
from test_models_sheet import FakeModels
from textual.command import CommandPalette
from textual.screen import Screen

from writer.engine.base import Alternative, EngineStatus
from writer.generation.model import State
from writer.manuscript.legacy import LegacyText
from writer.runtime.events import PromptShown, TakesListed, ThoughtFound
from writer.runtime.takes import Take
from writer.tui.book.chapters_sheet import ChaptersSheet
from writer.tui.book.days_sheet import DaysSheet
from writer.tui.book.export_sheet import ExportSheet
from writer.tui.book.notes_sheet import NotesSheet
from writer.tui.book.reading_sheet import ReadingSheet
from writer.tui.book.search_sheet import SearchSheet
from writer.tui.models.entry import Shop
from writer.tui.models.sheet import ModelsSheet
from writer.tui.prompt.inspector import Inspector, InspectorSheet
from writer.tui.prompt.request_sheet import RequestSheet
from writer.tui.prompt.sampling_sheet import SamplingSheet
from writer.tui.rewriting.answers import Answer, Answers, Wish
from writer.tui.rewriting.card import RewriteCard
from writer.tui.rewriting.menu import RewriteMenu
from writer.tui.rewriting.words_sheet import WordsSheet
from writer.tui.screens.ask import Ask
from writer.tui.screens.choice import Choice
from writer.tui.screens.convert import ConvertCard
from writer.tui.screens.help import Help
from writer.tui.screens.resume import ResumeCard
from writer.tui.screens.thought_sheet import ThoughtSheet
from writer.tui.takes.asking import AskTakes
from writer.tui.takes.place_sheet import PlaceSheet
from writer.tui.takes.progress_sheet import ProgressSheet
from writer.tui.takes.takes_sheet import TakesSheet
from writer.tui.welcome.guide import Guide

PROSE = "The harbour lay still, and the lamp at its end went round. Nobody had seen the keeper since Sunday. " * 6
NOW = 1_000_000.0


def _takes(desktop: Desktop) -> Screen[Any]:
    main, chapter = desktop.screen, desktop.page.chapter
    made = [
        Take(f"t{n}", chapter.path, "take", State.FINISHED, "stop", "", 0, 0, (0, 0), "a storm", n, 120, 90, PROSE)
        for n in range(3)
    ]
    main.board.heard(TakesListed(chapter.path, tuple(made)), NOW)
    return TakesSheet(main, chapter.path, chapter.title)


def _card(desktop: Desktop) -> Screen[Any]:
    answers = Answers("c", Wish("Shorten"))
    answers.add(Answer("t", PROSE, 0, len(PROSE), raw="The harbour lay still."))
    return RewriteCard(answers, lambda what: desktop.app.screen.dismiss() and None)


def _menu(desktop: Desktop) -> Screen[Any]:
    return RewriteMenu(PROSE, lambda: PROSE)


def _models(desktop: Desktop) -> Screen[Any]:
    models = FakeModels()
    return ModelsSheet(desktop.screen, models, Shop(desktop.screen, models))


def _guide(desktop: Desktop) -> Screen[Any]:
    main = desktop.screen
    return Guide(main, main.manuscript.folder, Shop(main, FakeModels()), lambda: [])


def _resume(desktop: Desktop) -> Screen[Any]:
    note = "The engine stopped while it wrote. All that was written is here."
    fact = replace(offer(desktop.screen.manuscript), note=note, stopped_at=NOW)
    return ResumeCard(fact, "The Lighthouse", NOW, EngineStatus("starting", sentence="loading…"), 2)


SHEETS: dict[str, Callable[[Desktop], Screen[Any]]] = {
    "ask": lambda desktop: Ask("What should happen next? (optional)", "Enter writes on; Escape goes back."),
    "ask for takes": lambda desktop: AskTakes("at the end of this chapter", "The model is small, so takes are alike."),
    "chapters": lambda desktop: ChaptersSheet(desktop.screen),
    "choice": lambda desktop: Choice(
        ["Erase Qwen/Qwen3-8B, 16.4 GB?", "It is the one in use: afterwards the small model writes."],
        (("back", "Back"), ("erase", "Erase it from this machine"), ("other", "Write with another model")),
    ),
    "convert": lambda desktop: ConvertCard("The Lighthouse", LegacyText("x", "latin-1", "Windows-1252", "", True)),
    "days": lambda desktop: DaysSheet(desktop.screen),
    "export": lambda desktop: ExportSheet(desktop.screen),
    "first steps": _guide,
    "help": lambda desktop: Help(str(desktop.screen.manuscript.folder)),
    "inspector": lambda desktop: InspectorSheet(Inspector(alone=True), desktop.screen),
    "models": _models,
    "notes": lambda desktop: NotesSheet(desktop.screen),
    "other words": lambda desktop: WordsSheet("lamp", [Alternative((n,), f" word{n}", 0.3 / n) for n in range(1, 11)]),
    "palette": lambda desktop: CommandPalette(id="--command-palette"),
    "place in a take": lambda desktop: PlaceSheet(PROSE),
    "reading": lambda desktop: ReadingSheet(desktop.screen),
    "request": lambda desktop: RequestSheet("Request", PROSE, "", desktop.screen.editing),
    "resume": _resume,
    "rewriting": _card,
    "rewriting menu": _menu,
    "sampling": lambda desktop: SamplingSheet(desktop.screen.manuscript, None, lambda settings: None),
    "search": lambda desktop: SearchSheet(desktop.screen, "rain"),
    "takes": _takes,
    "thought": lambda desktop: ThoughtSheet(desktop.desk, desktop.page.chapter.path),
    "write chapters": lambda desktop: ProgressSheet(desktop.screen),
}


async def show(desktop: Desktop, name: str) -> Screen[Any]:
    """That sheet on top of the main screen, with all it has to show."""
    screen = SHEETS[name](desktop)
    await desktop.app.push_screen(screen)
    if isinstance(screen, ThoughtSheet):
        screen.show(ThoughtFound(desktop.page.chapter.path, "g", PROSE, 90, 90, created=time.time()))
    if isinstance(screen, InspectorSheet):
        screen.inspector.show(PromptShown("c", plan(), "x", 1), "", "")
    await rested(desktop.app)
    await desktop.pilot.pause()
    return screen


def rows(desktop: Desktop) -> list[str]:
    """What stands on the terminal."""
    return [strip.text.rstrip() for strip in desktop.app.screen._compositor.render_strips()]
