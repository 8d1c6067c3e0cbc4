"""The key map: what may be set, conflicts named, and one table for what the app binds."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from textual.binding import Binding

from writer.config import load
from writer.errors import ConfigError
from writer.key_names import TAKEN, KeySettings, key_map, wrong_key
from writer.tui.app import WriterApp
from writer.tui.editor.widget import Editor
from writer.tui.keys_shown import shown
from writer.tui.screens.manuscript import ManuscriptScreen


def bindings(*classes: type) -> list[Binding]:
    """All bindings that these classes and their parents of ours declare."""
    return [
        binding
        for kind in classes
        for base in kind.__mro__
        if base.__module__.startswith("writer.")
        for binding in base.__dict__.get("BINDINGS", ())
    ]


def test_every_key_of_the_main_screen_can_be_changed_and_is_the_usual_one_in_the_table() -> None:
    bound = {b.id: b.key for b in bindings(ManuscriptScreen, WriterApp) if b.key not in ("escape", "ctrl+p")}
    assert bound == {each.name: each.default for each in fields(KeySettings)}


def test_keys_of_the_text_cannot_be_given_away() -> None:
    fixed = [binding for binding in bindings(Editor) if not binding.id]
    chorded = {key for b in fixed for key in b.key.split(",") if key.startswith(("ctrl+", "alt+"))}
    letters = {key for key in chorded if len(key.split("+")[-1]) == 1 or key.endswith(("delete", "backspace"))}
    assert letters <= set(TAKEN)


def test_a_key_that_the_editor_has_too_is_changed_there_as_well() -> None:
    usual = {each.default: each.name for each in fields(KeySettings)}
    shared = {b.key: b.id for b in bindings(Editor) if b.key in usual}
    assert shared == {key: usual[key] for key in shared} != {}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (
            'takes = "ctrl+g"',
            '"takes" in [keys] cannot be "ctrl+g", which is the key of "write". Give that one another',
        ),
        ('takes = "f11"\nwrite = "f11"', 'cannot be "f11", which is the key of'),
        ('save = "ctrl+c"', 'cannot be "ctrl+c", which is for selecting and copying'),
        ('save = "ctrl+j"', 'cannot be "ctrl+j", which is Tab, Enter or Backspace to a terminal'),
        ('save = "s"', "must be one key that is no letter of the text"),
        ('save = ""', "must be one key that is no letter of the text"),
        ('sawe = "f11"', 'Did you mean "save"?'),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, table: str, said: str) -> None:
    (tmp_path / "config.toml").write_text(f"[keys]\n{table}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load(tmp_path / "config.toml", None, {})
    assert said in caught.value.sentence
    assert "config.toml, line " in caught.value.sentence


def test_two_keys_may_change_places() -> None:
    swapped = KeySettings(write="f2", instruct="ctrl+g")
    assert wrong_key(swapped) == ("", "")
    assert key_map(swapped) == {"write": "f2", "instruct": "ctrl+g"}


def test_a_manuscript_may_not_change_keys(tmp_path: Path) -> None:
    (tmp_path / "writer.toml").write_text('[settings.keys]\nsave = "f11"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="a manuscript may not change your keys"):
        load(tmp_path / "config.toml", tmp_path / "writer.toml", {})


def test_sentences_name_the_keys_of_now() -> None:
    changed = {"write": "alt+w", "find_next": "f11"}
    assert shown("Press Ctrl+G, F3 or shift+f3; Ctrl+Z undoes.", changed) == (
        "Press Alt+W, F11 or shift+f3; Ctrl+Z undoes."
    )
    assert shown("ctrl+g  f3", changed) == "alt+w  f11"
    assert shown("F12, F30, xF3, Ctrl+Gx", changed) == "F12, F30, xF3, Ctrl+Gx"
