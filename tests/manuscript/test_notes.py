"""Notes: read from their folder, one bad file beside good ones, and found where a text mentions them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from writer.manuscript import material, notes
from writer.manuscript.notes import Note, mentioned, read_notes


def lay(folder: Path, **files: str) -> Path:
    """Writes notes; "characters__mara" is notes/characters/mara.md."""
    for name, text in files.items():
        path = folder / "notes" / (name.replace("__", "/") + ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def a_note(title: str, text: str = "", *, keys: tuple[str, ...] = (), always: bool = False, priority: int = 50) -> Note:
    return Note(f"notes/{title}.md", title, "note", keys or (title,), always, priority, text)


def titles(found: tuple[Note, ...]) -> list[str]:
    return [note.title for note in found]


def test_a_note_without_a_head_is_known_by_its_place(tmp_path: Path) -> None:
    lay(tmp_path, characters__mara="# Mara Holm\n\nLimps.", places__the_harbour="Fog.", style="Short sentences.")
    found, sentences = read_notes(tmp_path)
    assert sentences == ()
    assert [(note.path, note.title, note.kind, note.keys, note.always) for note in found] == [
        ("notes/characters/mara.md", "Mara Holm", "character", ("Mara Holm",), False),
        ("notes/places/the_harbour.md", "The harbour", "place", ("The harbour",), False),
        ("notes/style.md", "Style", "style", ("Style",), True),
    ]


def test_a_title_that_is_no_key_leaves_the_note_unmentioned(tmp_path: Path) -> None:
    lay(tmp_path, a="# Mara AND\n", b="# /(/\n", c="# War AND Peace\n")
    found, sentences = read_notes(tmp_path)
    assert ([note.keys for note in found], sentences) == ([(), (), ("War AND Peace",)], ())


def test_the_head_says_more(tmp_path: Path) -> None:
    lay(
        tmp_path,
        lamp="---\ntitle: The lamp\nkind: thread\nkeys: lamp, /lit|light/\nalways: yes\npriority: 9\n---\nLit.",
    )
    (note,), _ = read_notes(tmp_path)
    assert note == Note("notes/lamp.md", "The lamp", "thread", ("lamp", "/lit|light/"), True, 9, "Lit.")


@pytest.mark.parametrize(
    "text",
    [
        "---\ncolour: red\n---\n",
        "---\nkind: villain\n---\n",
        "---\nkeys: /(/\n---\n",
        "---\nkeys: " + ", ".join("abcdefgh" * 8) + "\n---\n",
        "---\nalways: maybe\n---\n",
        "---\nno head",
    ],
)
def test_one_bad_note_is_told_and_the_others_are_read(tmp_path: Path, text: str) -> None:
    lay(tmp_path, bad=text if text != "---\nno head" else "---\ntitle: x\n", good="Fine.")
    found, (sentence,) = read_notes(tmp_path)
    assert titles(found) == ["Good"]
    assert sentence.startswith("notes/bad.md")


def test_hostile_files_do_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "MOST_BYTES", 1000)
    secret = tmp_path / "secret.md"
    secret.write_text("secret")
    folder = lay(tmp_path / "novel", good="Fine.", large="x" * 1001)
    (folder / "notes" / "bytes.md").write_bytes(b"\xff\xfe\x00")
    (folder / "notes" / "link.md").symlink_to(secret)
    (folder / "notes" / "away").symlink_to(tmp_path)
    (folder / "notes" / "circle").symlink_to(folder / "notes")
    (folder / "notes" / "gone.md").symlink_to(folder / "nothing.md")
    (folder / "notes" / "na\x1b[31mme.md").write_text("x")
    (folder / "notes" / ".hidden.md").write_text("x")
    (folder / "notes" / "folder.md").mkdir()
    os.mkfifo(folder / "notes" / "pipe.md")
    found, sentences = read_notes(folder)
    assert titles(found) == ["Good"]
    assert len(sentences) == 6
    assert not any("\x1b" in sentence or sentence == "secret" for sentence in sentences)


def test_a_notes_folder_that_leads_outside_is_not_read(tmp_path: Path) -> None:
    lay(tmp_path / "other", secret="Secret.")
    (tmp_path / "novel").mkdir()
    (tmp_path / "novel" / "notes").symlink_to(tmp_path / "other" / "notes")
    found, (sentence,) = read_notes(tmp_path / "novel")
    assert (found, "outside" in sentence) == ((), True)


def test_there_may_be_no_notes_at_all(tmp_path: Path) -> None:
    assert read_notes(tmp_path) == ((), ())


def test_more_files_than_are_read_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(material, "MOST_FILES", 2)
    found, (sentence,) = read_notes(lay(tmp_path, a="", b="", c=""))
    assert (len(found), "more than 2" in sentence) == (2, True)


def test_notes_mention_notes_for_three_rounds() -> None:
    chain = [a_note(name, f"knows {after}") for name, after in zip("ABCDE", "BCDEF", strict=True)]
    assert titles(mentioned(chain, "A speaks")) == ["A", "B", "C"]
    assert titles(mentioned(chain, "A speaks", rounds=1)) == ["A"]
    assert titles(mentioned(chain, "nobody")) == []


def test_notes_that_mention_each_other_come_once() -> None:
    pair = [a_note("Mara", "and Jonas"), a_note("Jonas", "and Mara")]
    assert titles(mentioned(pair, "Mara", rounds=9)) == ["Mara", "Jonas"]


def test_higher_priority_comes_first_then_the_earlier_round() -> None:
    notes = [a_note("Low", "High", priority=10), a_note("High", priority=90), a_note("Same", priority=10)]
    assert titles(mentioned(notes, "Low and Same")) == ["High", "Low", "Same"]


def test_notes_of_every_prompt_neither_come_back_nor_mention_others() -> None:
    notes = [a_note("Style", "Mara", always=True), a_note("Mara")]
    assert titles(mentioned(notes, "Style")) == []


def test_a_key_holds_within_one_text_only() -> None:
    notes = [a_note("Mara", "harbour"), a_note("Both", keys=("Mara AND harbour",)), a_note("No", keys=("x AND NOT y",))]
    assert titles(mentioned(notes, "Mara, x")) == ["Mara", "No"]
    assert titles(mentioned(notes, "Mara at the harbour, x and y")) == ["Both", "Mara"]


def test_a_pattern_that_takes_too_long_mentions_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes.note_keys, "SECONDS", 0.05)
    slow = a_note("Slow", keys=(r"/(a+)+$/",))
    assert titles(mentioned([slow, a_note("Mara")], "Mara " + "a" * 3000 + "!")) == ["Mara"]


def test_patterns_of_all_notes_together_have_a_time_and_plain_words_need_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "SECONDS", -1.0)
    both = [a_note("Pattern", keys=("/Mara/",)), a_note("Word", keys=("Mara",))]
    assert titles(mentioned(both, "Mara")) == ["Word"]


def test_many_bad_notes_are_told_in_few_sentences(tmp_path: Path) -> None:
    lay(tmp_path, **{f"n{number}": "---\nnonsense\n---\n" for number in range(50)})
    _, sentences = read_notes(tmp_path)
    assert (len(sentences), sentences[-1]) == (21, "30 more files of the folder notes cannot be read.")
