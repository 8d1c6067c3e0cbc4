"""Banned words: no token may complete one, however the model cuts it into tokens. A pure function of the text so far.

A word counts in all small letters, capitalised and in all capitals. "cat" in "cathedral" or "concatenate" is no match
where one token shows it; scripts without spaces between words match anywhere.
"""

from __future__ import annotations

import numpy as np
from writer_vocabulary import Vocabulary

_SIDE = 4  # bytes of a character, at most: what stands before a match decides whether it begins a word


class Banned:
    """The forbidden ids after any text. Made once for a list: the vocabulary is looked through."""

    def __init__(self, words: tuple[str, ...], vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._words = [form.encode() for word in words for form in forms(word)]
        self._reach = max(map(len, self._words), default=0) + _SIDE
        self._inside = sorted({each for word in self._words for each in self._around(word)})
        self._completing: dict[bytes, list[int]] = {}

    def after(self, ids: np.ndarray) -> list[int]:
        """Ids that would complete a banned word behind these ids."""
        tail = self._vocabulary.text(ids[-self._reach :])[-self._reach :]
        found = set(self._inside)
        for word in self._words:
            for done in range(min(len(word), len(tail) + 1)):
                if (not done or tail.endswith(word[:done])) and _begins(tail[: len(tail) - done], word):
                    found.update(self._completed(word, done))
        return sorted(found)

    def _completed(self, word: bytes, done: int) -> list[int]:
        """Ids that complete a word of which so many bytes stand there."""
        rest = word[done:]
        if rest not in self._completing:
            tokens = self._vocabulary.tokens
            starting = self._vocabulary.beginning(rest)
            self._completing[rest] = [each for each in starting if _ends(word, tokens[each][len(rest) :])]
        return self._completing[rest]

    def _around(self, word: bytes) -> list[int]:
        """Ids that hold the whole word behind something else."""
        found = []
        for each in self._vocabulary.containing(word):
            token = self._vocabulary.tokens[each]
            at = token.find(word, 1)
            while at > 0:
                if _begins(token[:at], word) and _ends(word, token[at + len(word) :]):
                    found.append(each)
                    break
                at = token.find(word, at + 1)
        return found


def forms(word: str) -> list[str]:
    """The ways in which a word is written."""
    word = word.strip()
    return list(dict.fromkeys([word, word.lower(), word[:1].upper() + word[1:], word.upper()])) if word else []


def spaced(letter: str) -> bool:
    """Whether this is a letter or digit of a script that puts spaces between words."""
    return letter.isalnum() and (letter < "\u0e00" or "\u1e00" <= letter < "\u2000")


def _begins(before: bytes, word: bytes) -> bool:
    return not (spaced(_last(before)) and spaced(word.decode()[0]))


def _ends(word: bytes, after: bytes) -> bool:
    return not (spaced(word.decode()[-1]) and spaced(after[:_SIDE].decode("utf-8", "ignore")[:1]))


def _last(text: bytes) -> str:
    return text[-_SIDE:].decode("utf-8", "ignore")[-1:]
