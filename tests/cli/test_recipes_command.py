"""`writer recipes`: the author's own requests, listed, copied to be changed, and used without the app."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command_line import CommandLine

from writer.manuscript.recipes import DEFAULTS

TEXT = "# One\n\nIt rained. The ship came in.\n"


@pytest.fixture
def book(novel: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WRITER_SCRIPT", '{"finish_at": 20}')
    (novel / "chapters/01-chapter-1.md").write_text(TEXT)
    return novel


def test_they_are_listed_with_what_they_need(cli: CommandLine, book: Path) -> None:
    (book / "prompts/bad.md").write_text("---\ncolour: red\n---\n")
    found = cli("recipes", "list", book, "--json").json
    assert [(each["name"], each["passage"]) for each in found["recipes"]] == [
        ("brainstorm", False),
        ("describe", True),
        ("dialogue", True),
    ]
    assert found["unread"][0].startswith("prompts/bad.md, line 2")
    out = cli("recipes", "list", book).out.splitlines()
    assert out[:2] == ["brainstorm     Brainstorm", "describe       Describe, for a passage"]


def test_copies_are_made_of_those_that_are_not_there_and_the_authors_own_stay(cli: CommandLine, book: Path) -> None:
    (book / "prompts/describe.md").write_text("Mine: {selection}")
    (book / "prompts/dialogue.md").unlink()
    assert cli("recipes", "copy", book).out == "Made prompts/dialogue.md. Change it as you like.\n"
    assert (book / "prompts/describe.md").read_text() == "Mine: {selection}"
    assert "all in prompts/ already" in cli("recipes", "copy", book).out
    shutil.rmtree(book / "prompts")
    cli("recipes", "copy", book)
    assert all((book / path).read_text() == text for path, text in DEFAULTS.items())


def test_no_copy_is_put_outside_of_the_manuscript(cli: CommandLine, book: Path, tmp_path: Path) -> None:
    shutil.rmtree(book / "prompts")
    (tmp_path / "elsewhere").mkdir()
    (book / "prompts").symlink_to(tmp_path / "elsewhere")
    assert cli("recipes", "copy", book).code == 1
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_an_answer_is_printed_and_kept_beside_the_chapter(cli: CommandLine, book: Path) -> None:
    ran = cli("recipes", "use", book, "Describe", "--from", "The ship", "--to", "in.", "--count", 2, "--json")
    assert ran.code == 0, ran.err
    assert [bool(line["text"]) for line in ran.lines] == [True, True]
    assert (book / "chapters/01-chapter-1.md").read_text() == TEXT
    takes = cli("takes", book, "--json").json["takes"]
    assert {take["generation"] for take in takes} == {line["generation"] for line in ran.lines}
    assert {(take["role"], TEXT[take["start"] : take["end"]]) for take in takes} == {("idea", "The ship came in.")}


def test_what_needs_no_passage_stands_at_the_end_and_is_drawn_as_is_said(cli: CommandLine, book: Path) -> None:
    first, again = (cli("recipes", "use", book, "brainstorm", "--seed", 4) for _ in range(2))
    assert first.code == 0
    assert first.out == again.out != "\n"


def test_the_authors_own_recipe_is_what_the_model_is_asked(cli: CommandLine, book: Path) -> None:
    (book / "prompts/storm.md").write_text("---\ntitle: A storm\n---\nLet it storm in {chapter}.")
    assert cli("recipes", "use", book, "a storm").code == 0
    assert cli("recipes", "list", book).out.splitlines()[-1] == "storm          A storm"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("describe",), "Describe is for a passage. Say which: --from WORDS"),
        (("nothing",), 'There is no recipe "nothing"; there are: brainstorm, describe, dialogue.'),
        (("describe", "--from", "nowhere"), "does not stand in this chapter"),
        (("describe", "--lines", "2"), "works on a selection"),
        (("brainstorm", "--chapter", 9), "There is no chapter 9"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(cli: CommandLine, book: Path, words: tuple, said: str) -> None:
    assert said in cli("recipes", "use", book, *words).sentence


def test_two_passages_at_once_are_not_understood(cli: CommandLine, book: Path) -> None:
    assert cli("recipes", "use", book, "describe", "--from", "It", "--lines", "1").code == 2
