"""Ids become the text that was streamed, without an engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from writer.engine.tokens import decode
from writer.errors import ModelUnusable


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tokenizer of single bytes: id = place in the sorted byte alphabet; the last id is special."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={letter: n for n, letter in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<|end|>"])
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def _ids(folder: Path, text: str) -> list[int]:
    ids: list[int] = Tokenizer.from_file(str(folder / "tokenizer.json")).encode(text).ids
    return ids


def test_text_comes_back_without_special_tokens_and_control_codes(folder: Path) -> None:
    assert decode(folder, [*_ids(folder, "The 海 🌊"), 256]) == "The 海 🌊"
    assert decode(folder, _ids(folder, "a\x1b[1m\r\nb")) == "a␛[1m\nb"


def test_an_unfinished_character_is_not_shown(folder: Path) -> None:
    ids = _ids(folder, "a🌊")
    assert [decode(folder, ids[:n]) for n in range(len(ids) + 1)] == ["", "a", "a", "a", "a", "a🌊"]


def test_a_character_that_begins_in_the_prompt_belongs_to_the_text(folder: Path) -> None:
    ids = _ids(folder, "a🌊b")
    for cut in range(2, 5):
        assert decode(folder, ids[cut:], before=ids[:cut]) == "🌊b"


def test_a_damaged_tokenizer_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(ModelUnusable, match="cannot be read"):
        decode(tmp_path, [1])
