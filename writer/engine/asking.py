"""A request as vLLM takes it. Pure.

What shapes the words is told to our own processor (plugin/writer_wishes.py) by `vllm_xargs`. A server without it would
ignore that in silence, so it is refused here. Stop strings are never sent: they are matched over all of the text by
`generation/stops.py`, for a server sees only what it wrote since the last resume.
"""

from __future__ import annotations

from typing import Any

from writer.engine.base import EngineFacts, Request
from writer.generation.sampling import require_ability, word_control


def completion(facts: EngineFacts, request: Request) -> dict[str, Any]:
    """The body of a streamed completion. Raises RequestRefused for what this engine cannot do."""
    sampling = request.sampling
    require_ability(sampling, has_word_control=facts.word_control)
    most = min(request.max_tokens, facts.window - len(request.prompt_ids))
    return {
        "model": facts.model,
        "prompt": list(request.prompt_ids),
        "max_tokens": most,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k,
        "min_p": sampling.min_p,
        "repetition_penalty": sampling.repetition_penalty,
        "ignore_eos": sampling.ignore_eos,
        "stream": True,
        "return_token_ids": True,
        "stream_options": {"include_usage": True},
        **_least(request, most),
        **(_wishes(request) if facts.word_control else {"seed": sampling.seed}),
    }


def _least(request: Request, most: int) -> dict[str, int]:
    least = min(most, request.sampling.min_tokens - request.generated)
    return {"min_tokens": least} if least > 0 else {}


def _wishes(request: Request) -> dict[str, Any]:
    """For our processor, which draws by the seed itself. The length of the original prompt tells what was generated.

    With a seed of its own vLLM's runner would keep a generator for the request; on a CPU that ends the engine as soon
    as a prompt is read in more than one step.
    """
    sampling = request.sampling
    wishes: dict[str, Any] = {"seed": sampling.seed}
    if not word_control(sampling):
        return _named(wishes)
    wishes |= {
        "prompt": len(request.prompt_ids) - request.generated,
        "presence": sampling.presence_penalty,
        "frequency": sampling.frequency_penalty,
    }
    if sampling.dry_multiplier:
        wishes |= {
            "dry_multiplier": sampling.dry_multiplier,
            "dry_base": sampling.dry_base,
            "dry_length": sampling.dry_allowed_length,
            "dry_range": sampling.dry_range,
            "dry_breakers": list(sampling.dry_breakers),
        }
    if sampling.xtc_probability:
        wishes |= {"xtc_threshold": sampling.xtc_threshold, "xtc_probability": sampling.xtc_probability}
    if sampling.banned:
        wishes["banned"] = list(sampling.banned)
    return _named(wishes)


def _named(wishes: dict[str, Any]) -> dict[str, Any]:
    return {"vllm_xargs": {f"writer_{name}": value for name, value in wishes.items()}}
