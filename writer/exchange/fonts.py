"""Which typefaces a book is set in, by its language. Names only: what is on a machine is for the typesetter to see."""

from __future__ import annotations

import re

from writer.exchange.wording import is_traditional, main_language

LATIN = "Times New Roman"
LIKE_LATIN = (LATIN, "Liberation Serif", "Tinos", "TeX Gyre Termes", "Nimbus Roman", "Libertinus Serif")
"""Metrically alike; the last one comes with the typesetter."""
_WORD = {"zh": "SimSun", "ja": "MS Mincho", "ko": "Batang"}
_TYPESET = {
    "zh": ("Noto Serif CJK SC", "Source Han Serif SC", "Noto Serif SC", "Songti SC", "SimSun", "Noto Sans CJK SC"),
    "ja": ("Noto Serif CJK JP", "Source Han Serif", "Noto Serif JP", "Hiragino Mincho ProN", "MS Mincho"),
    "ko": ("Noto Serif CJK KR", "Source Han Serif K", "Noto Serif KR", "AppleMyungjo", "Batang"),
}
_TRADITIONAL = (
    "Noto Serif CJK TC",
    "Source Han Serif TC",
    "Noto Serif TC",
    "Songti TC",
    "PMingLiU",
    "Noto Sans CJK TC",
)
_EAST_ASIAN = re.compile(
    r"CJK|Source ?Han|Song|Hei\b|Kai|Ming|Sim[SHKF]|YaHei|WenQuanYi|LXGW|Fandol|Hiragino|Mincho|Gothic|Batang|Nanum"
    r"|Uming|Ukai|Droid Sans Fallback|Noto (?:Serif|Sans) (?:SC|TC|HK|JP|KR)",
    re.IGNORECASE,
)
_CHARACTER = re.compile("[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]")


def needs_east_asian(text: str) -> bool:
    """Whether there are characters in it that no Latin typeface has."""
    return _CHARACTER.search(text) is not None


def for_word(language: str) -> str:
    """The East Asian typeface that Word has; for other languages what it takes by itself."""
    if is_traditional(language):
        return "PMingLiU"
    return _WORD.get(main_language(language), "SimSun")


def word_language(language: str) -> str:
    """The East Asian language of a Word file, as Word names it; it breaks lines by that."""
    if is_traditional(language):
        return "zh-TW"
    return {"ja": "ja-JP", "ko": "ko-KR"}.get(main_language(language), "zh-CN")


def wanted(language: str) -> tuple[str, ...]:
    """East Asian typefaces for the typesetter, the best first."""
    if is_traditional(language):
        return _TRADITIONAL
    return _TYPESET.get(main_language(language), _TYPESET["zh"])


def chosen(language: str, here: list[str]) -> str:
    """The best of those that are here, or any East Asian one; "" if there is none."""
    lower = {name.lower(): name for name in here}
    best = next((lower[name.lower()] for name in wanted(language) if name.lower() in lower), "")
    return best or next((name for name in sorted(here) if _EAST_ASIAN.search(name)), "")
