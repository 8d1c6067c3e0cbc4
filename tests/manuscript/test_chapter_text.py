from __future__ import annotations

import codecs
import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from writer.errors import ChapterUnreadable
from writer.manuscript import chapter_file
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.encoding import decode, encode
from writer.manuscript.model import ChapterText

_PIECES = [
    "\r\n",
    "\n",
    "\r",
    "\0",
    "\u2028",
    "\u2029",
    "\x85",
    "\x0b",
    "\x0c",
    "\x1c",
    "\ufeff",
    "e\u0301",
    "你好。",
    "a",
    " ",
]
odd_text = st.one_of(
    st.lists(st.sampled_from(_PIECES), max_size=12).map("".join),
    st.lists(st.sampled_from(["\r\n", "a", "。"]), max_size=8).map("".join),
    st.text(),
)
utf8 = st.tuples(st.sampled_from([b"", codecs.BOM_UTF8]), odd_text).map(lambda t: t[0] + t[1].encode("utf-8"))


@given(utf8)
@example(b"a\r\nb\nc\rd")
@example(codecs.BOM_UTF8 * 2 + b"\0\r\n")
def test_what_is_read_is_written_back_byte_for_byte(data: bytes) -> None:
    assert encode(decode(data, "x").text, decode(data, "x")) == data


@given(st.binary())
def test_any_bytes_are_text_or_a_plain_refusal(data: bytes) -> None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        with pytest.raises(ChapterUnreadable, match=f"x is not UTF-8 text \\(byte {error.start:,} "):
            decode(data, "x")
    else:
        assert encode(decode(data, "x").text, decode(data, "x")) == data


@given(st.text(alphabet="ab\r\n", max_size=8))
def test_one_style_of_line_breaks_is_hidden_from_the_text(text: str) -> None:
    found = decode(text.encode(), "x")
    uniform = "\r\n" in text and not {"\r", "\n"} & set(text.replace("\r\n", ""))
    assert found.crlf is uniform
    assert found.text == (text.replace("\r\n", "\n") if uniform else text)


def test_new_text_follows_the_style_of_the_file() -> None:
    like = decode(codecs.BOM_UTF8 + b"one\r\ntwo\r\n", "x")
    assert encode("one\nnew\ntwo\n", like) == codecs.BOM_UTF8 + b"one\r\nnew\r\ntwo\r\n"
    assert encode("one\r\npasted\n", like) == codecs.BOM_UTF8 + b"one\r\npasted\r\n"


@given(st.text(alphabet=st.characters()))
def test_lone_surrogates_never_reach_a_file(text: str) -> None:
    stored = encode(text, ChapterText("", "")).decode("utf-8")
    assert len(stored) == len(text)
    assert all(new == ("\ufffd" if "\ud800" <= old <= "\udfff" else old) for old, new in zip(text, stored, strict=True))


def test_a_refusal_names_byte_and_next_step(tmp_path: Path) -> None:
    path = tmp_path / "01.md"
    path.write_bytes(codecs.BOM_UTF8 + b"ab\xff")
    with pytest.raises(ChapterUnreadable, match=r"01\.md is not UTF-8 text \(byte 5 .*Save it as UTF-8"):
        ChapterFile(path).read()


def test_what_is_no_readable_file_is_refused_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder.md").mkdir()
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "dangling.md").symlink_to("nowhere")
    (tmp_path / "loop.md").symlink_to("loop.md")
    for name in ("folder.md", "pipe.md", "dangling.md", "loop.md", "missing.md", "n" * 300):
        with pytest.raises(ChapterUnreadable) as refusal:
            ChapterFile(tmp_path / name).read()
        assert refusal.value.sentence.endswith(".")
    monkeypatch.setattr(chapter_file, "MAX_BYTES", 10)
    (tmp_path / "big.md").write_bytes(b"x" * 11)
    with pytest.raises(ChapterUnreadable, match="larger"):
        ChapterFile(tmp_path / "big.md").read()


def test_a_name_cannot_smuggle_control_codes_into_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ChapterUnreadable) as refusal:
        ChapterFile(tmp_path / "a\x1b]0;x\x07\n.md").read()
    assert not set("\x1b\x07\n") & set(refusal.value.sentence)
