"""The words of one language, and what may be built from them. It knows single words; where they stand is `spelling`'s.

Reading a dictionary takes a quarter of a second or more.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from writer.errors import ConfigError
from writer.language import say
from writer.text.sanitise import one_line

LANGUAGES = ("ar", "de", "en", "es", "eu", "fa", "fr", "it", "lv", "nl", "pt", "ru")
_PIECES = {
    "en": "s d ll re ve m t em til tis twas cause o y",
    "fr": "l d j m t s n c qu jusqu lorsqu puisqu quoiqu quelqu presqu aujourd",
    "it": "l d un c s m t v n all dall dell nell sull coll quell quest bell sant dov com anch po",
}
"""What stands before or behind an apostrophe without being a word of its own."""
_PAIRS = """
ise>ize ising>izing isa>iza yse>yze ysing>yzing lled>led lling>ling ller>ler llous>lous llor>lor
fulfil>fulfill skilful>skillful wilful>willful enrol>enroll instal>install woollen>woolen jewellery>jewelry
entre>enter eatre>eater metre>meter litre>liter ectre>ecter ibre>iber ombre>omber ustre>uster ogue>og ae>e oe>e
oeuvre>euver fence>fense etence>etense icence>icense grey>gray mould>mold plough>plow gramme>gram
cheque>check tyre>tire scept>skept cosy>cozy actise>actice pyjama>pajama
"""
_AMERICAN = [(f"{c}our", f"{c}or") for c in "bcdgilmnpv"] + [
    (british, american) for british, _, american in (pair.partition(">") for pair in _PAIRS.split())
]
"""British spellings and American ones; the English dictionary has the latter."""


class Dictionary:
    """Slow to make; it may be made in another thread."""

    def __init__(self, language: str) -> None:
        """Read the words of "en", "en-GB", "de", … Raises ConfigError for a language that there are none for."""
        code = language.strip().lower().replace("_", "-").partition("-")[0]
        if code not in LANGUAGES:
            raise ConfigError(
                say(
                    'There is no dictionary for "{language}". Set "spelling" in [editor] to one of {languages}, '
                    'or to "" for none.',
                    language=one_line(language, 40),
                    languages=", ".join(LANGUAGES),
                )
            )
        from spellchecker import SpellChecker  # not wanted by those who write without it

        self.language = code
        self.pieces = frozenset(_PIECES.get(code, "s").split())
        self._checker = SpellChecker(language=code, distance=1)
        self._words = self._checker.word_frequency.dictionary
        self._learnt: set[str] = set()

    def learn(self, plain: str) -> None:
        """The word is known from now on."""
        self._learnt.add(plain)

    def knows(self, plain: str) -> bool:
        """Whether a word (as `plain` writes it) is in the dictionary, was learnt, or is built from such words."""
        return len(plain) < 2 or plain in self._words or plain in self._learnt or self._built(plain)

    def _built(self, plain: str) -> bool:
        if "'" in plain:
            if "n't" in plain and self.knows(plain.replace("n't", "", 1)):
                return True
            return all(part in self.pieces or self.knows(part) for part in plain.split("'"))
        if self.language == "en":
            return any(other in self._words for other in _spellings(plain))
        if self.language in ("de", "nl"):  # they write compounds as one word
            return any(self._half(plain[:at]) and self._half(plain[at:]) for at in range(3, len(plain) - 2))
        return False

    def _half(self, part: str) -> bool:
        """Whether this may be one half of a compound, with the "s" that joins some."""
        return part in self._words or (len(part) > 4 and part[-1] == "s" and part[:-1] in self._words)

    def near(self, plain: str, limit: int) -> list[str]:
        """At most `limit` known words one letter away, the commonest first. Takes milliseconds."""
        stem, apostrophe, ending = plain.rpartition("'")
        if apostrophe and ending in self.pieces and plain not in self._words:
            return [f"{other}'{ending}" for other in self.near(stem, limit)]
        found = self._checker.known(self._checker.edit_distance_1(plain)) - {plain}
        return sorted(found, key=lambda other: (-self._words[other], other))[:limit]


def plain(word: str) -> str:
    """The word as dictionaries have it: composed, small, with straight apostrophes, without hidden signs and vowels."""
    if word.isascii():
        return word.lower()
    composed = unicodedata.normalize("NFC", word.lower()).replace("’", "'")
    return re.sub("[\u00ad\u0640\u064b-\u0652]", "", composed)


def _spellings(word: str) -> Iterator[str]:
    """The word without accents, and as Americans spell it."""
    if not word.isascii():
        word = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
        word = word.replace("æ", "ae").replace("œ", "oe")
        yield word
    for british, american in _AMERICAN:
        at = word.find(british)
        if at >= 0:
            yield word[:at] + american + word[at + len(british) :]
