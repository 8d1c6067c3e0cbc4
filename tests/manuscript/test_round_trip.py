"""From the file to the text and back through `ChapterFile`: what the author did not touch stays byte for byte."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.encoding import decode, encode, like

SEPARATORS = ["\r\n", "\n", "\r", "\0", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\u2028", "\u2029"]
WORDS = ["\ufeff", "e\u0301", "👩\u200d👧", "\u3000\u3000你好。", "a", " ", "\t"]
any_text = st.one_of(
    st.lists(st.sampled_from([*SEPARATORS, *WORDS]), max_size=12).map("".join),
    st.lists(st.sampled_from(["\r\n", "a", "。"]), max_size=8).map("".join),
    st.text(alphabet="\r\n", max_size=6),
    st.text(),
)
any_file = st.tuples(st.sampled_from([b"", codecs.BOM_UTF8]), any_text).map(lambda t: t[0] + t[1].encode("utf-8"))
through_the_disk = settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def file(chapter: Path, records: Path) -> ChapterFile:
    return ChapterFile(chapter, backup_dir=records)


@given(any_file)
@example(b"")
@example(codecs.BOM_UTF8)
@example(b"\n\n\n")
@example(b"\r\n\r\n")
@example(b"\r")
@example(b"a\r\nb\nc\rd")
@example(b"no end")
@example(b"nul \0 ff \x0c vt \x0b \x1c\x1d\x1e")
@example("nel \x85 ls \u2028 ps \u2029".encode())
@through_the_disk
def test_reading_and_saving_the_unchanged_text_leaves_the_same_bytes(file: ChapterFile, data: bytes) -> None:
    """F1, F2, F5, F6."""
    file.path.write_bytes(data)
    loaded = file.read()
    saved = file.save(loaded.text, loaded)
    assert file.path.read_bytes() == data
    assert encode(loaded.text, loaded) == data, "not only because an unchanged file is left alone"
    assert saved == loaded == file.read()


@given(any_file, any_text)
@example(b"one\r\ntwo", "\n")
@example(b"one\ntwo", "\r\n")
@example(b"", "\r\n")
@through_the_disk
def test_what_is_added_and_taken_back_leaves_no_trace(file: ChapterFile, data: bytes, added: str) -> None:
    """F2, F4, F5."""
    file.path.write_bytes(data)
    loaded = file.read()
    longer = file.save(loaded.text + added, loaded)
    assert file.path.read_bytes() == encode(loaded.text + added, loaded)
    again = file.save(loaded.text, longer)
    assert file.path.read_bytes() == data
    assert again == loaded


@given(st.lists(st.text(alphabet="ab 。é", max_size=4), min_size=2, max_size=6), st.integers(0, 40), st.booleans())
@through_the_disk
def test_new_lines_follow_the_style_of_the_file(file: ChapterFile, lines: list[str], at: int, bom: bool) -> None:
    """F4: LF text put anywhere into a CRLF file is CRLF in the file; a file of LF gets no CR."""
    for line_break in ("\r\n", "\n"):
        mark = codecs.BOM_UTF8 if bom else b""
        file.path.write_bytes(mark + line_break.join(lines).encode())
        loaded = file.read()
        assert loaded.text == "\n".join(lines)
        edited = loaded.text[:at] + "new\nlines\n" + loaded.text[at:]
        file.save(edited, loaded)
        assert file.path.read_bytes() == mark + edited.replace("\n", line_break).encode()


@given(st.lists(st.sampled_from(["\r\n", "\n", "\r", "x", "。"]), max_size=10).map("".join))
@through_the_disk
def test_a_carriage_return_in_a_mixed_file_stays_where_it_is(file: ChapterFile, text: str) -> None:
    """F2: of a mixed file every break is kept, whatever is typed before it."""
    mixed = "\n\r\n" + text
    file.path.write_bytes(mixed.encode())
    loaded = file.read()
    file.save("# Title" + loaded.text, loaded)
    assert file.path.read_bytes() == b"# Title" + mixed.encode()


@pytest.mark.parametrize("pasted", ["one\r\ntwo\r\n", "one\ntwo\r\n", "one\r\ntwo\n"])
def test_a_pasted_line_break_is_never_doubled(file: ChapterFile, pasted: str) -> None:
    """F3, F4: CR LF that comes into a CRLF file is one line break, not CR CR LF."""
    file.path.write_bytes(b"old\r\n")
    loaded = file.read()
    saved = file.save(loaded.text + pasted, loaded)
    assert file.path.read_bytes() == b"old\r\none\r\ntwo\r\n"
    assert file.save(file.read().text, saved).sha256 == saved.sha256


@pytest.mark.parametrize(
    ("before", "after", "text", "crlf"),
    [
        (b"a\r\nb\r\n", b"a\r\nb\r\nc\n", "a\nb\nc\n", True),
        (b"a\nb\n", b"a\nb\nc\r\n", "a\nb\nc\n", False),
        (b"a\nb\n", b"a\r\nb\r\nc\n", "a\nb\nc\n", True),
        (b"a\r\nb\n", b"a\r\nb\r\nc\n", "a\r\nb\r\nc\n", False),  # mixed before: as it is
        (b"a\r\nb\r\n", b"a\r\nb\rc\n", "a\r\nb\rc\n", False),  # a lone one is a character
        (b"a\nb\n", b"a\nc\n", "a\nc\n", False),
    ],
)
def test_line_ends_that_another_program_mixed_become_one_kind(
    before: bytes, after: bytes, text: str, crlf: bool
) -> None:
    found = like(decode(after, "x"), decode(before, "x"))
    assert (found.text, found.crlf) == (text, crlf)
