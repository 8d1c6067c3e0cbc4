"""Token ids ↔ text without an engine: to check what is stored, to count. The only door to the `tokenizers` library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from writer.errors import ModelUnusable
from writer.language import say
from writer.text.sanitise import from_model

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_UNFINISHED = "\ufffd"
_TAIL = 8  # ids of the prompt that can matter to the first character after it
_NEXT = "x"  # stands behind a text that is counted: what its blanks become depends on there being more


def decode(folder: Path, token_ids: Sequence[int], *, before: Sequence[int] = ()) -> str:
    """The text that vLLM streams for `token_ids` after the prompt `before`, made safe as the client does.

    As in vLLM, special tokens have no text, and a character that is not finished is not shown. Raises ModelUnusable.
    """
    tokenizer = _load(folder / "tokenizer.json")
    tail = list(before[-_TAIL:])
    prompt = tokenizer.decode(tail, skip_special_tokens=True).rstrip(_UNFINISHED)
    whole = tokenizer.decode([*tail, *token_ids], skip_special_tokens=True).rstrip(_UNFINISHED)
    return from_model(whole.removeprefix(prompt))


def encode(folder: Path, text: str, *, special: bool = False) -> tuple[int, ...]:
    """The ids of a text; `special` adds the model's own opening ids (BOS). Raises ModelUnusable."""
    return tuple(_load(folder / "tokenizer.json").encode(text, add_special_tokens=special).ids)


@dataclass(frozen=True, slots=True)
class Encoded:
    """A text and its ids, and where special tokens stand in both: what is between two of them is read by itself."""

    text: str = field(repr=False)
    ids: tuple[int, ...] = field(repr=False)
    marks: tuple[tuple[int, int, int], ...]  # characters before it, and with it; ids before it


def encode_after(folder: Path, text: str, last: Encoded | None) -> Encoded:
    """As `encode`, but what the text begins with as the last one did is not read again. Raises ModelUnusable."""
    tokenizer, special = _load(folder / "tokenizer.json"), special_ids(folder)
    marks = last.marks if last else ()
    while last and marks and not text.startswith(last.text[: marks[-1][1]]):
        marks = marks[:-1]
    at, _, done = marks[-1] if marks else (0, 0, 0)
    rest = tokenizer.encode(text[at:], add_special_tokens=False)
    found = [
        (at + start, at + end, done + n)
        for n, (token, (start, end)) in enumerate(zip(rest.ids, rest.offsets, strict=True))
        if token in special and text[at + start : at + end] == tokenizer.id_to_token(token)
    ]
    before = last.ids[:done] if last else ()
    return Encoded(text, (*before, *rest.ids), (*marks[:-1], *found))


def shown(folder: Path, token_ids: Sequence[int]) -> str:
    """The text of the ids, special tokens included. Raises ModelUnusable."""
    return str(_load(folder / "tokenizer.json").decode(list(token_ids), skip_special_tokens=False))


def lengths(folder: Path, texts: Sequence[str]) -> list[int]:
    """How many tokens each text is in the middle of a longer one. Raises ModelUnusable."""
    tokenizer = _load(folder / "tokenizer.json")
    longer = [text + _NEXT if text[-1:].isspace() else text for text in texts]
    counted = tokenizer.encode_batch_fast(longer, add_special_tokens=False)
    return [len(each) - (text is not more) for each, text, more in zip(counted, texts, longer, strict=True)]


def apart(folder: Path) -> bool:
    """Whether a text's ids may be put together from those of its pieces: some tokenizers put a space before each."""
    tokenizer = _load(folder / "tokenizer.json")
    ids = [*tokenizer.encode("a", add_special_tokens=False).ids, *tokenizer.encode("b", add_special_tokens=False).ids]
    return bool(tokenizer.decode(ids, skip_special_tokens=False) == "ab")


@lru_cache(maxsize=2)
def marks(folder: Path) -> tuple[str, ...]:
    """Texts that this tokenizer reads as special tokens, the longest first. Raises ModelUnusable."""
    added = _load(folder / "tokenizer.json").get_added_tokens_decoder()
    return tuple(sorted((each.content for each in added.values() if each.special and each.content.strip()), key=len))[
        ::-1
    ]


@lru_cache(maxsize=2)
def special_ids(folder: Path) -> frozenset[int]:
    """The ids that have no text: ends of a text, of a turn. Raises ModelUnusable."""
    added = _load(folder / "tokenizer.json").get_added_tokens_decoder()
    return frozenset(index for index, token in added.items() if token.special)


@lru_cache(maxsize=2)
def _load(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer  # 40 ms and 10 MB, for a check that few start

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare Exception
        raise ModelUnusable(
            say("The tokenizer {path} cannot be read. Download the model again.", path=path), detail=str(error)
        ) from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
