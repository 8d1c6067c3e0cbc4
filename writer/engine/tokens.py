"""Token ids → text without an engine, to check what is stored. The only door to the `tokenizers` library."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from writer.errors import ModelUnusable
from writer.text.sanitise import from_model

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_UNFINISHED = "\ufffd"
_TAIL = 8  # ids of the prompt that can matter to the first character after it


def decode(folder: Path, token_ids: Sequence[int], *, before: Sequence[int] = ()) -> str:
    """The text that vLLM streams for `token_ids` after the prompt `before`, made safe as the client does.

    As in vLLM, special tokens have no text, and a character that is not finished is not shown. Raises ModelUnusable.
    """
    tokenizer = _load(folder / "tokenizer.json")
    tail = list(before[-_TAIL:])
    prompt = tokenizer.decode(tail, skip_special_tokens=True).rstrip(_UNFINISHED)
    whole = tokenizer.decode([*tail, *token_ids], skip_special_tokens=True).rstrip(_UNFINISHED)
    return from_model(whole.removeprefix(prompt))


@lru_cache(maxsize=2)
def _load(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer  # 40 ms and 10 MB, for a check that few start

    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare Exception
        raise ModelUnusable(
            f"The tokenizer {path} cannot be read. Download the model again.", detail=str(error)
        ) from None
