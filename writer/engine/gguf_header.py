"""What the head of a GGUF file tells: how many parameters, which context, what a token keeps. Reads no weights."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from writer.catalogue.values import Weights
from writer.errors import ModelUnusable
from writer.language import say
from writer.text.sanitise import one_line

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_MOST = 10_000_000  # entries of a list, or characters of a text
_MOST_TENSORS = 100_000


@dataclass(frozen=True, slots=True)
class Header:
    """`weights` are those of the folder that is made of it: plain numbers of two bytes."""

    architecture: str
    licence: str
    weights: Weights


def read(path: Path) -> Header:
    """Raises ModelUnusable if this is no GGUF file, or a damaged one."""
    try:
        with path.open("rb") as file:
            return _read(file)
    except OSError as error:
        raise ModelUnusable(
            say("{path} cannot be read: {why}. Check its permissions.", path=path, why=error.strerror)
        ) from None
    except (ValueError, struct.error, UnicodeDecodeError, KeyError, TypeError, OverflowError, MemoryError):
        raise ModelUnusable(say("{path} is no whole GGUF file. Download it again.", path=path)) from None


def _read(file: BinaryIO) -> Header:
    if file.read(4) != b"GGUF" or _number(file, "I") not in (2, 3):
        raise ValueError("another kind of file")
    tensors, entries = _number(file, "Q"), _number(file, "Q")
    if max(tensors, entries) > _MOST_TENSORS:
        raise ValueError("too many")
    said = dict(_entry(file) for _ in range(entries))
    parameters = sum(_parameters(file) for _ in range(tensors))
    name = str(said.get("general.architecture", ""))
    context = said.get(f"{name}.context_length")
    weights = Weights(2 * parameters, "bf16", _kv_values(said, name), context if type(context) is int else 0)
    return Header(one_line(name, 40), one_line(str(said.get("general.license", "")), 60), weights)


def _entry(file: BinaryIO) -> tuple[str, Any]:
    return _text(file), _value(file, _number(file, "I"))


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _STRING:
        return _text(file)
    if kind != _ARRAY:
        return _number(file, _NUMBERS[kind])
    inner, count = _number(file, "I"), _number(file, "Q")
    if count > _MOST or inner == _ARRAY:
        raise ValueError("too long")
    return [_value(file, inner) for _ in range(count)]


def _parameters(file: BinaryIO) -> int:
    """Of one tensor."""
    _text(file)
    product = 1
    for _ in range(_limited(_number(file, "I"), 8)):
        product *= _number(file, "Q")
    if len(file.read(12)) < 12:  # its kind, and where it lies
        raise ValueError("cut short")
    return _limited(product, 2**50)


def _kv_values(said: dict[str, Any], name: str) -> int:
    layers, heads = _whole(said, f"{name}.block_count"), _whole(said, f"{name}.attention.head_count")
    keys = _whole(said, f"{name}.attention.head_count_kv") or heads
    width = _whole(said, f"{name}.attention.key_length")
    width = width or (_whole(said, f"{name}.embedding_length") // heads if heads else 0)
    return 2 * layers * keys * width


def _whole(said: dict[str, Any], key: str) -> int:
    """A number, or the largest of a list of one for each layer; 0 if it is not told."""
    value = said.get(key)
    value = max(value, default=0) if isinstance(value, list) else value
    return value if type(value) is int and value > 0 else 0


def _text(file: BinaryIO) -> str:
    length = _limited(_number(file, "Q"), _MOST)
    data = file.read(length)
    if len(data) < length:
        raise ValueError("cut short")
    return data.decode("utf-8", "replace")


def _number(file: BinaryIO, form: str) -> Any:
    return struct.unpack(f"<{form}", file.read(struct.calcsize(f"<{form}")))[0]


def _limited(number: int, most: int) -> int:
    if number > most:
        raise ValueError("too large")
    return number
