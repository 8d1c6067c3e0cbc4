"""The few words that writer itself sets into a book, in the book's language; English where it has no others."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wording:
    """`about` has a place for the number of words."""

    about: str
    by: str
    contents: str


_ENGLISH = Wording("about {:,} words", "by", "Contents")
_WORDINGS = {
    "en": _ENGLISH,
    "de": Wording("etwa {:,} Wörter", "von", "Inhalt"),
    "fr": Wording("environ {:,} mots", "par", "Table des matières"),
    "es": Wording("unas {:,} palabras", "por", "Índice"),
    "zh": Wording("约 {:,} 字", "", "目录"),
    "ja": Wording("約 {:,} 字", "", "目次"),
}
EAST_ASIAN = frozenset(("zh", "ja", "ko"))


def main_language(tag: str) -> str:
    """ "zh" of "zh-TW"."""
    return tag.replace("_", "-").split("-")[0].lower()


def full_language(tag: str) -> str:
    """The language as readers of files know it: Chinese by its script, and "zh" alone is simplified."""
    if main_language(tag) == "zh":
        return "zh-Hant" if is_traditional(tag) else "zh-Hans"
    return tag.replace("_", "-")


def is_traditional(tag: str) -> bool:
    """Whether it is Chinese in traditional characters."""
    return bool({"tw", "hk", "mo", "hant"} & set(tag.lower().replace("_", "-").split("-")[1:]))


def wording(tag: str) -> Wording:
    """For a language tag such as "zh-TW"."""
    return _WORDINGS.get(main_language(tag), _ENGLISH)
