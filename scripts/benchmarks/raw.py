"""The baseline: raw vLLM in a process of its own, with the very flags of the app's engine and none of the app's code.

With the scripted engine, which has no such thing, the engine itself is asked.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

from benchmarks.ground import Ground
from benchmarks.pairs import rate
from writer.engine.base import Engine, Request
from writer.engine.preparation import Prepared, prepare
from writer.generation.model import Sampling

SERVERS = {"--served-model-name": 1, "--uds": 1, "--uvicorn-log-level": 1, "--sse-keep-alive-interval": 1} | {
    "--middleware": 1,
    "--disable-uvicorn-access-log": 0,
    "--enable-prompt-tokens-details": 0,
}
"""Flags of vLLM's HTTP server, which a bare script has none of, and how many values each has."""
_CHILD = Path(__file__).with_name("raw_child.py")
_TRANSFORMERS = Path(__file__).with_name("transformers_child.py")


@dataclass(frozen=True, slots=True)
class Streamed:
    """What was written, and when: (second, tokens so far), from the request on."""

    moments: tuple[tuple[float, int], ...]
    ids: tuple[tuple[int, ...], ...]
    seconds: float

    @property
    def rate(self) -> float:
        """Tokens per second behind the first."""
        return rate(self.moments)

    @property
    def first(self) -> float:
        """Seconds until the first token."""
        return self.moments[0][0]


class Raw(Protocol):
    """Writes what it is asked for; all prompts at once."""

    def stream(self, prompts: Sequence[Sequence[int]], sampling: Sampling, tokens: int) -> Streamed: ...


def engine_flags(argv: Sequence[str]) -> list[str]:
    """Of the server's command, what makes the engine."""
    rest, flags = iter(argv[3:]), []
    for word in rest:
        if word in SERVERS:
            for _ in range(SERVERS[word]):
                next(rest)
        else:
            flags.append(word)
    return flags


def vllm_sampling(sampling: Sampling, tokens: int) -> dict[str, Any]:
    """As SamplingParams takes it. The text does not end before all tokens are written."""
    names = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty", "seed")
    least = {"min_tokens": min(tokens, sampling.min_tokens)} if sampling.min_tokens else {}
    return {name: getattr(sampling, name) for name in names} | {"ignore_eos": sampling.ignore_eos, **least}


def started_as(ground: Ground) -> Prepared:
    """What this ground's engine was started as. On a GPU its share of the memory must be set, for half is taken now."""
    prepared = prepare(ground.settings.engine, os.environ, _silent)
    return prepared.fitted(_silent) if prepared.fitted else prepared


def _silent(_line: str) -> None:
    """A baseline is prepared without a word."""


@contextmanager
def raw(ground: Ground) -> Iterator[Raw]:
    """The baseline for this ground's engine, started; ended afterwards."""
    if ground.scripted:
        ground.held.hold()
        yield _Scripted(ground)
        return
    launch = started_as(ground).launch
    with child([launch.argv[0], str(_CHILD), *engine_flags(launch.argv)], launch.env) as started:
        yield started


@contextmanager
def transformers(ground: Ground) -> Iterator[Raw]:
    """The same model in Hugging Face's library; with the scripted engine, that one again."""
    if ground.scripted:
        ground.held.hold()
        yield _Scripted(ground)
        return
    prepared = prepare(ground.settings.engine, os.environ, lambda line: None)
    command = [prepared.launch.argv[0], str(_TRANSFORMERS), str(prepared.model_folder), prepared.launch.dtype]
    with child(command, prepared.launch.env) as started:
        yield started


@contextmanager
def child(command: list[str], env: Mapping[str, str]) -> Iterator[Child]:
    """A process that has said "ready"; nothing of it is left afterwards."""
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, env=dict(env), stderr=log, start_new_session=True, **pipes)
        try:
            yield Child(process, log)
        finally:
            process.stdin.close()  # type: ignore[union-attr]
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


class Child:
    """A process that takes a prompt list as a line of JSON and answers with one."""

    def __init__(self, process: subprocess.Popen[str], log: IO[bytes]) -> None:
        self.process = process
        self._log = log
        self._line("ready")

    def stream(self, prompts: Sequence[Sequence[int]], sampling: Sampling, tokens: int) -> Streamed:
        """What it writes for these prompts."""
        order = {"prompts": list(map(list, prompts)), "tokens": tokens, "sampling": vllm_sampling(sampling, tokens)}
        assert self.process.stdin
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        told = json.loads(self._line("an answer"))
        moments = tuple((float(second), int(count)) for second, count in told["moments"])
        return Streamed(moments, tuple(map(tuple, told["ids"])), told["seconds"])

    def _line(self, what: str) -> str:
        assert self.process.stdout
        if line := self.process.stdout.readline():
            return line
        self._log.seek(0)
        said = self._log.read()[-2000:].decode(errors="replace")
        raise SystemExit(f"The baseline ended before it gave {what}:\n{said}")


class _Scripted:
    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    def stream(self, prompts: Sequence[Sequence[int]], sampling: Sampling, tokens: int) -> Streamed:
        async def all_of(engine: Engine) -> Streamed:
            begun, moments, ids = time.perf_counter(), list[tuple[float, int]](), list[tuple[int, ...]]()
            for prompt in prompts:
                ids.append(())
                async for delta in engine.stream(Request(tuple(prompt), sampling, tokens)):
                    ids[-1] += delta.token_ids
                    moments.append((time.perf_counter() - begun, sum(map(len, ids))))
            return Streamed(tuple(moments), tuple(ids), time.perf_counter() - begun)

        return self._ground.held.run(all_of)
