"""`writer export`: where the file goes, what is never overwritten, and what is said."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from writer.exchange import pandoc, workplace


@pytest.fixture
def written(novel: Path) -> Path:
    (novel / "chapters/01-chapter-1.md").write_text("# One\n\nText.\n")
    (novel / "chapters/02-two.md").write_text("# Two\n\nMore.\n")
    (novel / "chapters/03-three.md").write_text("# Three\n\nEnd.\n")
    return novel


def test_the_file_goes_into_the_manuscripts_folder_under_the_books_title(cli, written) -> None:
    ran = cli("export", written, "--to", "md")
    assert ran.code == 0
    assert ran.out == f"Exported 3 chapters, 6 words, to {written}/exports/salt.md\n"
    assert (written / "exports/salt.md").read_text().endswith("# One\n\nText.\n\n# Two\n\nMore.\n\n# Three\n\nEnd.\n")


def test_a_file_that_is_there_is_replaced_only_with_force(cli, written, tmp_path) -> None:
    target = tmp_path / "book.md"
    target.write_text("mine")
    assert "--force" in cli("export", written, "--to", "md", "--output", target).sentence
    assert target.read_text() == "mine"
    assert cli("export", written, "--to", "md", "-o", target, "--force").code == 0
    assert "# Three" in target.read_text()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_the_file_is_as_readable_as_its_folder(cli, written, tmp_path) -> None:
    (tmp_path / "shared").mkdir(mode=0o755)
    os.chmod(tmp_path / "shared", 0o755)
    (tmp_path / "private").mkdir(mode=0o700)
    modes = {}
    for name in ("shared", "private"):
        assert cli("export", written, "--to", "md", "-o", tmp_path / name / "book.md").code == 0
        modes[name] = stat.S_IMODE((tmp_path / name / "book.md").stat().st_mode)
    assert modes == {"shared": 0o644, "private": 0o600}


def test_some_chapters_alone(cli, written, tmp_path) -> None:
    told = cli("export", written, "--to", "md", "-o", tmp_path / "a.md", "--chapters", "2-", "--json").json
    assert (told["chapters"], told["words"], told["notes"]) == (2, 4, [])
    text = (tmp_path / "a.md").read_text()
    assert "# One" not in text
    assert "# Three" in text


@pytest.mark.parametrize("asked", ["0", "4", "3-1", "1-9", "one", "1,,2", "-"])
def test_chapters_that_are_not_there_are_refused(cli, written, asked: str) -> None:
    assert "hapters" in cli("export", written, "--to", "md", "--chapters", asked).sentence
    assert not (written / "exports").exists()


def test_a_wrong_key_of_the_book_is_named_with_the_right_one(cli, written) -> None:
    with (written / "writer.toml").open("a") as file:
        file.write('[book]\nauthr = "Mara"\n')
    assert '"authr" in [book] is not known. Did you mean "author"?' in cli("export", written, "--to", "md").sentence


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("author = 3", "must be text"),
        ('style = "novel"', '"manuscript" or "report"'),
        ('paper = "a5"', '"a4" or "letter"'),
        ("contact = [1]", "text"),
    ],
)
def test_a_wrong_value_of_the_book_is_named(cli, written, line: str, said: str) -> None:
    with (written / "writer.toml").open("a") as file:
        file.write(f"[book]\n{line}\n")
    assert said in cli("export", written, "--to", "md").sentence


def test_the_style_is_that_of_the_book_unless_another_is_named(cli, written, tmp_path) -> None:
    with (written / "writer.toml").open("a") as file:
        file.write('[book]\nstyle = "report"\n')
    for words, numbered in (((), True), (("--style", "manuscript"), False)):
        target = tmp_path / f"{numbered}.html"
        assert cli("export", written, "--to", "html", "-o", target, *words).code == 0
        assert ("header-section-number" in target.read_text()) is numbered


def test_without_pandoc_a_sentence_says_how_to_get_it(cli, written, monkeypatch) -> None:
    pandoc._program.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "pypandoc", None)
    assert "pip install" in cli("export", written, "--to", "docx").sentence
    assert not (written / "exports").exists()
    pandoc._program.cache_clear()


def test_a_full_disk_leaves_nothing_half_made(cli, written, tmp_path, monkeypatch) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(workplace.atomic, "write_new", full)
    assert "disk is full" in cli("export", written, "--to", "md", "-o", tmp_path / "a.md").sentence
    assert not (tmp_path / "a.md").exists()


def test_nothing_of_the_book_stays_behind_in_the_cache(cli, written, tmp_path) -> None:
    from writer import locations

    assert cli("export", written, "--to", "txt", "-o", tmp_path / "a.txt").code == 0
    assert list(locations.cache_dir().glob("export-*")) == []
