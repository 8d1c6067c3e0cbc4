"""A chapter to save and a manuscript to open."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from arranged import TEXTS, a_book

from writer.manuscript.model import Manuscript
from writer.manuscript.project import create
from writer.manuscript.summaries import Summary, write_summary


@pytest.fixture
def chapter(tmp_path: Path) -> Path:
    path = tmp_path / "chapters" / "01.md"
    path.parent.mkdir()
    path.write_bytes(b"old\n")
    return path


@pytest.fixture
def records(tmp_path: Path) -> Path:
    return tmp_path / "records"


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    return create(tmp_path / "novel", title="The Lamp", language="en")


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The book that every trial begins with. No disk is waited for: a kill takes nothing from what was written."""
    monkeypatch.setattr(os, "fsync", lambda fd: None)
    (tmp_path / "made").mkdir()
    shelf = a_book(tmp_path / "made")
    write_summary(shelf.folder, Summary(list(TEXTS)[1], "A summary.", "ab"))
    (shelf.folder / "outline.md").write_text("## The harbour\n\n## The lamp\nNobody has oil.\n")
    return tmp_path / "made"
