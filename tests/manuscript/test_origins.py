"""Origins: kept beside the text they are true for, found again after a rename, harmless when they are damaged."""

from __future__ import annotations

import zlib
from pathlib import Path

from writer.manuscript.origins import Origin, Origins

ONE = Origin("It was late.", "provenance 1\n3 3 a1\n")
TWO = Origin("It was very late.", "provenance 1\n3 3 b2\n")


def test_the_last_that_was_kept_is_found(tmp_path: Path) -> None:
    origins = Origins(tmp_path / "state" / "origins")
    assert origins.find("chapters/1.md", "") is None
    assert origins.keep("chapters/1.md", ONE)
    assert origins.keep("chapters/2.md", TWO)
    assert origins.keep("chapters/1.md", TWO)
    assert origins.find("chapters/1.md", "whatever it is now") == TWO
    assert [file.suffix for file in (tmp_path / "state" / "origins").iterdir()] == [".z", ".z"]


def test_a_renamed_chapter_is_known_by_its_text(tmp_path: Path) -> None:
    origins = Origins(tmp_path)
    origins.keep("chapters/1.md", ONE)
    assert origins.find("chapters/9.md", ONE.text) == ONE
    assert origins.find("chapters/9.md", ONE.text + " More.") is None
    origins.keep("chapters/1.md", Origin("", "provenance 1\n"))
    assert origins.find("chapters/9.md", "") is None, "all empty chapters have the same text"


def test_what_is_damaged_counts_as_unknown(tmp_path: Path) -> None:
    origins = Origins(tmp_path)
    origins.keep("chapters/1.md", ONE)
    (file,) = tmp_path.iterdir()
    for data in (b"", b"no", zlib.compress(b"[1]"), zlib.compress(b"[1,2,3]"), file.read_bytes()[:-9]):
        file.write_bytes(data)
        assert origins.find("chapters/1.md", ONE.text) is None


def test_a_folder_that_cannot_be_written_to_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert not Origins(tmp_path / "file" / "origins").keep("chapters/1.md", ONE)
