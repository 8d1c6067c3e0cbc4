"""Manuscripts that would do harm to a converter, or through one."""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.etree import ElementTree

import docx
import epub_checker
import pytest
from books import png

from writer import locations
from writer.exchange.exporting import export
from writer.exchange.orders import ExportOrder, Format
from writer.exchange.paragraphs import strict
from writer.exchange.pictures import pictures
from writer.manuscript.project import create

TEXT = (
    "# Codes \x1b[2J\x07\x0b\x00 \u202e \ufffe\n\n"
    "Text\x0c with \x1f codes, $x$, `=code`{=html}, [link](javascript:x), [file](02-two.md).\n\n"
    '<script>alert(1)</script>\n\n<div style="x">inside</div>\n\n``` {=openxml}\n<w:p/>\n```\n\n'
    "#set text(red) #sys.version \\\\ \" ' @ref <label> $ * _ ` = - + / ~ // /* */\n"
)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    folder = tmp_path / "book"
    create(folder, title='#x " \\ $ <b> &')
    (folder / "chapters/01-chapter-1.md").write_text(TEXT, "utf-8")
    with (folder / "writer.toml").open("a") as file:
        file.write('[book]\nauthor = "\\\\ \\" #x $ <i> &"\nfont = "x\\" \\\\ #y"\ncontact = "#panic() <w:p/>"\n')
    return folder


@pytest.mark.parametrize("form", list(Format))
def test_codes_of_a_text_are_only_text(hostile: Path, tmp_path: Path, form: Format) -> None:
    made = export(ExportOrder(hostile, form, output=tmp_path / f"a.{form}")).path
    if form is Format.DOCX:
        text = "\n".join(each.text for each in docx.Document(str(made)).paragraphs)
        assert "#set text(red) #sys.version" in text
        with zipfile.ZipFile(made) as package:
            for name in package.namelist():
                if name.endswith(".xml"):
                    ElementTree.fromstring(package.read(name))
    elif form is Format.EPUB:
        assert epub_checker.faults(made) == []
    elif form is Format.HTML:
        page = made.read_text("utf-8")
        assert "<script" not in page
        assert "\x1b" not in page
        assert 'href="javascript' not in page


def test_an_image_that_lies_outside_stays_there(tmp_path: Path) -> None:
    folder = tmp_path / "book"
    (folder / "chapters").mkdir(parents=True)
    (tmp_path / "secret.png").write_bytes(png())
    (folder / "chapters/link.png").symlink_to(tmp_path / "secret.png")
    (folder / "chapters/text.png").write_text("no image")
    (folder / "ours.png").write_bytes(png())
    text = "".join(
        f"![a]({name})\n"
        for name in ("../secret.png", "link.png", "text.png", f"{tmp_path}/secret.png", "../../secret.png", "%00.png")
    )
    found, notes = pictures(folder, text + "![a [b]](../ours.png) ![c](<ours.png>) [d](text.png)", ("chapters",))
    assert set(found) == {"../ours.png", "ours.png"}
    assert len(notes) == 6


def test_what_a_killed_export_left_is_removed_by_the_next(hostile: Path, tmp_path: Path) -> None:
    left = locations.cache_dir() / "export-999999999-abc"
    left.mkdir()
    (left / "book.md").write_text("words")
    export(ExportOrder(hostile, Format.TXT, output=tmp_path / "a.txt"))
    assert not left.exists()


@pytest.mark.parametrize(
    "piece", ["![", "](", "* ", "- ", "#", "|", "[^", "`", " ", "\u3000", "> ", "\n|-", ". ", "＊"]
)
def test_no_text_makes_it_slow(piece: str, tmp_path: Path) -> None:
    """Linear: a quarter of a million of anything is done at once; quadratic work would take minutes."""
    text = "a|b\n" + piece * 250_000 + "x\ny"
    assert strict(text, prose=True, notes="1-").rstrip().endswith("y")
    pictures(tmp_path, text, ())
