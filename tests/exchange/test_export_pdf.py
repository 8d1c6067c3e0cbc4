"""The PDF, as a reader's program sees it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pypdf
import pytest
import typst

from writer.errors import ExchangeError
from writer.exchange import fonts, pandoc, typesetting
from writer.exchange.orders import Format, Style

HERE = typst.Fonts().families()
chinese_typeface = pytest.mark.skipif(not fonts.chosen("zh", HERE), reason="no East Asian typeface here")


def pages(path: Path) -> list[str]:
    return [page.extract_text() for page in pypdf.PdfReader(path).pages]


def test_the_manuscript_has_a_title_page_and_a_running_head(made: Callable[..., Path]) -> None:
    reader = pypdf.PdfReader(made(Format.PDF))
    told = [page.extract_text() for page in reader.pages]
    assert told[0].split("\n") == [
        "Maria Holmes",
        "12 Harbour Lane",
        "mara@example.org",
        "about 100 words",
        "Salt & Ledger *x*",
        "A novel",
        "by Mara O'Holm",
    ]
    assert [page.split("\n")[0] for page in told[1:]] == [
        f"O'Holm / SALT & LEDGER *X* / {number}" for number in range(1, len(told))
    ]
    assert (reader.metadata.title, reader.metadata.author) == ("Salt & Ledger *x*", "Mara O'Holm")
    assert [round(side) for side in reader.pages[0].mediabox[2:]] == [612, 792]


def test_each_part_and_each_chapter_begins_a_page(made: Callable[..., Path]) -> None:
    begun = [page.split("\n")[1] for page in pages(made(Format.PDF))[1:]]
    assert begun == ["PART ONE", "The Harbour", "The Lighthouse", "PART TWO", "Three"]


def test_lines_are_two_lines_apart(made: Callable[..., Path]) -> None:
    places: dict[str, float] = {}

    def see(text: str, user: list[float], _text: object, _font: object, _size: float) -> None:
        for word in ("Mara", "Nobody", "By hand"):
            if word in text:
                places.setdefault(word, user[5])

    pypdf.PdfReader(made(Format.PDF)).pages[2].extract_text(visitor_text=see)
    assert abs(places["Mara"] - places["Nobody"]) == pytest.approx(24, abs=0.5)
    assert abs(places["Nobody"] - places["By hand"]) == pytest.approx(24, abs=0.5)


def test_scene_breaks_and_notes_are_there_and_raw_code_is_not(made: Callable[..., Path]) -> None:
    text = "\n".join(pages(made(Format.PDF)))
    assert text.count("\n#\n") == 2
    assert "A note of the first chapter." in text
    assert "A note of the second." in text
    assert not re.search("<b>|not for print|x.png", text)


def test_a_report_has_contents_with_pages_and_numbered_headings(made: Callable[..., Path]) -> None:
    told = pages(made(Format.PDF, Style.REPORT))
    assert told[0].split("\n") == ["Salt & Ledger *x*", "A novel", "Mara O'Holm"]
    assert re.search(r"Contents\n1\s*The Harbour.*4\n1\.1\s*The letter", told[1])
    assert "1 The Harbour" in told[3]
    assert "1: A map of it" in told[3].replace("\u00a0", " ").replace("  ", " ")


@chinese_typeface
def test_chinese_is_set_in_a_chinese_typeface(made: Callable[..., Path]) -> None:
    path = made(Format.PDF, Style.MANUSCRIPT, "zh")
    told = pages(path)
    assert "他回来了。“谁在那儿？”她说。" in told[1]
    assert "约 100 字" in told[0]
    assert told[1].startswith("林海 / 盐与账本 / 1")
    used = {str(font["/BaseFont"]) for font in _fonts(path)}
    assert any(fonts.chosen("zh", HERE).split()[0] in name for name in used), used


def _fonts(path: Path) -> list[dict[str, object]]:
    resources = [page["/Resources"]["/Font"] for page in pypdf.PdfReader(path).pages]
    return [font.get_object() for each in resources for font in each.values()]


def test_without_an_east_asian_typeface_no_empty_boxes_are_made(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(typesetting, "_CHILD", "import sys; sys.exit(3)")
    with pytest.raises(ExchangeError, match="fonts-noto-cjk"):
        typesetting.typeset(tmp_path, "made", eastern=True)


def test_a_typeface_that_is_not_here_is_named(tmp_path: Path) -> None:
    (tmp_path / "made").write_text("Text")
    job = '{"lang": "en", "font": "%s", "paper": "a4", "contents": "", "author": ""}'
    for font, said in (("No Such Face", True), ("Libertinus Serif", False)):
        (tmp_path / "job.json").write_text(job % font)
        data, note = typesetting.typeset(tmp_path, "made", eastern=False)
        assert data.startswith(b"%PDF")
        assert ("No Such Face is not on this machine" in note) is said


def test_a_failure_of_the_typesetter_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "made").write_text("#broken(")
    (tmp_path / "job.json").write_text('{"lang": "en", "font": "", "paper": "a4", "contents": "", "author": ""}')
    with pytest.raises(ExchangeError, match="could not set the book") as caught:
        typesetting.typeset(tmp_path, "made", eastern=False)
    assert "unclosed" in caught.value.detail


def test_a_failure_of_the_converter_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ExchangeError, match="could not convert"):
        pandoc.run(tmp_path, ["--from=markdown", "--to=docx", "missing.md"])


def test_the_converter_reads_nothing_outside_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.rst").write_text(f".. include:: {tmp_path}/secret.txt\n\nText.\n")
    pandoc.run(work, ["--from=rst", "--to=plain", "--output=made", "a.rst"])
    assert "secret" not in (work / "made").read_text()


@pytest.mark.parametrize(
    ("language", "here", "best"),
    [
        ("zh", ["Noto Sans CJK SC", "Noto Serif CJK SC"], "Noto Serif CJK SC"),
        ("zh-TW", ["Noto Serif CJK SC", "noto serif cjk tc"], "noto serif cjk tc"),
        ("zh", ["DejaVu Sans", "WenQuanYi Zen Hei"], "WenQuanYi Zen Hei"),
        ("ja", ["Libertinus Serif"], ""),
        ("en", ["Noto Serif CJK SC", "Libertinus Serif"], "Noto Serif CJK SC"),
    ],
)
def test_the_best_typeface_that_is_here_is_taken(language: str, here: list[str], best: str) -> None:
    assert fonts.chosen(language, here) == best
