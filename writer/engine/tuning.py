"""Whether a cache on disk pays on this machine: how fast the engine reads a prompt, how fast the disk gives it back.

Reading n tokens takes a·n + b·n² seconds, since each looks at all before it; two lengths tell a and b. The disk takes
n · bytes per token / speed. Where the first is more, the disk pays.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from writer import locations
from writer.engine.base import Engine
from writer.engine.keeper_state import write_private
from writer.errors import EngineError
from writer.language import say

LONGEST = 16_384  # tokens of the longest prompt that is measured
THROUGH_VLLM = 2e9  # bytes a second that vLLM moved at most from a disk to a GPU, however fast the disk was (an H200)
_SHORTEST = 512
_TRIAL = 512 * 2**20  # bytes that are written and read back
_PIECE = 8 * 2**20
_READERS = 4
_TIMES = 3
_LOW, _HIGH = 300, 20_000  # ids of ordinary words in every vocabulary
_EXAMPLE = 10_000  # tokens: about 7,500 words


@dataclass(frozen=True, slots=True)
class Measured:
    """`anew`: (tokens, seconds) of two prompts that were read without a cache. `disk` in bytes a second."""

    anew: tuple[tuple[int, float], tuple[int, float]]
    disk: float
    bytes_per_token: int
    window: int

    def reading(self, tokens: int) -> float:
        """Seconds to read so many tokens anew."""
        each, growth = self._law()
        return each * tokens + growth * tokens**2

    def loading(self, tokens: int) -> float:
        """Seconds to get them back from the disk."""
        return tokens * self._load()

    def pays_from(self) -> int | None:
        """Tokens from which on the disk is quicker; None if it is not within the window."""
        each, growth = self._law()
        if each >= self._load():
            return 0
        tokens = int((self._load() - each) / growth) + 1 if growth > 0 else self.window + 1
        return tokens if tokens <= self.window else None

    def _law(self) -> tuple[float, float]:
        (few, quick), (many, slow) = self.anew
        growth = max(0.0, (slow / many - quick / few) / (many - few))
        return slow / many - growth * many, growth

    def _load(self) -> float:
        return self.bytes_per_token / min(self.disk, THROUGH_VLLM)


def verdict(found: Measured) -> str:
    """What follows, in plain words."""
    example = min(_EXAMPLE, found.window)
    figures = say(
        "{example:,} tokens are read anew in {reading:.2f} s, and would come back from the disk in {loading:.2f} s",
        example=example,
        reading=found.reading(example),
        loading=found.loading(example),
    )
    start = found.pays_from()
    if start is None:
        return say("A cache on disk does not pay here: {figures}. Leave engine.kv_disk_gib at 0.", figures=figures)
    room = max(1, round(4 * found.window * found.bytes_per_token / 2**30))
    length = say(" for texts longer than {start:,} tokens", start=start) if start else ""
    return say(
        "A cache on disk pays here{length}: {figures}. Set engine.kv_disk_gib to {room} or more in your settings.",
        length=length,
        figures=figures,
        room=room,
    )


async def measure(engine: Engine, folder: Path, bytes_per_token: int, tell: Callable[[str], None]) -> Measured:
    """Takes up to a minute. The disk is tried in `folder`. Raises EngineError where there is nothing to tune."""
    longest = min(LONGEST, engine.facts.window - 64)
    if longest < 2 * _SHORTEST:
        raise EngineError(
            say("The window is too small for a cache on disk to matter. Set engine.window to 2048 or more.")
        )
    tell(say("measuring how fast the engine reads…"))
    await _read(engine, _SHORTEST // 2)  # the first request does more than later ones
    anew = [(count, min([await _read(engine, count) for _ in range(_TIMES)])) for count in (longest // 4, longest)]
    tell(say("measuring the disk…"))
    disk = await asyncio.to_thread(disk_speed, folder)
    return Measured((anew[0], anew[1]), disk, bytes_per_token, engine.facts.window)


async def _read(engine: Engine, tokens: int) -> float:
    """Seconds for a prompt that nobody has sent before."""
    ids = random.SystemRandom().choices(range(_LOW, _HIGH), k=tokens)
    begun = time.perf_counter()
    await engine.probe(ids)
    return max(1e-6, time.perf_counter() - begun)


def disk_speed(folder: Path, trial: int = _TRIAL) -> float:
    """Bytes a second that come back from this folder's disk. Blocks for seconds. Raises EngineError."""
    path = folder / f".trial-{os.getpid()}"
    try:
        if os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize < 4 * trial:
            raise EngineError(
                say(
                    "The disk of {folder} is nearly full, so nothing can be kept there. Free some space.", folder=folder
                )
            )
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            return _timed(handle, trial)
        finally:
            os.close(handle)
            path.unlink(missing_ok=True)
    except OSError as error:
        raise EngineError(
            say("The disk of {folder} cannot be measured ({why}). Free some space.", folder=folder, why=error.strerror)
        ) from None


def _timed(handle: int, trial: int) -> float:
    piece = random.SystemRandom().randbytes(_PIECE)  # nothing that a file system could compress
    for _ in range(max(1, trial // _PIECE)):
        os.write(handle, piece)
    os.fsync(handle)
    os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)  # else main memory would answer
    size = os.fstat(handle).st_size
    begun = time.perf_counter()
    with ThreadPoolExecutor(_READERS) as readers:
        read = sum(readers.map(lambda at: len(os.pread(handle, _PIECE, at)), range(0, size, _PIECE)))
    return read / max(1e-6, time.perf_counter() - begun)


def remember(found: Measured, model: str) -> None:
    """For the doctor. `model`: the served name."""
    pays = found.pays_from() is not None
    write_private(_file(), asdict(found) | {"model": model, "pays": pays, "sentence": verdict(found)})


def remembered() -> dict[str, Any]:
    """What was found the last time; {} if nothing was."""
    try:
        values = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return values if isinstance(values, dict) else {}


def _file() -> Path:
    return locations.log_dir().parent / "tuned.json"
