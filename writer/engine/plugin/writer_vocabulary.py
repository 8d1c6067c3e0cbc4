"""The bytes of each token id, from the model's tokenizer.json: words are looked for in bytes, not in tokens.

Bytes, because a character of Chinese may be made of three tokens, none of which is text by itself.

Source of the byte alphabet: the encoder published with GPT-2 (Radford et al. 2019), which byte-level tokenizers share:
printable bytes stand for themselves, the others for the characters from U+0100 on, in order.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

_PRINTABLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_HIDDEN = [byte for byte in range(256) if byte not in set(_PRINTABLE)]
_ALPHABET = {0x100 + n: byte for n, byte in enumerate(_HIDDEN)}  # printable bytes stand for themselves
_LONE_BYTE = re.compile(r"<0x([0-9A-F]{2})>")


class Vocabulary:
    """`tokens[id]` are the bytes of a token; special tokens have none."""

    def __init__(self, tokens: list[bytes]) -> None:
        self.tokens = tokens
        self._order = sorted(range(len(tokens)), key=tokens.__getitem__)
        self._sorted = [tokens[each] for each in self._order]
        self._all = b"\0".join(tokens)
        self._starts = list(accumulate((len(token) + 1 for token in tokens), initial=0))

    @property
    def newlines(self) -> frozenset[int]:
        """Ids of the tokens that are nothing but ends of lines."""
        return frozenset(each for each in self.containing(b"\n") if not self.tokens[each].strip(b"\r\n"))

    def text(self, ids: np.ndarray) -> bytes:
        """The bytes of the ids. Ids beyond the vocabulary have none."""
        return b"".join(self.tokens[each] for each in ids.tolist() if 0 <= each < len(self.tokens))

    def beginning(self, start: bytes) -> list[int]:
        """Ids of all tokens that begin with these bytes."""
        first = found = bisect_left(self._sorted, start)
        while found < len(self._sorted) and self._sorted[found].startswith(start):
            found += 1
        return self._order[first:found]

    def containing(self, part: bytes) -> list[int]:
        """Ids of all tokens that these bytes stand in."""
        found, at = [], self._all.find(part)
        while at >= 0:
            found.append(bisect_right(self._starts, at) - 1)
            at = self._all.find(part, self._starts[found[-1] + 1])
        return found


@lru_cache(maxsize=2)
def load(model: str) -> Vocabulary:
    """The vocabulary of the model folder. Half a second for 50,000 tokens; read once per process."""
    tokenizer = Tokenizer.from_file(str(Path(model) / "tokenizer.json"))
    byte_level = "ByteLevel" in json.dumps(json.loads(tokenizer.to_str()).get("decoder"))
    special = tokenizer.get_added_tokens_decoder()
    tokens = [b""] * (1 + max(tokenizer.get_vocab().values()))
    for token, index in tokenizer.get_vocab().items():
        if index in special:
            tokens[index] = b"" if special[index].special else special[index].content.encode()
        else:
            tokens[index] = _byte_level(token) if byte_level else _sentence_piece(token)
    return Vocabulary(tokens)


def _byte_level(token: str) -> bytes:
    try:
        return token.translate(_ALPHABET).encode("latin-1")
    except UnicodeEncodeError:  # not of that alphabet: a token that someone added
        return b""


def _sentence_piece(token: str) -> bytes:
    if lone := _LONE_BYTE.fullmatch(token):
        return bytes([int(lone[1], 16)])
    return token.replace("▁", " ").encode()
