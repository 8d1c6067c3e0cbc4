"""`writer models`, as it is typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import CommandLine
from model_weights import whole_model

from writer import locations
from writer.catalogue.values import Machine
from writer.engine import home, models, shelf

GPU = Machine("gpu", "GPU 24", 24 * 10**9, 24 * 10**9)


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A GPU of 24 GB, and no model anywhere."""
    monkeypatch.setattr(shelf, "machine", lambda settings, environ: GPU)
    monkeypatch.setattr(models, "default_model_source", lambda: None)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))


def downloaded(hub: str = "org/tale") -> Path:
    folder = whole_model(home.folder_of(hub), {"max_position_embeddings": 4096, "num_hidden_layers": 1})
    (folder / home.MARKER).write_text('{"licence": "mit"}')
    return folder


def test_the_list_says_what_is_there_and_whether_it_fits(cli: CommandLine) -> None:
    folder = downloaded()
    out = cli("models", "list").out
    assert "GPU 24: 24.0 GB of 24.0 GB GPU memory are free." in out
    assert "org/tale · downloaded by writer · 0.0 GB, bf16, context 4,096 · licence mit · fits" in out
    (told,) = cli("models", "list", "--json").json["models"]
    assert (told["name"], told["folder"], told["removable"], told["in_use"]) == ("org/tale", str(folder), True, False)
    assert told["fit"]["fits"] is True


def test_suggestions_fit_and_speak_the_language(cli: CommandLine) -> None:
    told = cli("models", "suggest", "--language", "zh", "--json").json["models"]
    assert told[0]["name"] == "Qwen/Qwen3-14B-FP8"
    assert all(each["fit"]["fits"] for each in told)
    assert all({"*", "zh"} & set(each["languages"]) for each in told)
    everything = cli("models", "suggest", "--all", "--json").json["models"]
    assert len(everything) > len(told)
    lines = cli("models", "suggest").out.splitlines()
    assert lines[1].startswith("Qwen/Qwen3-14B-FP8 · 16.4 GB, fp8, context 32,768 · fits, with ")
    assert lines[2].startswith("    Qwen3 14B, 14.8 billion parameters · licence Apache-2.0")
    assert lines[-1].endswith("writer models add NAME")


def test_a_language_that_no_model_speaks_says_so(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "machine", lambda settings, environ: Machine("gpu", "small", 10**9, 10**9))
    assert cli("models", "suggest").out.splitlines()[-1].startswith("No model of the table fits here.")


def test_a_wrong_table_of_the_users_is_one_sentence(cli: CommandLine) -> None:
    file = locations.config_file().with_name("models.toml")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("model = 3\n")
    assert str(file) in cli("models", "suggest").sentence
