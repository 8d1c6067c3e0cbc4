"""A book that comes back from another program, and books of strangers."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import docx
import pytest
from books import png
from command_line import CommandLine

from writer.exchange.importing import import_book
from writer.exchange.orders import Format, Style
from writer.manuscript.book import Book, read_book
from writer.manuscript.project import open_manuscript


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(capfd)


def texts(book: Book) -> list[str]:
    return [book.text(path).text for path in book.paths]


def bare(text: str) -> list[str]:
    """The words, without signs that only Markdown needs, and without what does not go along."""
    text = re.sub(r"<[^>]*>|<!--.*?-->|\]\([^)]*\)|\[\^[^\]]*\]:?|\\", "", text)
    return re.findall(r"\w+(?:'\w+)?", text)


@pytest.mark.parametrize("form", [Format.DOCX, Format.EPUB, Format.HTML])
def test_what_was_exported_comes_back_with_its_chapters_and_parts(made, tmp_path: Path, form: Format) -> None:
    told = import_book(made(form), tmp_path / "back")
    book = read_book(tmp_path / "back")
    assert (told.title, told.chapters, told.images) == ("Salt & Ledger *x*", 3, 1)
    assert [chapter.title for chapter in book.manuscript.chapters] == ["The Harbour", "The Lighthouse", "Three"]
    assert [book.said(path).part for path in book.paths] == ["Part One", "Part One", "Part Two"]
    first = texts(book)[0]
    assert 'Mara came *home*. "Who is **there**?" she said.\n\nNobody answered.\n\nBy hand she' in first
    assert first.count("\n\n***\n\n") == 2
    assert "## The letter\n\n> Come at once.\n\n- bread\n- salt\n" in first
    assert "![A map of it](../images/001.png)" in first
    assert re.search(r"After the break\[\^\d+\] lay a \$5 note & 50% of it\.", first)
    assert "A note of the *first* chapter." in first
    assert "A note of the second." in texts(book)[1]
    assert (tmp_path / "back/images/001.png").read_bytes() == png()


def test_the_same_words_come_back(made, tmp_path: Path) -> None:
    source = made(Format.MD).read_text("utf-8")
    import_book(made(Format.DOCX), tmp_path / "back")
    back = " ".join(texts(read_book(tmp_path / "back")))
    parts = ["Part", "One", "Part", "Two"]
    wanted = sorted(bare(source.split("---\n", 2)[2].replace("<!-- not for print -->", "")))
    assert sorted(bare(back) + parts) == wanted


def test_a_chinese_book_comes_back(made, tmp_path: Path) -> None:
    import_book(made(Format.DOCX, Style.MANUSCRIPT, "zh"), tmp_path / "back")
    book = read_book(tmp_path / "back")
    assert book.manuscript.language == "zh"
    assert texts(book) == [
        "# 第一章 港口\n\n他回来了。“谁在那儿？”她说。\n\n没有人回答，只有*海*的声音。\n\n***\n\n天亮了。\n"
    ]


def test_a_word_file_of_a_stranger(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("The Salt", style="Title")
    document.add_heading("Before", 1)
    paragraph = document.add_paragraph("One ")
    paragraph.add_run("slanted").italic = True
    paragraph.add_run("\u00a0word, 3 * 4 and #5.")
    document.add_paragraph("* * *")
    document.add_paragraph("Two.")
    document.add_heading("After", 1)
    document.add_paragraph("Three.")
    document.save(str(tmp_path / "salt.docx"))
    told = import_book(tmp_path / "salt.docx", tmp_path / "back")
    assert (told.title, told.chapters) == ("The Salt", 2)
    assert texts(read_book(tmp_path / "back")) == [
        "# Before\n\nOne *slanted*\u00a0word, 3 \\* 4 and \\#5.\n\n***\n\nTwo.\n",
        "# After\n\nThree.\n",
    ]


def test_chapters_that_are_only_bold_lines_are_found(tmp_path: Path) -> None:
    document = docx.Document()
    for title in ("Chapter One", "CHAPTER 2: The Sea"):
        document.add_paragraph().add_run(title).bold = True
        document.add_paragraph("Text.")
    document.save(str(tmp_path / "salt.docx"))
    import_book(tmp_path / "salt.docx", tmp_path / "back")
    titles = [chapter.title for chapter in open_manuscript(tmp_path / "back").chapters]
    assert titles == ["Chapter One", "CHAPTER 2: The Sea"]


def test_markdown_stays_as_it_is(cli, tmp_path: Path) -> None:
    file = tmp_path / "book.md"
    file.write_text(
        '---\ntitle: "Salt"\nauthor: Mara\nlang: de\n---\n\n# Eins\n\nEin *Wort*\\.\n\n#\n\n# Zwei\n\nEnde.\n', "utf-8"
    )
    ran = cli("import", file, tmp_path / "back")
    assert ran.out == f'Imported "Salt": 2 chapters, 5 words. Open it: writer {tmp_path}/back\n'
    assert texts(read_book(tmp_path / "back")) == ["# Eins\n\nEin *Wort*\\.\n\n#\n", "# Zwei\n\nEnde.\n"]
    assert open_manuscript(tmp_path / "back").language == "de"


def test_a_text_is_parted_where_it_says_chapter(tmp_path: Path) -> None:
    file = tmp_path / "盐.txt"
    file.write_bytes("第一章 港口\n他回来了。\n\n第二章 灯塔\n他走了。第三章里没有人。\n".encode("gb18030"))
    told = import_book(file, tmp_path / "back")
    book = read_book(tmp_path / "back")
    assert (told.title, told.chapters, book.manuscript.language) == ("盐", 2, "zh")
    assert "GB 18030" in told.notes[0]
    assert texts(book)[0] == "# 第一章 港口\n\n他回来了。\n"


def test_without_headings_it_is_one_chapter_and_that_is_said(cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Only words.\n")
    told = cli("import", tmp_path / "a.txt", tmp_path / "back", "--title", "Mine", "--json").json
    assert (told["title"], told["chapters"], told["words"]) == ("Mine", 1, 2)
    assert "one chapter" in told["notes"][0]


def test_the_folder_has_the_books_name_if_none_is_given(cli, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("# The Salt\n\n## One\n\nText.\n\n## Two\n\nText.\n")
    assert "writer the-salt" in cli("import", "a.md").out
    assert [each.title for each in open_manuscript(tmp_path / "the-salt").chapters] == ["One", "Two"]
    assert "is not empty" in cli("import", "a.md").sentence


def test_a_page_of_the_web_asks_for_nothing_and_does_nothing(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(png())
    page = (
        "<html><head><title>Salt</title><script>alert(1)</script></head><body><h1>One</h1>"
        "<p>Text <img src='secret.png'> "
        f"<img src='{tmp_path}/secret.png'> <img src='https://example.org/x.png'> "
        "<a href='javascript:x()'>link</a>.</p>"
        "<h1>Two</h1><p>More.</p>"
    )
    (tmp_path / "a.html").write_text(page)
    told = import_book(tmp_path / "a.html", tmp_path / "back")
    first = texts(read_book(tmp_path / "back"))[0]
    assert (told.title, told.images) == ("Salt", 0)
    assert not re.search("alert|javascript|<", first)
    assert not (tmp_path / "back/images").exists()


def test_escape_codes_of_a_stranger_do_not_reach_the_terminal(cli, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# One\x1b]0;owned\x07\n\nText\x1b[2J.\n\n# Two\n\nText.\n")
    ran = cli("import", tmp_path / "a.md", tmp_path / "back", "--title", "A\x1b[2JB")
    assert "\x1b" not in ran.out + ran.err
    assert "\x1b" not in "".join(texts(read_book(tmp_path / "back")))
    assert json.loads(cli("status", tmp_path / "back", "--json").out)["chapters"][0]["title"]


def test_a_stopped_import_leaves_nothing(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "a.md").write_text("# One\n\nText.\n")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("writer.exchange.arriving.os.rename", full)
    with pytest.raises(Exception, match="disk is full"):
        import_book(tmp_path / "a.md", tmp_path / "back")
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]


def test_an_images_name_cannot_lead_out_of_its_folder(made, tmp_path: Path) -> None:
    bad = tmp_path / "bad.docx"
    with zipfile.ZipFile(made(Format.DOCX)) as old, zipfile.ZipFile(bad, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "word/_rels/document.xml.rels":
                data = re.sub(rb'Target="media/[^"]*"', b'Target="../../../../../../etc/passwd"', data)
            new.writestr(name, data)
    told = import_book(bad, tmp_path / "back")
    assert told.images == 0
    assert "root:" not in "".join(texts(read_book(tmp_path / "back")))
