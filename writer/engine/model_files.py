"""What a model folder holds: is it whole, does it run foreign code, how is it recognised. Reads headers, never weights.

A folder that passes `check` may still not be one that the engine can run; one that fails would end in a
traceback twenty seconds after the start, so it is refused here, with the file and the bytes named.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from writer.engine.weights import check_weights, files, incomplete, read_json
from writer.errors import ModelUnusable
from writer.generation.model import Fingerprint
from writer.language import say

_TOKENIZERS = ("tokenizer.json", "tokenizer.model", "tekken.json", "vocab.json")
_SMALL = (
    "config.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "chat_template.jinja",
    "chat_template.json",
)
_UNKNOWN_WINDOW = 2048  # what vLLM assumes when a configuration does not say


def check(folder: Path, *, trusted: bool = False) -> None:
    """Raises ModelUnusable, naming file and missing bytes, unless the folder holds a whole model without code.

    `trusted`: the user has allowed this model to run code.
    """
    if not folder.is_dir():
        raise ModelUnusable(
            say("The model folder {folder} does not exist. Correct engine.model in the settings.", folder=folder)
        )
    config = read_json(folder, "config.json")
    if not trusted and (code := own_code(folder, config)):
        raise ModelUnusable(
            say(
                "The model in {folder} wants to run code of its own ({code}), which writer does not allow. "
                "Choose a model without custom code, or trust this one with engine.trusted_model in your "
                "settings.",
                folder=folder,
                code=code,
            )
        )
    if not any((folder / name).is_file() for name in _TOKENIZERS):
        raise incomplete(folder, say("tokenizer.json is missing"))
    check_weights(folder, pickles=trusted)


def open_to_others(folder: Path) -> Path | None:
    """What other users of this machine could exchange: the folder, one above it, or a file in it; None if nothing."""
    looked_at = [*folder.resolve().parents, *(path.resolve() for path in folder.iterdir()), folder.resolve()]
    return next((path for path in reversed(looked_at) if _writable_by_others(path)), None)


def _writable_by_others(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    sticky = stat.S_ISDIR(mode) and bool(mode & stat.S_ISVTX)  # as /tmp: others may add, but not exchange
    return bool(mode & (stat.S_IWGRP | stat.S_IWOTH)) and not sticky


def fingerprint(folder: Path) -> Fingerprint:
    """Model and tokenizer as sha256; `engine` stays empty. Costs milliseconds: of the weights only names and sizes.

    Raises ModelUnusable.
    """
    try:
        return _fingerprint(folder)
    except OSError as error:
        raise ModelUnusable(
            say(
                "The model in {folder} cannot be read: {why}. Check its permissions.", folder=folder, why=error.strerror
            )
        ) from None


def _fingerprint(folder: Path) -> Fingerprint:
    tokenizer = next((folder / name for name in _TOKENIZERS if (folder / name).is_file()), None)
    tokenizer_digest = _digest(tokenizer) if tokenizer else ""
    model = hashlib.sha256(tokenizer_digest.encode())
    for name in _SMALL:
        if (folder / name).is_file():
            model.update(f"{name} {_digest(folder / name)}\n".encode())
    for path in files(folder):
        model.update(f"{path.name} {path.stat().st_size}\n".encode())
    return Fingerprint(model=model.hexdigest(), tokenizer=tokenizer_digest)


def window(folder: Path) -> int:
    """Tokens that the model was made for (max_position_embeddings); 2048, as vLLM assumes, if it does not say."""
    return window_of(read_json(folder, "config.json"))


def window_of(config: Mapping[str, Any]) -> int:
    """The same, of a configuration."""
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
        read_json(folder, "tokenizer_config.json").get("chat_template")
    )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def own_code(folder: Path, config: dict[str, Any] | None = None) -> str:
    """What of the folder would be run as code; "" if nothing. Raises ModelUnusable."""
    if script := next(folder.glob("*.py"), None):
        return script.name
    tables = {"config.json": read_json(folder, "config.json") if config is None else config}
    tables |= {path.name: read_json(folder, path.name) for path in folder.glob("*_config.json") if path.is_file()}
    return next((say("auto_map in {name}", name=name) for name, table in tables.items() if names_code(table)), "")


def names_code(value: Any) -> bool:
    """Whether "auto_map" stands anywhere in it: vLLM has followed those of parts of a model, too."""
    if isinstance(value, dict):
        return "auto_map" in value or any(map(names_code, value.values()))
    return isinstance(value, list) and any(map(names_code, value))
