"""What `--json` prints is what docs/cli.md says: nothing is missing, nothing is more, and nothing is another type."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import fake_hub as hub
import pytest
from command_line import CommandLine
from json_shapes import PAGE, Misfit, Page, Row, page, read
from model_weights import whole_model

from writer.cli.main import whole
from writer.engine import home, keys_kept, tuning
from writer.manuscript.project import open_manuscript

pytest_plugins = ["hub_fixtures"]
TEXT = "The lamp was lit. " + "Mara came down to the water to see it. " * 30
BOOK = "BOOK"  # stands for the manuscript's folder
BEFORE: tuple[list[str], ...] = (
    ["chapters", "add", BOOK, "Two"],
    ["chapters", "goal", BOOK, "900"],
    ["recipes", "copy", BOOK],
)
COMMANDS: dict[str, list[str]] = {
    "draft": [BOOK, "--chapter", "1", "--max-tokens", "9", "--think"],
    "takes --write": ["2", BOOK, "--chapter", "1", "--max-tokens", "6"],
    "draft --all": [BOOK, "--max-tokens", "7"],
    "resume": [BOOK],
    "resume --all": [BOOK],
    "takes": [BOOK],
    "takes --show": ["TAKE", BOOK],
    "takes --choose": ["TAKE", BOOK],
    "rewrite": [BOOK, "--chapter", "1", "--from", "The lamp was lit.", "--kind", "shorten"],
    "recipes list": [BOOK],
    "recipes use": [BOOK, "brainstorm"],
    "plan": [BOOK],
    "plan --request": [BOOK],
    "summarise": [BOOK, "--chapter", "1"],
    "chapters list": [BOOK],
    "chapters list --days": [BOOK],
    "export": [BOOK, "--to", "txt", "--output", "book.txt"],
    "import": ["book.txt", "again"],
    "search": [BOOK, "lamp"],
    "search --replace": ["light", BOOK, "lamp"],
    "notes --new": ["Mara", "--kind", "character", BOOK],
    "notes": [BOOK],
    "notes --mentioned-in": ["1", BOOK],
    "status": [BOOK],
    "doctor": [],
    "engine start": [],
    "engine status": [],
    "engine stop": [],
    "engine sleep": [],
    "engine wake": [],
    "engine key set": ["https://lab.example"],
    "engine key forget": ["https://lab.example"],
    "engine tune": [],
    "engine forget-kv": [],
    "models list": [],
    "models suggest": ["--all"],
    "models add": [hub.HUB, "--yes"],
    "config show": [],
    "state check": [BOOK],
    "state export": [BOOK],
    "state backup": [BOOK],
}
"""In this order, in one home. TAKE stands for a take's id."""


@pytest.fixture
def book(cli: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fake_hub: hub.FakeHub) -> Path:
    """A manuscript with a text, a hub, a keyring, and an engine that can think and be freed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WRITER_SCRIPT", '{"think": 3, "can_sleep": true, "end_position": 900}')
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(tuning, "disk_speed", lambda folder: 1e9)
    monkeypatch.setattr(keys_kept, "require_keyring", lambda: None)
    monkeypatch.setattr(keys_kept, "keep", lambda name, key: None)
    monkeypatch.setattr(keys_kept, "forget", lambda name: True)
    monkeypatch.setattr(sys, "stdin", io.StringIO("quartz-4711\n"))
    folder = tmp_path / "book"
    assert cli("new", folder, "--title", "Salt").code == 0
    (chapter,) = open_manuscript(folder).chapters
    (folder / chapter.path).write_text(f"# {chapter.title}\n\n{TEXT}\n", encoding="utf-8")
    for words in BEFORE:
        assert cli(*(folder if word == BOOK else word for word in words)).code == 0
    whole_model(home.folder_of("org/other"), {"max_position_embeddings": 4096, "num_hidden_layers": 1})
    return folder


def documented() -> Page:
    return page(PAGE.read_text(encoding="utf-8"))


def objects(text: str) -> list[Any]:
    """JSON values one after the other, on as many lines as they like."""
    found, at = [], 0
    while at < len(text.rstrip()):
        value, at = json.JSONDecoder().raw_decode(text, at + len(text[at:]) - len(text[at:].lstrip()))
        found.append(value)
    return found


def printed(cli: CommandLine, row: Row, folder: Path, takes: list[str]) -> list[Any]:
    """What the row's command prints."""
    name = row.command.removeprefix("writer ")
    stand_ins = {BOOK: str(folder), "TAKE": takes[0] if takes else ""}
    ran = cli(*name.split(), *(stand_ins.get(word, word) for word in COMMANDS[name]), "--json")
    assert ran.code == 0 or name == "doctor", (name, ran)
    return [json.loads(line) for line in ran.out.splitlines()]


