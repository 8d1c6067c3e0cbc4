"""`writer plan`: parts, tokens, what is left out, the exact request; it changes nothing and needs no engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from a_book import make
from command_line import CommandLine
from model_folders import model_folder

from writer.engine.tokens import encode


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return make(tmp_path / "book", chapters=5, words=5000, notes=12)


def test_the_parts_are_told_with_tokens_and_what_is_left_out(cli: CommandLine, book: Path) -> None:
    ran = cli("plan", book, "--chapter", 3, "--instruction", "it rains")
    assert ran.code == 0, ran.err
    assert "Chapter 3, " in ran.out
    assert "kept free for what is written" in ran.out
    assert "with each request" in ran.out
    assert "Left out, for want of room" in ran.out or "is left out, " in ran.out
    assert "\n  instructions       33  with the book" in ran.out or "\n  instructions " in ran.out
    told = cli("plan", book, "--chapter", 3, "--instruction", "it rains", "--json").json
    kinds = [part["kind"] for part in told["parts"]]
    assert kinds[0] == "instructions"
    assert kinds[-1] == "request"
    assert told["tokens"] + told["to_write"] <= told["window"]
    assert told["left_out"] == [part["why"] for part in told["parts"] if part["why"]]
    assert told["cached_tokens"] == 0


def test_the_request_is_the_one_that_a_draft_sends(
    cli: CommandLine, book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WRITER_SCRIPT", '{"finish_at": 30}')
    for _ in range(2):
        planned = cli("plan", book, "--chapter", 2, "--instruction", "it rains", "--json", "--request").json
        started = cli("draft", book, "--chapter", 2, "--instruction", "it rains", "--json").lines[0]
        exported = cli("state", "export", book, "--json").json
        stored = next(each for each in exported["generations"] if each["id"] == started["generation"])
        assert planned["prompt_ids"] == stored["prompt_ids"]
    text = cli("plan", book, "--chapter", 2, "--instruction", "it rains", "--request").out
    assert "In what follows: it rains" in text
    assert "You are a novelist." in text


def test_a_plan_is_made_without_an_engine_from_the_models_folder(
    cli: CommandLine, book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = model_folder(tmp_path / "model", "llama3")
    (folder / "config.json").write_text('{"architectures": ["LlamaForCausalLM"], "max_position_embeddings": 40000}')
    (folder / "model.safetensors").write_bytes(b"\x02\0\0\0\0\0\0\0{}")
    monkeypatch.setenv("WRITER_ENGINE", "vllm")
    monkeypatch.setenv("WRITER_MODEL", str(folder))
    ran = cli("plan", book, "--json", "--request")
    assert ran.code == 0, ran.err
    told = ran.json
    assert told["window"] == 8192
    assert told["request"].startswith(
        "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nYou are a novelist."
    )
    assert told["prompt_ids"] == list(encode(folder, told["request"]))
    assert len(told["prompt_ids"]) == told["tokens"]


def test_without_a_prepared_model_the_next_step_is_told(
    cli: CommandLine, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WRITER_ENGINE", "vllm")
    assert "Run writer engine start once" in cli("plan", book).sentence


def test_a_chapter_that_is_not_there_is_named(cli: CommandLine, book: Path) -> None:
    assert "There is no chapter 9; the last one is 5." in cli("plan", book, "--chapter", 9).sentence


def test_planning_writes_nothing(cli: CommandLine, book: Path) -> None:
    def files() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in book.rglob("*") if path.is_file()}

    before = files()
    assert cli("plan", book).code == 0
    assert files() == before


def test_a_draft_says_what_is_left_out_before_it_writes(
    cli: CommandLine, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WRITER_SCRIPT", '{"finish_at": 30, "window": 4000}')
    lines = cli("draft", book, "--chapter", 2).err.splitlines()
    told = next(n for n, line in enumerate(lines) if line.startswith("The window is full; cut or left out: "))
    assert "writer plan tells more." in lines[told]
    assert told < next(n for n, line in enumerate(lines) if line.startswith("Writing: "))
