"""What a model folder holds: is it whole, does it run foreign code, how is it recognised. Reads headers, never weights.

A folder that passes `check` may still not be one that the engine can run; one that fails would end in a
traceback twenty seconds after the start, so it is refused here, with the file and the bytes named.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from writer.errors import ModelUnusable
from writer.generation.model import Fingerprint

_TOKENIZERS = ("tokenizer.json", "tokenizer.model", "tekken.json", "vocab.json")
_SMALL = (
    "config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "chat_template.jinja",
    "chat_template.json",
)
_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt")
_SHARD = re.compile(r"(.+)-(\d{5})-of-(\d{5})\.safetensors")
_LONGEST_HEADER = 100_000_000  # the limit of the safetensors format
_UNKNOWN_WINDOW = 2048  # what vLLM assumes when a configuration does not say


def check(folder: Path) -> None:
    """Raises ModelUnusable, naming file and missing bytes, unless the folder holds a whole model without code."""
    if not folder.is_dir():
        raise ModelUnusable(f"The model folder {folder} does not exist. Correct engine.model in the settings.")
    _refuse_code(folder, _json(folder, "config.json"))
    if not any((folder / name).is_file() for name in _TOKENIZERS):
        raise _incomplete(folder, "tokenizer.json is missing")
    for name in _weights(folder):
        _check_safetensors(folder, name)


def fingerprint(folder: Path) -> Fingerprint:
    """Model and tokenizer as sha256; `engine` stays empty. Costs milliseconds: of the weights only names and sizes.

    Raises ModelUnusable.
    """
    try:
        return _fingerprint(folder)
    except OSError as error:
        raise ModelUnusable(f"The model in {folder} cannot be read: {error.strerror}. Check its permissions.") from None


def _fingerprint(folder: Path) -> Fingerprint:
    tokenizer = next((folder / name for name in _TOKENIZERS if (folder / name).is_file()), None)
    tokenizer_digest = _digest(tokenizer) if tokenizer else ""
    model = hashlib.sha256(tokenizer_digest.encode())
    for name in _SMALL:
        if (folder / name).is_file():
            model.update(f"{name} {_digest(folder / name)}\n".encode())
    for path in sorted(folder.glob("*.safetensors")):
        model.update(f"{path.name} {path.stat().st_size}\n".encode())
    return Fingerprint(model=model.hexdigest(), tokenizer=tokenizer_digest)


def window(folder: Path) -> int:
    """Tokens that the model was made for (max_position_embeddings); 2048, as vLLM assumes, if it does not say."""
    config = _json(folder, "config.json")
    text = config.get("text_config")
    for table in (config, text if isinstance(text, dict) else {}):
        for key in ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "max_sequence_length"):
            if isinstance(value := table.get(key), int) and value > 0:
                return value
    return _UNKNOWN_WINDOW


def has_chat_template(folder: Path) -> bool:
    """Whether the model was trained to answer: then a prompt is rendered by its template."""
    if any((folder / name).is_file() for name in ("chat_template.jinja", "chat_template.json")):
        return True
    return (folder / "tokenizer_config.json").is_file() and bool(
        _json(folder, "tokenizer_config.json").get("chat_template")
    )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _incomplete(folder: Path, what: str) -> ModelUnusable:
    """The sentence of a folder that lacks something; says so if a download was cut short."""
    partial = sum(1 for _ in folder.rglob("*.incomplete"))
    if folder.parent.name == "snapshots":  # the hub's cache keeps parts beside the snapshots
        partial += sum(1 for _ in (folder.parent.parent / "blobs").glob("*.incomplete"))
    cause = " A download was interrupted." if partial else ""
    return ModelUnusable(f"The model in {folder} is incomplete: {what}.{cause} Download it again.")


def _json(folder: Path, name: str) -> dict[str, Any]:
    try:
        table = json.loads((folder / name).read_bytes())
    except FileNotFoundError:
        raise _incomplete(folder, f"{name} is missing") from None
    except (ValueError, UnicodeDecodeError):
        raise _incomplete(folder, f"{name} is not valid JSON") from None
    except OSError as error:
        raise ModelUnusable(f"{folder / name} cannot be read: {error.strerror}. Check its permissions.") from None
    if not isinstance(table, dict):
        raise _incomplete(folder, f"{name} is not a JSON object")
    return table


def _refuse_code(folder: Path, config: dict[str, Any]) -> None:
    tables = [config]
    if (folder / "tokenizer_config.json").is_file():
        tables.append(_json(folder, "tokenizer_config.json"))
    script = next(folder.glob("*.py"), None)
    if script is not None or any(map(_names_code, tables)):
        where = script.name if script else "auto_map in its configuration"
        raise ModelUnusable(
            f"The model in {folder} wants to run code of its own ({where}), which writer does not allow. "
            "Choose a model without custom code."
        )


def _names_code(value: Any) -> bool:
    """Whether "auto_map" stands anywhere in it: vLLM has followed those of parts of a model, too."""
    if isinstance(value, dict):
        return "auto_map" in value or any(map(_names_code, value.values()))
    return isinstance(value, list) and any(map(_names_code, value))


def _weights(folder: Path) -> list[str]:
    """Names of the safetensors files that belong to the model. Raises if there are none."""
    if (folder / "model.safetensors.index.json").is_file():
        mapping = _json(folder, "model.safetensors.index.json").get("weight_map")
        if isinstance(mapping, dict) and mapping:
            return sorted({str(name) for name in mapping.values()})
        raise _incomplete(folder, "model.safetensors.index.json names no weights")
    names = sorted(path.name for path in folder.glob("*.safetensors"))
    if not names:
        if any(next(folder.glob(pattern), None) for pattern in _PICKLES):
            raise ModelUnusable(
                f"The weights in {folder} are pickle files, which may run code. Choose a model with safetensors."
            )
        raise _incomplete(folder, "there are no weights (*.safetensors)")
    return sorted({*names, *_shards_of(names)})


def _shards_of(names: list[str]) -> set[str]:
    """All names of the sets that `names` are part of ("model-00001-of-00003.safetensors")."""
    found = [match for name in names if (match := _SHARD.fullmatch(name))]
    return {f"{m[1]}-{n:05}-of-{m[3]}.safetensors" for m in found for n in range(1, min(int(m[3]), 9999) + 1)}


def _check_safetensors(folder: Path, name: str) -> None:
    path = folder / name
    if Path(name).name != name:
        raise ModelUnusable(f"The model in {folder} names weights outside its folder ({name}). Download it again.")
    try:
        size = path.stat().st_size
        wanted = _length_by_header(path, size)
    except FileNotFoundError:
        raise _incomplete(folder, f"{name} is missing") from None
    except OSError as error:
        raise ModelUnusable(f"{path} cannot be read: {error.strerror}. Check its permissions.") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise _incomplete(folder, f"{name} is damaged (its header cannot be read)") from None
    if size < wanted:
        raise _incomplete(folder, f"{name} is truncated, {wanted - size:,} bytes are missing")
    if size > wanted:
        raise _incomplete(folder, f"{name} is damaged, {size - wanted:,} bytes do not belong to it")


def _length_by_header(path: Path, size: int) -> int:
    """Bytes that a safetensors file must have: 8 + header + the end of its last tensor."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if size < 8:
            return 8 + length if length else 8
        if length > _LONGEST_HEADER:
            raise ValueError("header too long")
        if size < 8 + length:
            return 8 + length
        header = json.loads(file.read(length))
    ends = (int(entry["data_offsets"][1]) for key, entry in header.items() if key != "__metadata__")
    return 8 + length + max(ends, default=0)
