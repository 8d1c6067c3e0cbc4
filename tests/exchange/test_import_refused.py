"""Files that would do harm, and files that are none: one sentence, and nothing is made."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from writer.errors import ExchangeError
from writer.exchange import incoming
from writer.exchange.importing import import_book


def zipped(**files: bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
            for name, data in files.items():
                package.writestr(name.replace("__", "/"), data)

    return write


def bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package, package.open("word/document.xml", "w") as file:
        for _ in range(40):
            file.write(bytes(1024 * 1024))


def climbing(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("../../evil", b"x")


def lying(path: Path) -> None:
    """A zip that says less than it unpacks to."""
    bomb(path)
    data = path.read_bytes()
    path.write_bytes(data.replace((40 * 1024 * 1024).to_bytes(4, "little"), (100).to_bytes(4, "little")))


def truncated(path: Path) -> None:
    zipped(word__document=os.urandom(5000))(path)
    path.write_bytes(path.read_bytes()[:3000])


CASES = {
    "a zip bomb": ("a.docx", bomb, "unpacks to more than"),
    "one that lies about its size": ("a.docx", lying, "damaged"),
    "names that climb out": ("a.epub", climbing, "outside of its place"),
    "no zip at all": ("a.docx", lambda path: path.write_bytes(b"hello"), "damaged"),
    "half a zip": ("a.epub", truncated, "damaged"),
    "a zip that is no book": ("a.docx", zipped(a=b"x"), "damaged"),
    "an epub without a list of pages": ("a.epub", zipped(mimetype=b"application/epub+zip"), "damaged"),
    "an old Word file, or one with a password": (
        "a.docx",
        lambda path: path.write_bytes(b"\xd0\xcf\x11\xe0" * 99),
        "password",
    ),
    "another kind of file": ("a.pages", lambda path: path.write_bytes(b"x"), "Save it as one of these"),
    "a folder": ("a.txt", lambda path: path.mkdir(), "not a file"),
    "a pipe": ("a.txt", os.mkfifo, "is not a file"),
    "no file": ("a.txt", lambda path: None, "no file"),
    "no text in any encoding": ("a.txt", lambda path: path.write_bytes(bytes(range(256)) * 50), "no text"),
    "nothing": ("a.md", lambda path: path.write_bytes(b"\n\n"), "holds no text"),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_refused_in_a_sentence(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(incoming, "MOST_UNPACKED", 20 * 1024 * 1024)
    file, write, said = CASES[name]
    write(tmp_path / file)
    with pytest.raises(ExchangeError, match=said) as caught:
        import_book(tmp_path / file, tmp_path / "back")
    assert caught.value.sentence.endswith(".")
    assert not (tmp_path / "back").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_file_that_is_too_large_is_not_even_read(tmp_path: Path) -> None:
    with (tmp_path / "a.docx").open("wb") as file:
        file.truncate(incoming.MOST_BYTES + 1)
    with pytest.raises(ExchangeError, match="larger than"):
        import_book(tmp_path / "a.docx", tmp_path / "back")


def test_a_folder_that_is_not_empty_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# One\n\nText.\n")
    (tmp_path / "back").mkdir()
    (tmp_path / "back/mine.txt").write_text("mine")
    with pytest.raises(ExchangeError, match="not empty"):
        import_book(tmp_path / "a.md", tmp_path / "back")
    assert [path.name for path in (tmp_path / "back").iterdir()] == ["mine.txt"]
