"""How much memory a model takes: for its weights, and for each token of text that the engine remembers. Pure.

All of it is read from config.json and from the sizes of the weight files. Where a configuration is of an unknown kind,
nothing is said, and vLLM finds out by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_BYTES = {"float32": 4, "float": 4, "float16": 2, "half": 2, "bfloat16": 2}


@dataclass(frozen=True, slots=True)
class Appetite:
    """`weights` in bytes; the rest describes the attention. 0 heads: the configuration is of an unknown kind."""

    weights: int
    heads: int = 0
    kv_heads: int = 0
    numbers_per_layer: int = 0  # that one token leaves in one layer, over all heads
    layers: int = 0  # that remember all of the text
    near_layers: int = 0  # that remember only the last `near` tokens
    near: int = 0
    number_bytes: int = 2
    vocabulary: int = 0
    shared: bool = False
    """Whether each GPU has to keep all of it (latent attention), instead of its part of the heads."""

    @property
    def known(self) -> bool:
        """Whether the memory for text can be told."""
        return bool(self.heads and self.numbers_per_layer and self.layers)

    def per_token(self, gpus: int = 1, *, fp8: bool = False) -> int:
        """Bytes on each GPU for one token that all layers remember."""
        return self.layers * self._layer(gpus, fp8)

    def once(self, gpus: int = 1, *, fp8: bool = False) -> int:
        """Bytes on each GPU for what only the near layers remember, however long the text is."""
        return self.near_layers * self.near * self._layer(gpus, fp8)

    def _layer(self, gpus: int, fp8: bool) -> int:
        share = 1 if self.shared else min(gpus, max(1, self.kv_heads))
        return self.numbers_per_layer * (1 if fp8 else self.number_bytes) // share


def of_model(config: Mapping[str, Any], weights: int, dtype: str = "auto") -> Appetite:
    """From config.json; `weights` is the size of its files in bytes, `dtype` that of the settings."""
    text = config.get("text_config")
    table = {**config, **(text if isinstance(text, Mapping) else {})}
    layers, heads = _number(table, "num_hidden_layers", "n_layer"), _number(table, "num_attention_heads", "n_head")
    kv_heads = _number(table, "num_key_value_heads") or heads
    kinds = table.get("layer_types")
    kinds = [str(kind) for kind in kinds] if isinstance(kinds, list) and len(kinds) == layers else []
    near = _number(table, "sliding_window")
    stated = _BYTES.get(str(table.get("dtype") or table.get("torch_dtype")), 2)
    used = _BYTES.get(dtype) or min(stated, 2)  # by itself vLLM calculates in two bytes
    if used != stated and not (table.get("quantization_config") or table.get("compression_config")):
        weights = weights * used // stated
    near_layers = kinds.count("sliding_attention") if near else 0
    latent = _number(table, "kv_lora_rank")
    head = _number(table, "head_dim") or (_number(table, "hidden_size", "n_embd") // heads if heads else 0)
    return Appetite(
        weights=weights,
        heads=heads,
        kv_heads=kv_heads,
        numbers_per_layer=latent + _number(table, "qk_rope_head_dim") if latent else 2 * kv_heads * head,
        layers=layers - near_layers - sum("attention" not in kind or "linear" in kind for kind in kinds),
        near_layers=near_layers,
        near=near,
        number_bytes=used,
        vocabulary=_number(table, "vocab_size"),
        shared=bool(latent),
    )


def _number(table: Mapping[str, Any], *keys: str) -> int:
    """The first of these that is a whole number; 0 if none is."""
    for key in keys:
        if type(value := table.get(key)) is int and value > 0:
            return value
    return 0
