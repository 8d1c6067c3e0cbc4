"""Sources of a report: text, tables, Word and PDF files; hostile ones cost one sentence."""

from __future__ import annotations

import csv
import io
import zlib
from pathlib import Path

import docx
import pypdf
import pytest

from writer.manuscript import documents, material, sources
from writer.manuscript.sources import Source, markdown_table, read_sources


@pytest.fixture(autouse=True)
def _cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "report" / "sources").mkdir(parents=True)
    return tmp_path / "report"


def word_file() -> bytes:
    document = docx.Document()
    document.add_heading("Tides", level=1)
    document.add_paragraph("The sea rises.")
    table = document.add_table(rows=2, cols=2)
    for number, cell in enumerate(cell for row in table.rows for cell in row.cells):
        cell.text = ("year", "cm", "2020", "3|4")[number]
    document.add_paragraph("Water", style="List Bullet")
    data = io.BytesIO()
    document.save(data)
    return data.getvalue()


def pdf_file(text: str = "The sea rises.", content: bytes | None = None) -> bytes:
    """A PDF of one page, written by hand."""
    stream = zlib.compress(content if content is not None else f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET".encode())
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(data)
    data += b"xref\n0 5\n0000000000 65535 f \n" + table + b"trailer << /Root 1 0 R /Size 5 >>\n"
    return data + b"startxref\n%d\n%%%%EOF" % start


def locked(data: bytes) -> bytes:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    writer.encrypt("secret", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_every_kind_of_source_is_read_as_markdown(folder: Path) -> None:
    (folder / "sources" / "a.md").write_text("# About tides\n\nThey turn.\n")
    (folder / "sources" / "b-notes.txt").write_text("Plain.\n")
    (folder / "sources" / "c.csv").write_text("year;cm\n2020;3\n2021;4\n")
    (folder / "sources" / "d.docx").write_bytes(word_file())
    (folder / "sources" / "e.pdf").write_bytes(pdf_file())
    (folder / "sources" / "f.png").write_bytes(b"\x89PNG")
    found, sentences = read_sources(folder)
    assert sentences == ()
    assert found == (
        Source("sources/a.md", "About tides", "# About tides\n\nThey turn.", ""),
        Source("sources/b-notes.txt", "B notes", "Plain.", ""),
        Source("sources/c.csv", "C", "| year | cm |\n| --- | --- |\n| 2020 | 3 |\n| 2021 | 4 |", ""),
        Source(
            "sources/d.docx",
            "Tides",
            "# Tides\n\nThe sea rises.\n\n| year | cm |\n| --- | --- |\n| 2020 | 3\\|4 |\n\n- Water",
            "",
        ),
        Source("sources/e.pdf", "E", "The sea rises.", ""),
    )


def test_a_document_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "sources" / "e.pdf").write_bytes(pdf_file())
    first = read_sources(folder)
    monkeypatch.setattr(documents, "_read", lambda *_: pytest.fail("it was read again"))
    assert read_sources(folder) == first


def test_a_document_that_changes_is_read_again(folder: Path) -> None:
    for text in ("Ebb.", "Flood."):
        (folder / "sources" / "e.pdf").write_bytes(pdf_file(text))
        assert read_sources(folder)[0][0].text == text


BAD = {
    "nonsense.pdf": (b"%PDF-1.7 nonsense", "pypdf"),
    "cut.pdf": (pdf_file()[:200], "pypdf"),
    "locked.pdf": (locked(pdf_file()), "password"),
    "picture.pdf": (pdf_file(content=b""), "pictures"),
    "nonsense.docx": (b"PK\x03\x04 nonsense", "python-docx"),
    "empty.docx": (b"", "python-docx"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_document_that_cannot_be_read_costs_one_sentence(folder: Path, name: str) -> None:
    data, said = BAD[name]
    (folder / "sources" / name).write_bytes(data)
    (folder / "sources" / "z.txt").write_text("Plain.")
    found, (sentence,) = read_sources(folder)
    assert [source.text for source in found] == ["Plain."]
    assert sentence.startswith(f"sources/{name}")
    assert said in sentence


@pytest.mark.parametrize(
    "harm",
    ["bytearray(documents.MEMORY)", "[0 for _ in iter(int, 1)]", "open(sys.argv[1] + '/planted', 'wb', 0).write(b'x')"],
)
def test_a_document_that_takes_too_much_is_stopped(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    plant = f"documents.SECONDS = 1; documents._EXTRACTORS = {{'.pdf': lambda data: str({harm})}}; documents.child"
    monkeypatch.setattr(documents, "_CHILD", documents._CHILD.replace("documents.child", plant))
    monkeypatch.setattr(documents, "_ROOT", str(tmp_path))
    (folder / "sources" / "bomb.pdf").write_bytes(pdf_file())
    found, (sentence,) = read_sources(folder)
    assert (found, sentence.startswith("sources/bomb.pdf")) == ((), True)
    assert not any((tmp_path / "planted").read_bytes() for _ in tmp_path.glob("planted"))


def test_a_missing_library_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "sources" / "e.pdf").write_bytes(pdf_file())
    monkeypatch.setattr(documents, "_CHILD", "import sys; sys.modules['pypdf'] = None; " + documents._CHILD[12:])
    _, (sentence,) = read_sources(folder)
    assert "pip install pypdf" in sentence


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("a,b\n1,2\n", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("a\tb\n1\t2\n", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ('name,said\nMara,"one\ntwo | three"\n', "| name | said |\n| --- | --- |\n| Mara | one two \\| three |"),
        ("a,b\n1\n", "| a | b |\n| --- | --- |\n| 1 |  |"),
        ("", ""),
    ],
)
def test_a_csv_file_becomes_a_table(text: str, table: str) -> None:
    assert markdown_table(text, "t.csv") == (table, "")


@pytest.mark.parametrize("text", ['"\n' * 4096, "'," * 4096, '",' * 4096, '"' * 9000])
def test_the_librarys_guess_which_takes_minutes_for_some_texts_is_not_asked(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv.Sniffer, "sniff", lambda *_: pytest.fail("it was asked"))
    table, _ = markdown_table(text, "t.csv")
    assert table.splitlines()[1].startswith("| --- |")


def test_a_table_without_a_delimiter_has_one_column() -> None:
    assert markdown_table("name\nMara\n", "t.csv") == ("| name |\n| --- |\n| Mara |", "")


def test_too_much_text_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(material, "MOST_CHARACTERS", 10)
    for name in "abc":
        (folder / "sources" / f"{name}.txt").write_text("12345678")
    found, (sentence,) = read_sources(folder)
    assert ([source.path for source in found], "too much text" in sentence) == (["sources/a.txt"], True)


def test_a_large_table_is_cut_and_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MOST_ROWS", 3)
    table, note = markdown_table("a,b\n" + "1,2\n" * 10, "t.csv")
    assert table.count("\n") == 4
    assert "3 rows" in note
