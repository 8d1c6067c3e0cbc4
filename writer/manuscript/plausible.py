"""How likely a text is one that somebody wrote, in bits: the fewer, the likelier. Pure.

Bytes that are not UTF-8 can be read in several encodings; read in a wrong one they become rare characters in odd
places. That is told by a few hundred frequent characters of each language and by which ones every school teaches,
so a single sentence is enough.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

CHINESE, JAPANESE, KOREAN, WESTERN, CYRILLIC, OTHER = "zh", "ja", "ko", "western", "cyrillic", "other"
EVERY = (CHINESE, JAPANESE, KOREAN, WESTERN, CYRILLIC, OTHER)

_MOST, _PUNCTUATION, _SCHOOL, _RARE, _FOREIGN, _LOST = 6.0, 4.0, 11.0, 17.0, 26.0, 20.0
_STRAY = 30.0  # a control code, or a character that does not exist
_FREQUENT_HANZI = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家"
    "种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民"
    "第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月"
    "話這個們來為國說時會對過發後裡種經學現當沒動還進樣開從實軍無與長機關點業將兩間問應戰向頭體見產話氣聲書車門夜雨風"
    "气声书车门话山水火海老死走笑眼口章节卷回春夏秋冬花先再东南北今真让听叫东東讓聽爱愛"
)
_FREQUENT_KANJI = frozenset(
    "日一人大年出本中子見国言上分生手自行者間話前今気私彼女何来思入時家事名無方雨夜目心声水山書第章"
)
_FREQUENT_HANGUL = frozenset(
    "이다는을의에가고하지도를은한그나사로기서자리어있었들아라시여니대만말내것일들해게인과와오안요정보했면제장"
)
_MARKS = frozenset("，。！？：；、“”‘’「」『』《》〈〉（）—…·～\u3000【】．－―〜ー・")
_FREQUENT_WESTERN = frozenset("éèàçêäöüßñáíóúâîôûùëïœæøåãõ’‘“”—–…«»„‚¿¡Éº°")
_FREQUENT_CYRILLIC = frozenset("оеаинтсрвлкмдпуяы")
_SOMETIMES_WESTERN = frozenset("ÄÖÜÀÈÇÊÁÍÓÚÑÂÎÔÅØÆŒìòýÿšžðþ€£§©®™•†·ª½¼¾×‹›²³µ¢¥\xa0\xad")


@dataclass(frozen=True, slots=True)
class Reading:
    """How a text looks as one in a certain language."""

    bits: float
    strangeness: float  # bits per character beyond ASCII
    lost: float  # share of those that could not be read

    @property
    def plausible(self) -> bool:
        """Whether somebody may have written this."""
        return self.strangeness <= 12.0 and self.lost <= 0.2


def reading(text: str, languages: Iterable[str]) -> Reading:
    """The text in the likeliest of the languages."""
    return min((_reading(text, _COSTS[language]) for language in languages), key=lambda found: found.bits)


def _reading(text: str, cost: Callable[[str], float]) -> Reading:
    plain = beyond = 0.0
    count = 0
    for character, times in Counter(text).items():
        if character < "\x80":
            plain += _ascii(character) * times
        else:
            beyond += cost(character) * times
            count += times
    if cost is _cyrillic and count:
        beyond += 6.0  # a single letter of it among Latin ones is more likely an accent
    beyond += sum(bits * len(pattern.findall(text)) for pattern, bits in _ODD_PLACES)
    return Reading(plain + beyond, beyond / max(1, count), text.count("\ufffd") / max(1, count))


_ODD_PLACES = (
    (re.compile(r"[A-Za-z][\u3041-\u9fff\uac00-\ud7a3]|[\u3041-\u9fff\uac00-\ud7a3][A-Za-z]"), 5.0),
    (re.compile(r"[\xa0-\xff](?=[\xa0-\xff])"), 6.0),  # accents seldom stand side by side
    (re.compile(r"[a-z][\xc0-\xd6\xd8-\xde]"), 8.0),
    (re.compile(r"[A-Za-z][\xa1-\xb6\xb8-\xb9\xbc-\xbf][A-Za-z]"), 6.0),
    (re.compile(r"[а-яё][А-ЯЁ]|[A-Za-z][\u0400-\u045f\u2116]|[\u0400-\u045f\u2116][A-Za-z]"), 8.0),
    (re.compile(r"[A-Za-z][\u3002\uff0c\u300c\u300d][A-Za-z]"), 5.0),
)


def _ascii(character: str) -> float:
    if character.islower() or character == " ":
        return 4.0
    return 6.0 if character.isprintable() or character in "\t\r\n" else _STRAY


def _chinese(character: str) -> float:
    if character in _FREQUENT_HANZI:
        return _MOST
    if character in _MARKS:
        return _PUNCTUATION
    if character in _school(CHINESE):
        return _SCHOOL
    return _other(character)


def _japanese(character: str) -> float:
    if "\u3041" <= character <= "\u3096":
        return 5.5
    if "\u30a1" <= character <= "\u30fa":
        return 8.0
    if character in _MARKS:
        return _PUNCTUATION
    if character in _FREQUENT_KANJI:
        return 8.0
    return 12.0 if character in _school(JAPANESE) else _other(character)


def _korean(character: str) -> float:
    if character in _FREQUENT_HANGUL:
        return _MOST
    if character in _MARKS:
        return 5.0
    return _SCHOOL if character in _school(KOREAN) else _other(character)


def _western(character: str) -> float:
    if character in _FREQUENT_WESTERN:
        return 5.0
    if character in _SOMETIMES_WESTERN:
        return 9.0
    return 17.0 if "\xa0" <= character <= "\u017f" else _other(character)


def _cyrillic(character: str) -> float:
    if character in _FREQUENT_CYRILLIC:
        return 4.5
    if "а" <= character <= "я" or character == "ё":
        return 6.5
    if "\u0400" <= character <= "\u045f":
        return 9.0 if "А" <= character <= "Я" else 10.0
    return 7.0 if character in "—–«»…“”„’№\xa0" else _other(character)


def _any_alphabet(character: str) -> float:
    if "\xa1" <= character < "\u2000" and character.isprintable():
        return 11.0
    return 7.0 if character in "—–«»…“”„’\xa0" else _other(character)


def _other(character: str) -> float:
    if character == "\ufffd":
        return _LOST
    if "\u4e00" <= character <= "\u9fff":
        return _RARE
    if not character.isprintable() and character not in "\u3000\u2028\u2029\xa0\xad\ufeff":
        return _STRAY
    if "\uff01" <= character <= "\uff5e" or "\u3041" <= character <= "\u30ff":
        return 14.0
    return _FOREIGN


@cache
def _school(language: str) -> frozenset[str]:
    """The characters that the language's own standard puts first, since everyone learns them."""
    if language == CHINESE:
        return _first_of("gb2312", 0xB0, 0xD7) | _first_of("big5", 0xA4, 0xC6)
    return _first_of("euc_jp", 0xB0, 0xCF) if language == JAPANESE else _first_of("euc_kr", 0xB0, 0xC8)


def _first_of(codec: str, first: int, last: int) -> frozenset[str]:
    trails = (*range(0x40, 0x7F), *range(0xA1, 0xFF)) if codec == "big5" else range(0xA1, 0xFF)
    pairs = (bytes((lead, trail)) for lead in range(first, last + 1) for trail in trails)
    return frozenset("".join(pair.decode(codec, "ignore") for pair in pairs))


_COSTS = {
    CHINESE: _chinese,
    JAPANESE: _japanese,
    KOREAN: _korean,
    WESTERN: _western,
    CYRILLIC: _cyrillic,
    OTHER: _any_alphabet,
}
