"""EPUB, HTML, Markdown and plain text."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import epub_checker
import pytest

from writer.exchange.orders import Format, Style


@pytest.mark.parametrize(
    ("style", "language"), [(Style.MANUSCRIPT, "en"), (Style.REPORT, "en"), (Style.MANUSCRIPT, "zh")]
)
def test_the_epub_is_one_that_readers_accept(made, style: Style, language: str) -> None:
    assert epub_checker.faults(made(Format.EPUB, style, language)) == []


def test_the_checker_sees_what_is_wrong(made, tmp_path: Path) -> None:
    bad = tmp_path / "bad.epub"
    with zipfile.ZipFile(made(Format.EPUB)) as old, zipfile.ZipFile(bad, "w") as new:
        for name in reversed(old.namelist()):
            if not name.endswith((".png", "ch003.xhtml")):
                new.writestr(name, old.read(name))
    found = "\n".join(epub_checker.faults(bad))
    assert "mimetype is not the first" in found
    assert "ch003.xhtml is listed and not there" in found
    assert re.search(r"leads to \S+\.png", found)


def test_each_chapter_is_a_page_of_the_epub(made) -> None:
    with zipfile.ZipFile(made(Format.EPUB)) as package:
        pages = {name: package.read(name).decode() for name in sorted(package.namelist()) if "ch00" in name}
        contents, opf = package.read("EPUB/nav.xhtml").decode(), package.read("EPUB/content.opf").decode()
        css = package.read("EPUB/styles/stylesheet1.css").decode()
    assert [re.search(r"<h1[^>]*>(?:<span.*?</span> )?(.*?)</h1>", page)[1] for page in pages.values()] == [
        "Part One",
        "The Harbour",
        "The Lighthouse",
        "Part Two",
        "Three",
    ]
    assert "The Lighthouse" in contents
    assert "text-indent" in css
    assert "Mara O'Holm</dc:creator>" in opf.replace("&#39;", "'")
    assert "<hr" in "".join(pages.values())
    assert "All rights reserved." in opf


def test_the_html_is_one_file_that_asks_nobody_for_anything(made) -> None:
    page = made(Format.HTML).read_text("utf-8")
    assert "data:image/png;base64," in page
    assert not re.search(r'(?:src|href)="(?!#|data:)', page)
    assert "<script" not in page
    assert "<b>" not in page
    assert "text-indent" in page


def test_the_markdown_is_the_authors_own_text_behind_a_head(made) -> None:
    text = made(Format.MD).read_text("utf-8")
    assert text.startswith('---\ntitle: "Salt & Ledger *x*"\nsubtitle: "A novel"\nauthor: "Mara O\'Holm"\n')
    assert "    By hand she had indented this one.\n\n***\n" in text
    assert text.index("# Part One") < text.index("# The Harbour") < text.index("# Part Two") < text.index("# Three")


def test_plain_text_has_no_marks_but_those_of_emphasis(made) -> None:
    text = made(Format.TXT).read_text("utf-8")
    assert 'Mara came home. "Who is there?" she said.' in text.replace("_", "").replace("*", "")
    assert "<b>" not in text
    assert "THE HARBOUR" in text.upper()
