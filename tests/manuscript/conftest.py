"""A chapter to save and a manuscript to open."""

from __future__ import annotations

from pathlib import Path

import pytest

from writer.manuscript.model import Manuscript
from writer.manuscript.project import create


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