def test_every_command_prints_what_the_page_says(cli: CommandLine, book: Path) -> None:
    told = documented()
    rows = {row.command.removeprefix("writer "): row for row in told.rows}
    takes: list[str] = []
    for name in COMMANDS:
        found = printed(cli, rows[name], book, takes)
        assert found, name
        assert rows[name].lines or len(found) == 1, name
        for each in found:
            told.check(rows[name].shape, each, name)
        if name == "takes":
            takes += [each["generation"] for each in found[0]["takes"] if each["role"] == "take"]
    fields = {f"{name}.{field}" for name, shape in told.named.items() for field in getattr(shape, "fields", ())}
    assert (set(told.named) | fields) - told.seen == set()


def json_commands() -> Iterator[str]:
    waiting: list[tuple[str, click.Command]] = [("writer", whole())]
    while waiting:
        name, command = waiting.pop()
        if isinstance(command, click.Group):
            waiting += [(f"{name} {part}", inner) for part, inner in command.commands.items() if not inner.hidden]
        elif any("--json" in each.opts for each in command.params):
            yield name


def test_every_command_with_json_is_in_the_table_and_is_tried() -> None:
    rows = [row.command for row in documented().rows]
    assert {re.sub(" --.*", "", row) for row in rows} == set(json_commands())
    assert sorted(rows) == sorted(f"writer {name}" for name in COMMANDS)


def test_the_examples_of_the_page_are_what_the_tables_say() -> None:
    told = documented()
    count = 0
    for section in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        named = tuple(re.findall(r"`(writer [a-z -]*[a-z])", section.splitlines()[0]))
        shapes = [row.shape for row in told.rows if row.command.startswith(named)]
        for block in re.findall(r"^```json\n(.*?)^```", section, flags=re.MULTILINE | re.DOTALL):
            for value in objects(block):
                assert any(fits(told, shape, value) for shape in shapes), value
                count += 1
    assert count > 10


def fits(told: Page, shape: Any, value: Any) -> bool:
    try:
        told.check(shape, value)
    except Misfit:
        return False
    return True


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"a": 1}, ""),
        ({"a": None, "b": [{"x": "one"}, {"x": "two"}]}, ""),
        ({}, "lacks a"),
        ({"a": True}, "no integer"),
        ({"a": "1"}, "no null"),
        ({"a": 1, "c": 2}, "has c, which the page does not name"),
        ({"a": 1, "b": [{"x": "three"}]}, 'not "two"'),
        ({"a": 1, "b": [{}]}, "it.b[0] lacks x"),
        ({"a": 1, "b": {}}, "no list"),
        ([], "no object"),
    ],
)
def test_a_value_that_differs_is_caught(value: Any, said: str) -> None:
    told = Page([], {"Inner": read('{x: "one" or "two"}')})
    shape = read("{a: integer or null, b?: [Inner]}")
    if said:
        with pytest.raises(Misfit, match=re.escape(said)):
            told.check(shape, value)
    else:
        told.check(shape, value)


@pytest.mark.parametrize("written", ["{a: integer", "[string", "{a integer}", "{a: string,}", "string number", "{}"])
def test_a_shape_that_cannot_be_read_is_caught(written: str) -> None:
    with pytest.raises(Misfit):
        read(written)


def test_a_field_that_a_command_grew_or_lost_is_caught(cli: CommandLine, book: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    changes: list[Callable[[str], str]] = [
        lambda page: page.replace("resumable: [string]}", "resumable: [string], more: string}"),
        lambda page: page.replace(", resumable: [string]}", "}"),
        lambda page: page.replace("resumable: [string]}", "resumable: [integer]}"),
    ]
    assert cli("draft", book, "--max-tokens", "5").code == 0
    for change in changes:
        told = page(change(text))
        (row,) = [row for row in told.rows if row.command == "writer status"]
        (value,) = printed(cli, row, book, [])
        with pytest.raises(Misfit):
            told.check(row.shape, value)
