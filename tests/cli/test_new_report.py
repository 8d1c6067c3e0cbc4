"""`writer new --report`: a manuscript that is told to be a report, and can be told otherwise."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from command_line import CommandLine

from writer.manuscript import atomic, template
from writer.manuscript.project import create, open_manuscript


def test_a_report_has_its_own_instructions_and_preset(cli: CommandLine, tmp_path: Path) -> None:
    folder = tmp_path / "report"
    assert cli("new", folder, "--report", "--language", "de").code == 0
    text = cli("plan", folder, "--request").out
    assert "You write a report." in text
    assert "in German" in text
    assert "novelist" not in text
    (folder / "notes" / "instructions.md").write_text("Write as a lawyer does.\n")
    assert "Write as a lawyer does." in cli("plan", folder, "--request").out
    assert cli("draft", folder, "--max-tokens", 5).code == 0
    (generation,) = cli("state", "export", folder, "--json").json["generations"]
    assert generation["sampling"]["temperature"] == 0.5


def test_a_novel_has_neither(cli: CommandLine, novel: Path) -> None:
    assert "You are a novelist." in cli("plan", novel, "--request").out
    assert os.listdir(novel / "notes") == []


def test_a_manuscript_is_in_the_language_of_the_interface_unless_another_is_named(
    cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("writer.cli.writing.spoken", lambda: "zh")
    for name, more in (("zh", ()), ("de", ("--language", "de"))):
        assert cli("new", tmp_path / name, *more).code == 0
        assert open_manuscript(tmp_path / name).language == name


def test_a_report_that_was_half_made_is_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "report"
    with monkeypatch.context() as patch:
        real = atomic.write_new

        def cut(path: Path, content: bytes) -> None:
            if path.name == "writer.toml":
                raise KeyboardInterrupt
            real(path, content)

        patch.setattr(template.atomic, "write_new", cut)
        with pytest.raises(KeyboardInterrupt):
            create(folder, instructions="Be plain.", preset="report")
    assert (folder / "notes" / "instructions.md").exists()
    assert create(folder, instructions="Be plain.", preset="report").folder == folder
    assert (folder / "notes" / "instructions.md").read_text() == "Be plain.\n"


def test_a_chapter_that_is_too_short_to_sum_up_is_told(cli: CommandLine, novel: Path) -> None:
    (novel / "chapters" / "01-chapter-1.md").write_text("Rain.\n")
    assert "Every chapter of 50 words or more has a summary; nothing was written." in cli("summarise", novel).err


def test_one_chapter_is_not_called_chapters(cli: CommandLine, novel: Path) -> None:
    (novel / "chapters" / "01-chapter-1.md").write_text("Rain, and rain.\n")
    assert "2 found in 1 chapter." in cli("search", novel, "rain").out
