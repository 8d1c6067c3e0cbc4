"""A real `vllm serve` over TCP with a key, spoken to as `engine.url` does: `.venv/bin/python scripts/served.py`.

Needs the small model that comes with writer, and some minutes of a CPU. Prints what holds; exit code 1 if one does not.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from writer import locations
from writer.config import EngineSettings
from writer.engine.base import ChatMessage, Engine, Request
from writer.engine.models import DEFAULT_MODEL
from writer.engine.remote import RemoteEngine
from writer.errors import WriterError
from writer.generation.model import Sampling

ROOT = Path(__file__).resolve().parent.parent
KEY = "quartz-1"
GREEDY = Sampling(seed=5, temperature=0.0, max_tokens=60, repetition_penalty=1.1, ignore_eos=True)
"""A CPU's runner does not draw by position without writer's processor, which a server of others lacks: no draw then."""
START = 600.0
"""Seconds that the server may take to answer."""
_ASK = [ChatMessage("user", "Tell a story of the sea.")]


@contextmanager
def server(port: int, log: Path) -> Iterator[None]:
    """The small model at that port, its output in `log`."""
    plugin = ROOT / "writer" / "engine" / "plugin"
    ours = {"PYTHONPATH": f"{plugin / 'site'}:{plugin}", "VLLM_API_KEY": KEY, "VLLM_USE_V2_MODEL_RUNNER": "0"}
    quiet = {"VLLM_NO_USAGE_STATS": "1", "HF_HUB_OFFLINE": "1"}
    model = str(locations.data_dir() / "models" / DEFAULT_MODEL)
    flags = (
        f"--model {model} --served-model-name small --host 127.0.0.1 --port {port} --enforce-eager "
        f"--max-model-len 2048 --dtype float32 --block-size 32 --kv-cache-memory-bytes {300 << 20} "
        "--max-num-batched-tokens 512 --generation-config vllm --enable-prompt-tokens-details"
    )
    with log.open("wb") as out:
        child = subprocess.Popen(
            [sys.executable, "-m", "vllm.entrypoints.openai.api_server", *flags.split()],
            env=os.environ | ours | quiet,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
        try:
            yield
        finally:
            os.killpg(child.pid, signal.SIGTERM)
            try:
                child.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)


async def refused(url: str, key: str) -> str:
    """What is said with a key that is none, once the server answers at all."""
    end = asyncio.get_running_loop().time() + START
    while True:
        try:
            await RemoteEngine(EngineSettings(url=url), environ={"WRITER_API_KEY": key}).acquire(lambda status: None)
        except WriterError as error:
            if "does not answer" not in error.sentence or asyncio.get_running_loop().time() > end:
                return error.sentence
            await asyncio.sleep(1)
        else:
            return "it was let in"


async def attached(url: str, **settings: str) -> Engine:
    """The server with these settings and the right key."""
    source = RemoteEngine(EngineSettings(url=url, **settings), environ={"WRITER_API_KEY": KEY})  # type: ignore[arg-type]
    return await source.acquire(lambda status: None)


async def written(engine: Engine, ids: tuple[int, ...], tokens: int) -> tuple[tuple[int, ...], str]:
    """So many tokens behind the prompt."""
    found: tuple[int, ...] = ()
    text = ""
    async for delta in engine.stream(Request(ids, GREEDY, tokens)):
        found, text = found + delta.token_ids, text + delta.text
    return found, text


async def checked(url: str) -> list[tuple[str, bool]]:
    """What is to hold, and whether it does."""
    none, wrong = await refused(url, ""), await refused(url, "wrong")
    mine, other = await attached(url, cache_salt="mine"), await attached(url, cache_salt="other")
    by_text = await attached(url, protocol="openai")
    try:
        ids = await mine.render(_ASK) or ()
        whole, _ = await written(mine, ids, 60)
        rest, _ = await written(mine, ids + whole[:21], 39)
        found = [
            (f"without a key: {none}", "wants an API key" in none),
            (f"with a wrong key: {wrong}", "wants another API key" in wrong),
            ("a resume over TCP goes on with the same tokens", whole == whole[:21] + rest),
            ("the same salt finds its cache", bool((await mine.probe(ids + whole)).cached_tokens)),
            ("another salt does not", (await other.probe(ids + whole)).cached_tokens == 0),
            ("other words are told", len(await mine.alternatives(ids, 3)) == 3),
        ]
        _, text = await written(by_text, await by_text.render(_ASK) or (), 20)
        _, more = await written(by_text, await by_text.tokenize("The sea was"), 20)
        return [
            *found,
            ("a talk and a text go on by text", bool(text.strip() and more.strip() and by_text.facts.by_text)),
        ]
    finally:
        for each in (mine, other, by_text):
            await each.aclose()


def main() -> int:
    """Returns the exit code."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = Path(tempfile.mkdtemp(prefix="served-")) / "vllm.log"
    with server(port, log):
        found = asyncio.run(checked(f"http://127.0.0.1:{port}/v1"))
    for what, holds in found:
        sys.stdout.write(f"{'ok ' if holds else 'NOT'}  {what}\n")
    if not all(holds for _, holds in found):
        sys.stdout.write(f"The server's log is {log}.\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
