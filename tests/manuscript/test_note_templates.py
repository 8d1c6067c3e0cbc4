"""New notes: whatever they are called, they can be read, are found by their names, and take no other file's place."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from writer.errors import ManuscriptError
from writer.manuscript.note_templates import TEMPLATES, make_outline, new_note
from writer.manuscript.notes import read_notes
from writer.text.sanitise import one_line


@pytest.mark.parametrize("kind", sorted(TEMPLATES))
def test_a_new_note_is_of_its_kind(tmp_path: Path, kind: str) -> None:
    path = new_note(tmp_path, kind, "Mara Holm")
    (note,), sentences = read_notes(tmp_path)
    assert sentences == ()
    assert (note.path, note.title, note.kind, note.keys) == (path, "Mara Holm", kind, ("Mara Holm",))
    assert new_note(tmp_path, kind, "Mara Holm") != path


@given(st.text(max_size=30))
@example('"Mara"')
@example("- Mara")
@example("yes")
@example("123")
@example("[a, b]")
@example("Mara AND")
@example("NOT Mara")
@example("/a(/")
@example("# a")
@example("a: b")
@example('It\'s "so"')
@example("1e5 000 000 000 000")
@example("x" * 300)
def test_any_name_gives_a_note_that_can_be_read(title: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            new_note(folder, "character", title)
        except ManuscriptError:
            return
        (note,), sentences = read_notes(folder)
        assert sentences == ()
        assert note.title.replace("”", '"') == one_line(title, 200).replace("”", '"')


def test_a_name_without_letters_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ManuscriptError, match="letter or a digit"):
        new_note(tmp_path, "note", "?!")


def test_an_outline_is_made_once(tmp_path: Path) -> None:
    make_outline(tmp_path)
    (tmp_path / "outline.md").write_text("## A")
    make_outline(tmp_path)
    assert (tmp_path / "outline.md").read_text() == "## A"
