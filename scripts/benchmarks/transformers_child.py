"""Hugging Face transformers in a bare script: the model loaded once, then prompts one after the other, each streamed.

`transformers_child.py FOLDER DTYPE`. Answers like raw_child.py, but has one prompt at a time and no cache between them.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any


class _Moments:
    """A streamer, as `generate` takes it: it is given the prompt first, then each token."""

    def __init__(self, begun: float, moments: list[tuple[float, int]]) -> None:
        self._begun, self._moments = begun, moments
        self._prompt = True

    def put(self, ids: Any) -> None:
        if self._prompt:
            self._prompt = False
            return
        ids.tolist()  # a reader has them here, not on the GPU
        count = self._moments[-1][1] if self._moments else 0
        self._moments.append((time.perf_counter() - self._begun, count + 1))

    def end(self) -> None:
        return


def _answer(model: Any, device: str, order: dict[str, Any]) -> dict[str, Any]:
    import torch

    begun, moments, ids = time.perf_counter(), list[tuple[float, int]](), list[list[int]]()
    names = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")
    asked = {name: order["sampling"][name] for name in names}
    asked["top_k"] = max(0, asked["top_k"])
    for prompt in order["prompts"]:
        torch.manual_seed(order["sampling"]["seed"])
        given = torch.tensor([prompt], device=device)
        length = {"max_new_tokens": order["tokens"], "min_new_tokens": order["tokens"]}
        with torch.inference_mode():
            whole = model.generate(
                given,
                attention_mask=torch.ones_like(given),
                do_sample=True,
                pad_token_id=0,
                streamer=_Moments(begun, moments),
                **asked,
                **length,
            )
        ids.append(whole[0, len(prompt) :].tolist())
    return {"moments": moments, "ids": ids, "seconds": time.perf_counter() - begun}


def _loaded(folder: str, dtype: str) -> tuple[Any, str]:
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_num_threads(max(1, len(os.sched_getaffinity(0)) - 1))  # as vLLM does: one core is the front end's
    kind = getattr(torch, dtype) if dtype != "auto" else torch.bfloat16 if device == "cuda" else torch.float32
    if _has_weights(folder):
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=kind)
    else:  # a shape for measurements: random weights, made where they are used
        with torch.device(device):
            model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(folder), dtype=kind)
    return model.to(device).eval(), device


def _has_weights(folder: str) -> bool:
    return sum(path.stat().st_size for path in Path(folder).glob("*.safetensors")) > 1_000_000


def main() -> None:
    """Only answers go to stdout."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    model, device = _loaded(*sys.argv[1:3])
    out.write("ready\n")
    out.flush()
    for line in sys.stdin:
        out.write(json.dumps(_answer(model, device, json.loads(line))) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
