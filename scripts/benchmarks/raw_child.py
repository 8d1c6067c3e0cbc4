"""Raw vLLM: AsyncLLM in a bare script, which is what the app is measured against. Knows nothing of writer.

Takes vLLM's own flags. Then one JSON object a line on stdin, one line of answer on stdout:
{"prompts": [[ids], …], "tokens": n, "sampling": {…}} → {"moments": [[second, tokens so far], …], "ids": [[…], …],
"seconds": s}; all prompts at once, seconds from the request on.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from typing import Any


def _engine(flags: list[str]) -> Any:
    from vllm.engine.arg_utils import AsyncEngineArgs
    from vllm.v1.engine.async_llm import AsyncLLM

    try:
        from vllm.utils.argparse_utils import FlexibleArgumentParser
    except ImportError:
        from vllm.utils import FlexibleArgumentParser

    parser = AsyncEngineArgs.add_cli_args(FlexibleArgumentParser())
    return AsyncLLM.from_engine_args(AsyncEngineArgs.from_cli_args(parser.parse_args(flags)))


async def _answer(engine: Any, number: int, order: dict[str, Any]) -> dict[str, Any]:
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind

    begun, moments = time.perf_counter(), list[tuple[float, int]]()
    ids: list[list[int]] = [[] for _ in order["prompts"]]

    async def one(index: int, prompt: list[int]) -> None:
        params = SamplingParams(
            max_tokens=order["tokens"], output_kind=RequestOutputKind.DELTA, detokenize=True, **order["sampling"]
        )
        async for output in engine.generate({"prompt_token_ids": prompt}, params, f"{number}-{index}"):
            if new := list(output.outputs[0].token_ids):
                ids[index] += new
                moments.append((time.perf_counter() - begun, sum(map(len, ids))))

    await asyncio.gather(*(one(index, prompt) for index, prompt in enumerate(order["prompts"])))
    return {"moments": moments, "ids": ids, "seconds": time.perf_counter() - begun}


async def _serve(flags: list[str], out: Any) -> None:
    engine = _engine(flags)
    out.write("ready\n")
    out.flush()
    number = 0
    while line := await asyncio.to_thread(sys.stdin.readline):
        number += 1
        out.write(json.dumps(await _answer(engine, number, json.loads(line))) + "\n")
        out.flush()
    engine.shutdown()


def main() -> None:
    """stdout belongs to the answers alone: what vLLM and its processes say there goes to stderr."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    asyncio.run(_serve(sys.argv[1:], out))


if __name__ == "__main__":
    main()
