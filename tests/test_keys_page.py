"""docs/keys.md lists every key of every screen, in the table of that screen, and every command of the palette."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.app import App
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Button, Input, OptionList

from writer.tui.editor.keys import MOVES, shifted
from writer.tui.screens.help import KEYS
from writer.tui.screens.manuscript import ManuscriptScreen

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "keys.md").read_text(encoding="utf-8")
COMMANDS = "All commands"
MAIN = ("Writing", "In the text", "The book", "Takes", "The prompt", "Rewriting")
TABLES = {
    "WriterApp": MAIN,
    "ManuscriptScreen": MAIN,
    "Editor": MAIN,
    "FindBar": ("In the find bar",),
    "Toggle": ("In the find bar",),
    "Line": ("In the find bar",),
    "Choice": ("Cards and questions",),
    "Ask": ("Cards and questions",),
    "AskTakes": ("Cards and questions",),
    "Help": ("Cards and questions",),
    "ChaptersSheet": ("In the list of chapters",),
    "NotesSheet": ("In the notes",),
    "SearchSheet": ("In the search of the book",),
    "DaysSheet": ("In the words of each day",),
    "ModelsSheet": ("In the list of models",),
    "ExportSheet": ("On the sheet of the export",),
    "Guide": ("In the first steps",),
    "ThoughtSheet": ("Over the thought of a model",),
    "PlaceSheet": ("Where a place in a take is chosen",),
    "ReadingSheet": ("In the reading view",),
    "TakesSheet": ("On the sheet of takes",),
    "ProgressSheet": ("On the sheet *Write chapters*",),
    "Inspector": ("In the inspector",),
    "InspectorSheet": ("In the inspector",),
    "RequestSheet": ("Over the text that is sent next",),
    "SamplingSheet": ("On the sampling sheet",),
    "RewriteMenu": ("In the menu",),
    "RewriteCard": ("On the card with the rewriting",),
    "WordsSheet": ("In the list of other words",),
    "Palette": (),  # Textual's own keys
}
"""The tables in which the keys of a class that is shown stand, by what is written above them."""


def tables() -> dict[str, list[list[str]]]:
    """The cells of each table, by the line above it."""
    found: dict[str, list[list[str]]] = {}
    above = ""
    for line in PAGE.splitlines():
        if line.startswith("|"):
            found.setdefault(above, []).append([cell.strip() for cell in line.strip("|").split("|")])
        elif line.strip():
            above = COMMANDS if COMMANDS in line or above == COMMANDS else line.strip("# :")
    return {above: rows[2:] for above, rows in found.items()}


def listed(above: str) -> set[str]:
    return {key for row in tables()[above] for key in re.findall(r"`([^`]+)`", row[0])}


def classes() -> dict[str, type]:
    """Every class of ours on the screen that has keys of its own, or is a screen."""
    found = {}
    for path in sorted((ROOT / "writer" / "tui").rglob("*.py")):
        if not path.stem.startswith("__"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            for value in vars(importlib.import_module(name)).values():
                if isinstance(value, type) and value.__module__ == name and issubclass(value, (App, Widget)):
                    found[value.__name__] = value
    return {name: each for name, each in found.items() if "BINDINGS" in vars(each) or issubclass(each, Screen)}


def keys(shown: type, room: str = "writer.") -> set[str]:
    """What the class and all that it is made of in that room bind."""
    return {key for each in shown.__mro__ if each.__module__.startswith(room) for key in _keys(vars(each))}


def _keys(fields: object) -> Iterator[str]:
    for bound in dict(fields).get("BINDINGS", ()):  # type: ignore[call-overload]
        yield from (bound[0] if isinstance(bound, tuple) else bound.key).split(",")


def test_every_screen_has_its_table() -> None:
    known = classes()
    assert set(TABLES) <= set(known)
    shown = {known[name] for name in TABLES}
    parts = {part for each in shown for part in each.__mro__}
    new = [each for each in known.values() if each not in parts]
    unlisted = [each.__name__ for each in new if "BINDINGS" in vars(each) or not shown & set(each.__mro__)]
    assert unlisted == [], "say in TABLES where their keys are listed"


@pytest.mark.parametrize("name", TABLES)
def test_every_key_stands_in_the_table_of_its_screen(name: str) -> None:
    told = {key for above in TABLES[name] for key in listed(above)}
    selecting = set(map(shifted, MOVES)) if "shift" in told else set()
    assert keys(classes()[name]) - told - selecting == set()


@pytest.mark.parametrize("above", [above for above in tables() if above != COMMANDS])
def test_no_key_is_listed_that_does_nothing_there(above: str) -> None:
    bound = {key for name, where in TABLES.items() if above in where for key in keys(classes()[name])}
    usual = {key for widget in (App, Screen, OptionList, Input, Button) for key in keys(widget, "textual.")}
    assert bound
    assert listed(above) - bound - usual - {"shift", "ctrl+p"} == set()


# --- the palette


def commands() -> Iterator[tuple[str, str, str]]:
    """Name, help and call of every command, as they stand in the program."""
    for path in sorted((ROOT / "writer" / "tui").rglob("*.py")):
        for work in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(work, ast.FunctionDef) and work.returns and ast.unparse(work.returns) == "Iterator[Command]":
                yield from _offered(work)


def _offered(work: ast.FunctionDef) -> Iterator[tuple[str, str, str]]:
    for each in ast.walk(work):
        if isinstance(each, ast.Yield) and isinstance(each.value, ast.Tuple):
            name, said, call = each.value.elts
            if _literal(name) and _literal(said):
                yield _literal(name), _literal(said), ast.unparse(call)


def _literal(node: ast.expr) -> str:
    """The sentence in `say("…")`; "" if it is made of others."""
    said = isinstance(node, ast.Call) and ast.unparse(node.func) == "say" and len(node.args + node.keywords) == 1
    return ast.literal_eval(node.args[0]) if said else ""  # type: ignore[attr-defined]


def test_every_command_of_the_palette_is_listed_with_what_it_says() -> None:
    """Those that a loop makes are looked for in the running app: tests/tui/test_palette_titles.py."""
    rows = {(row[0], row[1]) for row in tables()[COMMANDS]}
    offered = {(name, said) for name, said, _ in commands()}
    assert len(offered) > 40
    assert offered - rows == set()


def test_the_keys_of_commands_are_keys_of_the_main_screen() -> None:
    known = classes()
    bound = keys(ManuscriptScreen) | keys(known["WriterApp"]) | keys(known["Editor"])
    assert {key for row in tables()[COMMANDS] for key in re.findall(r"`([^`]+)`", row[2])} - bound == set()


def test_what_a_key_of_the_main_screen_does_is_in_the_palette_too() -> None:
    calls = " ".join(call for _, _, call in commands())
    bound = [each for part in ManuscriptScreen.__mro__ for each in vars(part).get("BINDINGS", ()) if _ours(part)]
    actions = {re.split(r"\W", each.action)[0] for each in bound}
    assert {"draft", "takes", "rewrite", "inspect", "chapters", "find_next"} <= actions
    named = {action for action in actions if re.search(rf"action_{action}\b|run_action\('{action}\b", calls)}
    assert actions - named == {"pause_writing"}, "that one is Pause everything"
    assert "action_pause_all" in calls


def _ours(part: type) -> bool:
    return part.__module__.startswith("writer.")


def test_the_help_tells_every_key_of_the_main_screen_and_the_page_tells_the_same() -> None:
    told = {key for each, _ in KEYS for key in each.split()}
    assert keys(ManuscriptScreen) - told == set()
    assert told - {key for above in MAIN for key in listed(above)} == set()
