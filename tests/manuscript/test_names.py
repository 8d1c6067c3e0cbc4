from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from writer.manuscript import contents, names
from writer.manuscript.names import file_name, slug, title_of


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("# The Harbour\n", "The Harbour"),
        ("\n \n# Late #\n# Second", "Late"),
        ("\n\ntext\n# Of the text", "The sea"),
        ("---\ndate: 1901\n---\n\n# Below a head", "Below a head"),
        ("\ufeff# 海港\r\ntext", "海港"),
        ("## Not this\n#nor this\ntext", "The sea"),
        ("# \x1b[2Jx", "␛[2Jx"),
        ("", "The sea"),
        ("x" * 5000 + "\n# Too late", "The sea"),
    ],
)
def test_the_title_is_the_heading_that_the_text_begins_with_or_the_name(
    tmp_path: Path, content: str, title: str
) -> None:
    (tmp_path / "07-the_sea.md").write_text(content, newline="")
    assert title_of(tmp_path / "07-the_sea.md") == title


def test_only_the_beginning_of_a_chapter_is_read_for_its_title(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "01-a.md").write_bytes(b"# A\n" + b"x" * 100_000)
    monkeypatch.setattr(names, "_HEAD", 4)
    assert title_of(tmp_path / "01-a.md") == "A"
    assert title_of(tmp_path / "99.md") == "99"  # nothing there
    (tmp_path / "02-b.md").write_bytes(b"\xff\xfe# B\n")
    assert title_of(tmp_path / "02-b.md") == "B"


@given(st.text(alphabet=st.characters(), max_size=300), st.integers(1, 12_000), st.integers(1, 99))
def test_any_title_gives_a_usable_file_name(title: str, number: int, attempt: int) -> None:
    name = file_name(number, title, attempt)
    assert len(name.encode("utf-8")) < 200
    assert name.startswith(f"{number:02d}-")
    assert not set("/\\\0\n:.. ") & set(name.removesuffix(".md"))
    assert contents._inside(Path("/nowhere"), f"chapters/{name}")[0] == f"chapters/{name}"
    assert slug(slug(title)) == slug(title)
