"""The Word file, as python-docx and a publisher see it."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.oxml.ns import qn

from writer.exchange.orders import Format, Style


@pytest.fixture
def manuscript(made) -> Any:
    return docx.Document(str(made(Format.DOCX)))


def paragraphs(document: Any, style: str) -> list[str]:
    return [each.text for each in document.paragraphs if each.style.name == style]


def resolved(style: Any, name: str) -> Any:
    """The value of a style, or of those that it is based on."""
    while style is not None:
        value = getattr(style.paragraph_format, name, None)
        if value is not None:
            return value
        style = style.base_style
    return None


def test_the_title_page_has_contact_words_title_and_author(manuscript) -> None:
    assert paragraphs(manuscript, "Manuscript Contact") == [
        "Maria Holmes\tabout 100 words",
        "12 Harbour Lane",
        "mara@example.org",
    ]
    assert paragraphs(manuscript, "Manuscript Title") == ["Salt & Ledger *x*"]
    assert paragraphs(manuscript, "Manuscript Byline") == ["A novel", "by Mara O'Holm"]
    assert (manuscript.core_properties.title, manuscript.core_properties.author) == ("Salt & Ledger *x*", "Mara O'Holm")


def test_the_running_head_names_author_title_and_page_but_not_on_the_title_page(manuscript) -> None:
    section = manuscript.sections[0]
    head = section.header.paragraphs[0]
    assert head.text == "O'Holm / SALT & LEDGER *X* / 1"
    assert [each.text for each in head._p.iter(qn("w:instrText"))] == ["PAGE"]
    assert section.different_first_page_header_footer
    assert [each.text for each in section.first_page_header.paragraphs] == [""]
    assert section._sectPr.find(qn("w:pgNumType")).get(qn("w:start")) == "0"


def test_the_text_is_double_spaced_twelve_points_and_indented(manuscript) -> None:
    used = {each.style.name: each.style for each in manuscript.paragraphs}
    for name in ("First Paragraph", "Body Text", "Block Text", "Scene Break", "Heading 1"):
        assert resolved(used[name], "line_spacing") == 2.0, name
        assert used[name].font.size.pt == 12, name
        assert resolved(used[name], "space_after").pt == (24 if name == "Heading 1" else 0), name
    assert resolved(used["Body Text"], "first_line_indent").inches == pytest.approx(0.5, abs=0.01)
    assert resolved(used["Scene Break"], "first_line_indent").pt == 0
    assert used["Heading 1"].paragraph_format.page_break_before
    assert manuscript.sections[0].left_margin.inches == pytest.approx(1, abs=0.01)


def test_chapters_parts_and_scene_breaks_stand_in_their_order(manuscript) -> None:
    told = [each for each in manuscript.paragraphs if each.style.name in ("Part", "Heading 1", "Scene Break")]
    assert [each.text for each in told] == ["Part One", "The Harbour", "#", "#", "The Lighthouse", "Part Two", "Three"]
    assert paragraphs(manuscript, "Heading 2") == ["The letter"]


def test_paragraphs_are_those_of_the_author(manuscript) -> None:
    text = [each.text for each in manuscript.paragraphs]
    assert 'Mara came home. "Who is there?" she said.' in text
    assert "Nobody answered." in text
    assert "By hand she had indented this one." in text
    assert "After the break lay a $5 note & 50% of it. " in text
    marked = {run.text: (run.italic, run.bold) for each in manuscript.paragraphs for run in each.runs}
    assert marked["home"][0]
    assert marked["there"][1]


def test_footnotes_of_chapters_are_not_mixed_up(made) -> None:
    with zipfile.ZipFile(made(Format.DOCX)) as package:
        notes = package.read("word/footnotes.xml").decode()
    assert notes.index("A note of the") < notes.index("A note of the second")


def test_an_image_of_the_manuscript_goes_along_and_one_from_elsewhere_does_not(made) -> None:
    with zipfile.ZipFile(made(Format.DOCX)) as package:
        media = [name for name in package.namelist() if name.startswith("word/media/")]
        everything = b"".join(map(package.read, package.namelist()))
    assert len(media) == 1
    assert b"example.org/x.png" not in everything
    assert b"not for print" not in everything


def test_a_report_has_contents_and_numbered_headings(made) -> None:
    document = docx.Document(str(made(Format.DOCX, Style.REPORT)))
    assert paragraphs(document, "Title") == ["Salt & Ledger *x*"]
    assert paragraphs(document, "Author") == ["Mara O'Holm"]
    assert paragraphs(document, "Heading 1")[:2] == ["1\tThe Harbour", "2\tThe Lighthouse"]
    assert paragraphs(document, "Image Caption") == ["A map of it"]
    assert any("TOC" in (each.text or "") for each in document.element.iter(qn("w:instrText")))


def test_chinese_has_its_characters_its_typeface_and_its_indentation(made) -> None:
    path: Path = made(Format.DOCX, Style.MANUSCRIPT, "zh")
    document = docx.Document(str(path))
    assert paragraphs(document, "Heading 1") == ["第一章 港口"]
    assert paragraphs(document, "First Paragraph") == ["他回来了。“谁在那儿？”她说。"]
    assert "没有人回答，只有海的声音。" in paragraphs(document, "Body Text")
    assert paragraphs(document, "Manuscript Contact") == ["林海\t约 100 字"]
    assert document.sections[0].header.paragraphs[0].text == "林海 / 盐与账本 / 1"
    body = document.styles["Body Text"].element
    assert body.find(f".//{qn('w:ind')}").get(qn("w:firstLineChars")) == "200"
    letters = {each.get(qn("w:eastAsia")) for each in document.styles.element.iter(qn("w:rFonts"))}
    assert letters == {"SimSun"}
