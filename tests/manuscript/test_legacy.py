"""Files that are not UTF-8: which encoding they seem to have, and that their text comes out whole."""

from __future__ import annotations

import codecs
import os
import subprocess
import sys
import zipfile
import zlib
from io import BytesIO
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from writer.errors import ChapterUnreadable
from writer.manuscript import chapter_file
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.encoding import decode, digest, is_utf8
from writer.manuscript.legacy import UNKNOWN, LegacyText, read, recognise
from writer.manuscript.model import ChapterText

CHINESE = (
    "我冒了严寒，回到相隔二千余里，别了二十余年的故乡去。时候既然是深冬，渐近故乡时，天气又阴晦了，冷风吹进船舱中，"
    "呜呜的响，从篷隙向外一望，苍黄的天底下，远近横着几个萧索的荒村，没有一些活气。我的心禁不住悲凉起来了。"
)
TRADITIONAL = (
    "我冒了嚴寒，回到相隔二千餘里，別了二十餘年的故鄉去。時候既然是深冬，漸近故鄉時，天氣又陰晦了，冷風吹進船艙中，"
    "嗚嗚的響，從篷隙向外一望，蒼黃的天底下，遠近橫著幾個蕭索的荒村，沒有一些活氣。我的心禁不住悲涼起來了。"
)
JAPANESE = (
    "ある日の暮方の事である。一人の下人が、羅生門の下で雨やみを待っていた。広い門の下には、この男のほかに誰もいない。"
    "ただ、所々丹塗の剥げた、大きな円柱に、蟋蟀が一匹とまっている。"
)
KOREAN = (
    "나는 밤이 깊도록 잠을 이루지 못하였다. 창밖에는 바람이 불고 낙엽이 구르는 소리가 들렸다. 어머니는 말이 없었다."
)
FRENCH = (
    "Longtemps, je me suis couché de bonne heure. Parfois, à peine ma bougie éteinte, mes yeux se fermaient si vite "
    "que je n’avais pas le temps de me dire : « Je m’endors. » Et la pensée qu’il était temps de dormir m’éveillait…"
)
GERMAN = (
    "Er lag auf seinem panzerartig harten Rücken und sah, wenn er den Kopf ein wenig hob, seinen gewölbten, braunen "
    "Bauch, auf dessen Höhe sich die Bettdecke kaum noch halten konnte. „Was ist mit mir geschehen?“, dachte er. Grüße!"
)
ENGLISH = (
    "“My dear Mr. Bennet,” said his lady to him one day, “have you heard that Netherfield Park is let at last?” Mr. "
    "Bennet replied that he had not. “But it is,” returned she — “I’ve no objection to hearing it…”"
)
RUSSIAN = "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему. Всё смешалось."

CORPUS = [
    (CHINESE, "gb18030", "GB 18030 (Chinese)", 6),
    (CHINESE, "gbk", "GB 18030 (Chinese)", 6),
    (TRADITIONAL, "gb18030", "GB 18030 (Chinese)", 6),
    (TRADITIONAL, "big5", "Big5 (Chinese)", 6),
    (JAPANESE, "cp932", "Shift-JIS (Japanese)", 16),
    (JAPANESE, "euc_jp", "EUC-JP (Japanese)", 16),
    (KOREAN, "cp949", "EUC-KR (Korean)", 12),
    (FRENCH, "cp1252", "Windows-1252 (Western)", 6),
    (GERMAN, "cp1252", "Windows-1252 (Western)", 6),
    (ENGLISH, "cp1252", "Windows-1252 (Western)", 6),
    (RUSSIAN, "cp1251", "Windows-1251 (Cyrillic)", 16),
    (CHINESE, "utf-16-le", "UTF-16", 6),
    (CHINESE, "utf-16-be", "UTF-16", 6),
    (JAPANESE, "utf-16-le", "UTF-16", 8),
    (KOREAN, "utf-16-be", "UTF-16", 8),
    (FRENCH, "utf-16-le", "UTF-16", 6),
]


@pytest.mark.parametrize(("text", "encoding", "name", "shortest"), CORPUS)
def test_a_few_words_are_enough_to_tell_the_encoding(text: str, encoding: str, name: str, shortest: int) -> None:
    wrong, tried = [], 0
    for length in (shortest, 2 * shortest, len(text)):
        for start in range(0, len(text) - length + 1, 2):
            data = text[start : start + length].encode(encoding)
            if is_utf8(data):
                continue
            tried += 1
            found = recognise(data)
            if found is None or (found.text, found.name, found.whole) != (data.decode(encoding), name, True):
                wrong.append((data.decode(encoding), found))
    assert tried > 10
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("你好。", "gb18030"),
        ("第一章 海港", "gb18030"),
        ("她推开门，说：“你怎么才来？”", "gb18030"),
        ("# 第二章\n\n老人点了点头。", "gb18030"),
        ("\u3000\u3000雨下了一夜。\r\n\r\n\u3000\u3000清晨，船进港了。\r\n", "gb18030"),
        ("他用iPhone拍了照。", "gb18030"),
        ("𠀀是一个生僻字。", "gb18030"),
        ("她推開門，說：「你怎麼才來？」", "big5"),
        ("# 第一章\n\n國境の長いトンネルを抜けると雪国であった。", "cp932"),
        ("こんにちは。", "cp932"),
        ("안녕하세요.", "cp949"),
        ("제1장 항구", "cp949"),
        ("Café", "latin-1"),
        ("Schöne Grüße", "latin-1"),
        ("« Où étais-tu ? »", "cp1252"),
        ("It’s raining.", "cp1252"),
        ("¿Dónde estabas?", "latin-1"),
    ],
)
def test_short_texts_come_out_right(text: str, encoding: str) -> None:
    found = recognise(text.encode(encoding))
    assert found is not None
    assert (found.text, found.whole) == (text, True)


