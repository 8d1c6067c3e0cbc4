"""The commands as scripts use them: words, JSON and exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import CommandLine
from conditions import wait_until

CHAPTER = "chapters/01-chapter-1.md"


def test_draft_prints_the_events_in_order(cli: CommandLine, novel: Path) -> None:
    ran = cli("draft", novel, "--max-tokens", 40, "--seed", 5, "--json")
    first, *batches, last = ran.lines
    assert ran.code == 0
    assert set(first) == {"event", "generation", "chapter", "prompt_tokens", "cached_tokens", "resumed_from"}
    assert (first["event"], first["resumed_from"]) == ("started", 0)
    assert [b["ordinal"] for b in batches] == list(range(len(batches)))
    assert sum(len(b["token_ids"]) for b in batches) == last["tokens"] == 40
    assert (last["event"], last["reason"]) == ("finished", "length")
    assert "".join(b["text"] for b in batches) == (novel / CHAPTER).read_text(encoding="utf-8")


def test_the_same_seed_writes_the_same_words(cli: CommandLine, tmp_path: Path) -> None:
    texts = []
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        cli("new", tmp_path / name, "--title", "Salt")
        cli("draft", tmp_path / name, "--max-tokens", 40, "--seed", seed, "--json")
        texts.append((tmp_path / name / CHAPTER).read_text(encoding="utf-8"))
    assert texts[0] == texts[1] != texts[2]


def test_status_tells_what_can_go_on(cli: CommandLine, novel: Path) -> None:
    assert cli("status", novel, "--json").json == {
        "chapters": [{"number": 1, "title": "Chapter 1", "words": 0, "generations": []}],
        "resumable": [],
    }
    started = cli("draft", novel, "--max-tokens", 40, "--json").lines[0]["generation"]
    found = cli("status", novel, "--json").json
    assert found["resumable"] == [started]
    generation = found["chapters"][0]["generations"][0]
    assert generation == {"id": started, "state": "truncated", "finish_reason": "length", "tokens": 40}
    assert found["chapters"][0]["words"] > 10
    assert "writer resume" in cli("status", novel).out


def test_resume_goes_on_where_it_stopped(cli: CommandLine, novel: Path) -> None:
    drafted = cli("draft", novel, "--max-tokens", 40, "--seed", 5, "--json").lines
    resumed = cli("resume", novel, "--json").lines
    assert resumed[0]["resumed_from"] == 40
    assert resumed[1]["ordinal"] == drafted[-2]["ordinal"] + 1
    assert resumed[-1]["tokens"] == 80
    other = cli("resume", novel, "--generation", "nonsense")
    assert "cannot go on" in other.sentence


def test_nothing_to_resume_is_said(cli: CommandLine, novel: Path) -> None:
    assert "writer draft" in cli("resume", novel).sentence


def test_draft_all_writes_only_empty_chapters(cli: CommandLine, novel: Path) -> None:
    (novel / "chapters" / "02-second.md").write_text("# Second\n", encoding="utf-8")
    (novel / "chapters" / "03-third.md").write_text("# Third\n\nIt is written.\n", encoding="utf-8")
    assert cli("draft", novel, "--all", "--max-tokens", 10, "--json").code == 0
    assert (novel / "chapters" / "03-third.md").read_text(encoding="utf-8") == "# Third\n\nIt is written.\n"
    assert len((novel / "chapters" / "02-second.md").read_text(encoding="utf-8")) > len("# Second\n")
    again = cli("draft", novel, "--all")
    assert (again.code, "already" in again.out) == (0, True)


def test_interrupt_pauses_with_130_and_loses_nothing(novel: Path, cli: CommandLine) -> None:
    script = json.dumps({"tokens_per_second": 100})
    process = subprocess.Popen(
        [sys.executable, "-m", "writer", "draft", str(novel), "--max-tokens", "4000", "--json"],
        env=os.environ | {"WRITER_SCRIPT": script},
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(6)]
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=30)
    events = [json.loads(line) for line in [*lines, *rest.splitlines()]]
    assert process.returncode == 130
    assert events[-1]["event"] == "paused"
    text = "".join(e["text"] for e in events if e["event"] == "batch")
    assert (novel / CHAPTER).read_text(encoding="utf-8") == text
    found = cli("status", novel, "--json").json["chapters"][0]["generations"][0]
    assert (found["state"], found["tokens"]) == ("paused", events[-1]["tokens"])


def test_status_and_check_work_while_another_process_writes(novel: Path, cli: CommandLine) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "writer", "draft", str(novel), "--max-tokens", "4000", "--json"],
        env=os.environ | {"WRITER_SCRIPT": json.dumps({"tokens_per_second": 300})},
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        told = sum(len(json.loads(process.stdout.readline()).get("token_ids", [])) for _ in range(20))
        found = cli("status", novel, "--json").json["chapters"][0]["generations"][0]
        assert found["state"] == "running"
        assert found["tokens"] >= told
        assert cli("state", "check", novel, "--json").json["ok"]
        refused = cli("draft", novel)
        assert str(process.pid) in refused.sentence
    finally:
        process.kill()
        process.wait()


def test_a_killed_draft_is_interrupted_and_goes_on(novel: Path, cli: CommandLine) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "writer", "draft", str(novel), "--max-tokens", "200", "--json"],
        env=os.environ | {"WRITER_SCRIPT": json.dumps({"tokens_per_second": 200})},
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    told = [json.loads(process.stdout.readline()) for _ in range(12)]
    process.kill()
    process.wait()
    found = cli("status", novel, "--json").json
    assert found["chapters"][0]["generations"][0]["state"] == "interrupted"
    assert cli("resume", novel, "--json").lines[-1]["reason"] == "length"
    text = "".join(e["text"] for e in told if e["event"] == "batch")
    assert (novel / CHAPTER).read_text(encoding="utf-8").startswith(text)


def test_state_check_export_and_backup(cli: CommandLine, novel: Path, tmp_path: Path) -> None:
    cli("draft", novel, "--max-tokens", 40, "--json")
    checked = cli("state", "check", novel, "--json").json
    assert checked["ok"]
    assert checked["generations"][0]["decoded"]
    exported = cli("state", "export", novel, "--json").json["generations"][0]
    assert exported["text"] == (novel / CHAPTER).read_text(encoding="utf-8")
    assert len(exported["token_ids"]) == 40
    target = tmp_path / "copy.db"
    assert cli("state", "backup", novel, "-o", target).code == 0
    assert target.stat().st_mode & 0o777 == 0o600
    assert "already" in cli("state", "backup", novel, "-o", target).sentence


def test_state_check_finds_text_that_its_tokens_do_not_say(
    cli: CommandLine, novel: Path, home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from writer.engine import scripted_words

    cli("draft", novel, "--max-tokens", 40, "--json")
    honest = scripted_words.detokenize
    monkeypatch.setattr(scripted_words, "detokenize", lambda ids: honest(ids).replace("e", "x"))
    assert not cli("state", "check", novel, "--json").json["ok"]


def test_engine_status_stop_and_models(cli: CommandLine) -> None:
    assert cli("engine", "status", "--json").json == {"engines": []}
    assert cli("engine", "stop", "--json").json == {"stopped": 0}
    assert set(cli("models", "list", "--json").json) == {
        "chosen",
        "prepared",
        "small_model_installed",
        "models",
    }


def test_doctor_says_what_it_found(cli: CommandLine) -> None:
    found = cli("doctor", "--quick", "--json")
    assert {f["subject"] for f in found.json["findings"]} >= {"SQLite", "Export", "Keyring", "Settings"}
    plain = cli("doctor", "--quick")
    assert len(plain.out.splitlines()) == len(found.json["findings"])


def test_usage_errors_exit_with_2(cli: CommandLine) -> None:
    assert cli("draft").code == 2
    assert cli("draft", "x", "--max-tokens", "many").code == 2
    assert cli("--help").code == 0
    assert re.match(r"writer, version \d", cli("--version").out)


def test_wait_until_is_honest() -> None:
    with pytest.raises(AssertionError):
        wait_until(lambda: False, 0.05)
