"""The two tours can be walked: every command in them works, in their order, and every key in them is a key."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from docs_commands import Walk

from writer.cli.main import run_command_line
from writer.manuscript.project import open_manuscript

DOCS = Path(__file__).resolve().parent.parent / "docs"
TOURS = ("writing-a-novel.md", "writing-a-report.md")
sys.path.insert(0, str(DOCS.parent / "scripts"))

FIRST = (
    "\n\nThe harbour had 589 ferries in August. The lamp was lit. " + "Nobody came down to the water to see it. " * 8
)


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def blocks(name: str, kind: str) -> list[str]:
    """The code blocks of that kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```", page(name), flags=re.MULTILINE | re.DOTALL)


def in_the_app(folder: Path, name: str) -> None:
    """What the tour does while the app is open: the outline, the first title, a first text."""
    (folder / "outline.md").write_text(blocks(name, "markdown")[0], encoding="utf-8")
    title = re.search(r"\*([^*]+)\*", page(name).split("gives chapter 1" if "novel" in name else "calls chapter 1")[1])
    assert title
    assert run_command_line(["chapters", "rename", str(folder), "1", title[1]]) == 0
    (chapter,) = open_manuscript(folder).chapters
    (folder / chapter.path).write_text(f"# {title[1]}{FIRST}\n", encoding="utf-8")


@pytest.fixture
def papers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: dict[str, str]) -> Path:
    """A folder with the papers of the report."""
    from pictures.tours import give_sources

    give_sources(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WRITER_ENGINE", "scripted")
    return tmp_path


@pytest.mark.parametrize("name", TOURS)
def test_every_command_of_a_tour_works(name: str, papers: Path, capfd: pytest.CaptureFixture[str]) -> None:
    walk = Walk(lambda: "".join(capfd.readouterr()), lambda folder: in_the_app(folder, name)).page(page(name))
    assert walk.elsewhere == []
    folder = papers / ("my-novel" if "novel" in name else "my-report")
    outline = re.findall(r"^## (.*)$", (folder / "outline.md").read_text(), flags=re.MULTILINE)
    assert len(outline) >= 3
    assert sorted(chapter.title for chapter in open_manuscript(folder).chapters) == sorted(outline)
    assert re.search(r"found in \d chapter", walk.told)
    assert list((folder / "notes" / "summaries").iterdir())


def test_the_reports_papers_are_all_read(papers: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for command in blocks("writing-a-report.md", "sh")[0].splitlines()[:2]:
        words = shlex.split(command)
        if words[0] == "writer":
            assert run_command_line(words[1:]) == 0
        for paper in words[1:-1] if words[0] == "cp" else ():
            shutil.copy(paper, words[-1])
    assert run_command_line(["plan", "my-report", "--request"]) == 0
    said = capfd.readouterr().out
    for each in ("You write a report.", "Two ladders need repair", "| New quay | 4.2 million |", "one crane", "61770"):
        assert each in said


@pytest.mark.parametrize("name", [*TOURS, "first-chapter.md"])
def test_a_tour_is_short_and_its_keys_are_keys(name: str) -> None:
    assert len(page(name).splitlines()) <= 120
    prose = re.sub(r"^```.*?^```", "", page(name), flags=re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"`((?:ctrl\+|alt\+|shift\+)?(?:[a-z]|end|f\d+|enter|space|escape|down))`", prose))
    assert len(named) > 6
    assert {key for key in named if f"`{key}`" not in page("keys.md")} == set()