@pytest.mark.parametrize(
    ("text", "encoding", "name"),
    [
        (
            "Litwo! Ojczyzno moja! ty jesteś jak zdrowie; Ile cię trzeba cenić, ten tylko się dowie, Kto cię stracił. "
            "Dziś piękność twą w całej ozdobie Widzę i opisuję, bo tęsknię po tobie.",
            "cp1250",
            "Windows-1250 (Central European)",
        ),
        (
            "Σα βγεις στον πηγαιμό για την Ιθάκη, να εύχεσαι να είναι μακρύς ο δρόμος, γεμάτος περιπέτειες.",
            "cp1253",
            "Windows-1253 (Greek)",
        ),
    ],
)
def test_other_alphabets_are_told_apart_by_their_language(text: str, encoding: str, name: str) -> None:
    found = recognise(text.encode(encoding))
    assert found is not None
    assert (found.text, found.name) == (text, name)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200), st.sampled_from(["<", ">"]))
@settings(max_examples=200)
def test_a_mark_at_the_beginning_settles_it_for_any_text(text: str, order: str) -> None:
    encoding, mark = ("utf-16-le", codecs.BOM_UTF16_LE) if order == "<" else ("utf-16-be", codecs.BOM_UTF16_BE)
    if order == "<" and text.startswith("\0"):
        return  # that is the mark of UTF-32
    data = mark + text.encode(encoding)
    assert recognise(data) == LegacyText(text, "utf-16", "UTF-16", digest(data), whole=True)


def test_the_sample_of_a_long_file_is_where_its_letters_are() -> None:
    filler = b"Plain words, line after line.\n" * 5000
    for text, encoding in ((CHINESE, "gb18030"), (TRADITIONAL, "big5"), (JAPANESE, "cp932")):
        data = filler + text.encode(encoding) + b"\n" + filler + text.encode(encoding)
        found = recognise(data)
        assert found is not None
        assert found.text == data.decode(encoding)
    one_line = recognise((CHINESE * 4000).encode("gb18030"))
    assert one_line is not None
    assert one_line.text == CHINESE * 4000


@given(st.binary(max_size=300))
@settings(max_examples=300)
def test_any_bytes_are_a_text_that_loses_nothing_or_are_refused(data: bytes) -> None:
    found = recognise(data)
    if found is not None and found.whole:
        assert found.text == data.decode(found.encoding)
    if found is not None and not found.encoding:
        assert (found.name, found.text.encode("latin-1"), found.whole) == (UNKNOWN, data, False)
    assert found is None or found.sha256 == digest(data)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (CHINESE.encode("gb18030")[:-1], "GB 18030 (Chinese), damaged"),
        (CHINESE.encode("utf-8") + b"\xff", "UTF-8, damaged"),
        ("L’été déjà".encode() + b"\xe9 fini", "UTF-8, damaged"),
        (CHINESE.encode("utf-16") + b"\0", "UTF-16, damaged"),
    ],
)
def test_what_is_damaged_is_shown_but_not_for_copying(data: bytes, name: str) -> None:
    found = recognise(data)
    assert found is not None
    assert (found.name, found.whole) == (name, False)
    assert "\ufffd" in found.text


def test_where_nothing_fits_every_byte_is_shown() -> None:
    data = bytes(range(0x80, 0x100)) * 3 + b" end"
    assert recognise(data) == LegacyText(data.decode("latin-1"), "", UNKNOWN, digest(data), whole=False)


def _zip() -> bytes:
    stored = BytesIO()
    with zipfile.ZipFile(stored, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.xml", "hello " * 5000)
    return stored.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        Path(sys.executable).resolve().read_bytes()[:200_000],
        _zip(),
        zlib.compress(Random(1).randbytes(3000)),
        Random(2).randbytes(5000),
        codecs.BOM_UTF16_LE + Random(3).randbytes(5000),
        b"\xff" + bytes(500),
    ],
    ids=["program", "archive", "compressed", "noise", "noise behind a mark", "zeros"],
)
def test_what_is_no_text_is_refused_as_before(data: bytes, tmp_path: Path) -> None:
    assert recognise(data) is None
    path = tmp_path / "01.md"
    path.write_bytes(data)
    with pytest.raises(ChapterUnreadable, match=r"01\.md is not UTF-8 text \(byte "):
        read(ChapterFile(path))


def test_a_file_is_read_as_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "01.md"
    path.write_bytes(b"\xef\xbb\xbfone\r\n")
    assert read(ChapterFile(path)) == decode(b"\xef\xbb\xbfone\r\n", "x")
    path.write_bytes("你好。".encode("gb18030"))
    found = read(ChapterFile(path))
    assert isinstance(found, LegacyText)
    assert read(ChapterFile(path), found) is found, "it is not looked at again while it stays the same"
    path.write_text("你好。", "utf-8")
    assert isinstance(read(ChapterFile(path), found), ChapterText)
    monkeypatch.setattr(chapter_file, "MAX_BYTES", 4)
    with pytest.raises(ChapterUnreadable, match="larger"):
        read(ChapterFile(path))


def test_the_library_is_imported_only_when_it_is_needed() -> None:
    script = (
        "import sys; from writer.manuscript.legacy import recognise; "
        "recognise('你好。'.encode('gbk')); assert 'charset_normalizer' not in sys.modules; "
        "recognise('Σα βγεις στον πηγαιμό για την Ιθάκη'.encode('cp1253')); assert 'charset_normalizer' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, env={**os.environ, "PYTHONUTF8": "1"})
