"""Which files of a model on the hub are wanted: safetensors, configuration, tokenizer, licence. Pure.

Never code, never pickles, nothing in folders: those hold the same weights once more, for other programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from writer.catalogue.values import HubFile
from writer.errors import ModelUnusable
from writer.language import say

PATTERNS = ("*.safetensors", "*.json", "*.jinja", "*.txt", "*.model", "LICENSE*", "NOTICE*", "README.md", "USE_POLICY*")
"""What may be fetched, and nothing else."""
_WANTED = re.compile(
    r"(?!consolidated)[A-Za-z0-9_][\w.-]*\.(?:safetensors|json|jinja|txt|model)"
    r"|(?:LICENSE|NOTICE|USE_POLICY)[\w.-]*|README\.md",
    re.ASCII,
)
_SMALL = 64 * 2**20
"""Bytes; what is larger and holds no weights is not part of a model that writes."""
_DIGEST = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def wanted(hub: str, listed: Iterable[HubFile]) -> tuple[HubFile, ...]:
    """The files to fetch, small ones first. Raises ModelUnusable if there is no model that can be used."""
    everything = tuple(listed)
    found = [file for file in everything if _is_wanted(file)]
    if not any(file.name.endswith(".safetensors") for file in found):
        raise ModelUnusable(_without_weights(hub, [file.name for file in everything]))
    if missing := next((name for name in ("config.json",) if all(file.name != name for file in found)), ""):
        raise ModelUnusable(
            say(
                "{hub} has no {missing}, so it is no model that vLLM can run. Choose another one.",
                hub=hub,
                missing=missing,
            )
        )
    return tuple(sorted(found, key=lambda file: (file.size, file.name)))


def _is_wanted(file: HubFile) -> bool:
    if not (_WANTED.fullmatch(file.name) and _DIGEST.fullmatch(file.digest) and file.size >= 0):
        return False
    return file.name.endswith(".safetensors") or file.size <= _SMALL


def _without_weights(hub: str, names: list[str]) -> str:
    if any(name.endswith(".gguf") for name in names):
        return say(
            "{hub} holds GGUF files. Download the one you want with a browser, then add that file. Or "
            "choose the model's own page, with safetensors.",
            hub=hub,
        )
    if any(name.endswith((".bin", ".pt", ".pth", ".ckpt")) for name in names):
        return say(
            "The weights of {hub} are pickle files, which may run code. Choose a model with safetensors.", hub=hub
        )
    return say("{hub} holds no weights (*.safetensors). Check the name, or choose another model.", hub=hub)
