"""The main promise on the real engine: draft, kill -9, resume, and the words are those of an undisturbed run."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

CUTS = int(os.environ.get("WRITER_CUTS", "2"))
TOKENS = int(os.environ.get("WRITER_TOKENS", "160"))
BLOCK = int(os.environ.get("WRITER_BLOCK", "32"))  # tokens per cache block: 32 on a CPU, 16 on a GPU
pytestmark = pytest.mark.engine


def writer(env: dict[str, str], *words: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "writer", *map(str, words)]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)


def events(env: dict[str, str], *words: object) -> list[dict[str, Any]]:
    process = writer(env, *words, "--json")
    out, _ = process.communicate(timeout=400)
    assert process.returncode == 0, out
    return [json.loads(line) for line in out.splitlines()]


def new(env: dict[str, str], folder: Path) -> Path:
    writer(env, "new", folder, "--title", "Salt").communicate(timeout=60)
    (folder / "chapters/01-chapter-1.md").write_text("The lamp had gone out an hour before the ship was seen.")
    return folder


def draft(folder: Path, temperature: float) -> tuple[object, ...]:
    return "draft", folder, "--max-tokens", TOKENS, "--seed", 4, "--temperature", temperature


def killed(env: dict[str, str], folder: Path, temperature: float, tokens: int) -> list[int]:
    """Token ids that a draft printed before it was killed at about that many."""
    process = writer(env, *draft(folder, temperature), "--json")
    assert process.stdout is not None
    told: list[int] = []
    for line in process.stdout:
        event = json.loads(line)
        told += event.get("token_ids", [])
        if len(told) >= tokens:
            break
    process.send_signal(signal.SIGKILL)
    for line in process.stdout:
        told += json.loads(line).get("token_ids", []) if line.endswith("}\n") else []
    process.wait()
    return told


def exported(env: dict[str, str], folder: Path) -> list[int]:
    out, _ = writer(env, "state", "export", folder, "--json").communicate(timeout=60)
    return json.loads(out)["generations"][0]["token_ids"]  # type: ignore[no-any-return]


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_killed_and_resumed_equals_undisturbed(real_engine: dict[str, str], tmp_path: Path, temperature: float) -> None:
    whole_folder = new(real_engine, tmp_path / "whole")
    undisturbed = events(real_engine, *draft(whole_folder, temperature))
    prompt_tokens = undisturbed[0]["prompt_tokens"]
    whole = [i for e in undisturbed for i in e.get("token_ids", [])]
    text = (whole_folder / "chapters/01-chapter-1.md").read_text()
    rnd = random.Random(temperature)
    for cut in [rnd.randrange(1, len(whole) * 4 // 5) for _ in range(CUTS)]:  # later ones may end before the kill
        folder = new(real_engine, tmp_path / f"cut-{cut}-{rnd.random()}")
        told = killed(real_engine, folder, temperature, cut)
        begun = time.monotonic()
        resumed = events(real_engine, "resume", folder)
        started = resumed[0]
        saved = started["resumed_from"]
        assert whole[: len(told)] == told
        assert len(told) <= saved <= len(told) + 1
        assert exported(real_engine, folder) == whole
        assert (folder / "chapters/01-chapter-1.md").read_text() == text
        assert started["cached_tokens"] == (started["prompt_tokens"] - 1) // BLOCK * BLOCK
        assert (
            prompt_tokens + saved - 3 <= started["prompt_tokens"] <= prompt_tokens + saved
        )  # half a character comes again
        print(f"T={temperature} cut {cut}: {started}, {time.monotonic() - begun:.1f} s")  # noqa: T201


def test_state_check_decodes_what_the_engine_said(real_engine: dict[str, str], tmp_path: Path) -> None:
    folder = new(real_engine, tmp_path / "checked")
    events(real_engine, *draft(folder, 0.8))
    process = writer(real_engine, "state", "check", folder, "--json")
    found = json.loads(process.communicate(timeout=60)[0])
    assert found["ok"]
    assert found["generations"][0]["decoded"]


def test_a_killed_engine_core_is_survived(real_engine: dict[str, str], tmp_path: Path) -> None:
    """kill -9 of EngineCore mid-stream: the text stays, one sentence, a restart, and the very next token."""
    folder = new(real_engine, tmp_path / "core")
    whole = [
        i for e in events(real_engine, *draft(new(real_engine, tmp_path / "w"), 0.0)) for i in e.get("token_ids", [])
    ]
    command = [sys.executable, "-m", "writer", *map(str, draft(folder, 0.0)), "--json"]
    process = subprocess.Popen(command, env=real_engine, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    seen = [json.loads(process.stdout.readline()) for _ in range(20)]
    _kill_core(real_engine)
    out, _ = process.communicate(timeout=400)
    seen += [json.loads(line) for line in out.splitlines()]
    assert process.returncode == 0
    assert [e["event"] for e in seen].count("started") == 2
    assert [i for e in seen for i in e.get("token_ids", [])] == whole
    assert [e["ordinal"] for e in seen if e["event"] == "batch"] == list(
        range(sum(e["event"] == "batch" for e in seen))
    )


def _kill_core(env: dict[str, str]) -> None:
    from writer.engine import proc

    runtime = Path(env["XDG_RUNTIME_DIR"])
    for process in proc.everyone():
        try:
            here = Path(os.readlink(f"/proc/{process.pid}/cwd")).is_relative_to(runtime)
            name = Path(f"/proc/{process.pid}/comm").read_text()
        except OSError:
            continue
        if here and "EngineCor" in name:  # the kernel keeps 15 characters
            os.kill(process.pid, signal.SIGKILL)
            return
    raise AssertionError("there is no EngineCore")
