"""`writer models`, as it is typed."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import CommandLine
from fake_hub import HUB, WEIGHTS, FakeHub, Fault
from model_weights import whole_model

from writer import config, locations
from writer.catalogue.values import Machine
from writer.engine import home, models, shelf
from writer.engine.base import EngineStatus

pytest_plugins = ["hub_fixtures"]
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
    assert "org/tale · downloaded by writer · 0 MB, bf16, context 4,096 · licence mit · fits" in out
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


def chosen() -> str:
    return config.load(locations.config_file(), None, {}).engine.model


def test_a_hub_id_is_asked_about_downloaded_and_chosen(cli: CommandLine, fake_hub: FakeHub) -> None:
    ran = cli("models", "add", HUB, "--yes")
    assert ran.code == 0, ran
    asking, told, used = ran.out.splitlines()
    assert asking == f"Asking 127.0.0.1 about {HUB}. No other command of writer goes out for a model."
    assert told.startswith(f"{HUB}: 0 MB, bf16, context 4,096, licence apache-2.0; fits, with ")
    assert used.startswith(f"From now on {HUB} writes")
    assert chosen() == HUB
    assert ran.err.splitlines()[-1] == "0 MB of 0 MB · Putting it in its place…"
    (shown,) = cli("models", "list", "--json").json["models"]
    assert (shown["name"], shown["in_use"], shown["licence"]) == (HUB, True, "apache-2.0")


def test_nothing_is_downloaded_that_was_not_agreed_to(cli: CommandLine, fake_hub: FakeHub) -> None:
    ran = cli("models", "add", HUB)
    assert ran.code == 2
    assert "Nobody can be asked here: add --yes." in ran.err
    assert fake_hub.ranges() == []
    assert chosen() == ""


def test_the_events_of_a_download(cli: CommandLine, fake_hub: FakeHub) -> None:
    found, *progress, added = cli("models", "add", HUB, "--yes", "--no-use", "--json").lines
    assert (found["event"], found["model"], found["licence"], found["fits"]) == ("found", HUB, "apache-2.0", True)
    assert {each["event"] for each in progress} == {"progress"}
    assert progress[-1]["done"] == progress[-1]["total"] == found["size"]
    assert added == {"event": "added", "model": HUB, "in_use": False}
    assert chosen() == ""


def test_a_refusal_is_one_sentence(cli: CommandLine, fake_hub: FakeHub) -> None:
    fake_hub.plant(WEIGHTS, Fault(403, {"X-Error-Code": "GatedRepo"}))
    ran = cli("models", "add", HUB, "--yes")
    assert ran.code == 1
    assert "only to those who have accepted its licence" in ran.err.splitlines()[-1]


def test_a_folder_is_checked_and_chosen_and_never_erased(cli: CommandLine, tmp_path: Path) -> None:
    own = whole_model(tmp_path / "own", {"max_position_embeddings": 4096})
    assert cli("models", "add", own).code == 0
    assert chosen() == str(own)
    assert "was not made by writer, so it stays" in cli("models", "remove", own, "--yes").sentence
    assert own.is_dir()
    (own / "model.safetensors").unlink()
    assert "no weights" in cli("models", "add", own).sentence


def test_use_changes_one_line_of_the_settings(cli: CommandLine) -> None:
    downloaded()
    file = locations.config_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("# mine\n[engine]\nkeep_warm = 9.0 # long\n\n[editor]\nwidth = 70\n")
    assert cli("models", "use", "org/tale").code == 0
    said = "# mine\n[engine]\nkeep_warm = 9.0 # long\nmodel = {}\n\n[editor]\nwidth = 70\n"
    assert file.read_text() == said.format('"org/tale"')
    assert cli("models", "use", "small").code == 0
    assert file.read_text() == said.format('""')
    assert "is not on this machine" in cli("models", "use", "org/none").sentence
    file.write_text("[engine\n")
    assert str(file) in cli("models", "use", "small").sentence


def test_removing_erases_ours_and_goes_back_to_the_small_model(cli: CommandLine) -> None:
    folder = downloaded()
    cli("models", "use", "org/tale")
    assert cli("models", "remove", "org/tale").code == 2
    assert folder.is_dir()
    ran = cli("models", "remove", "org/tale", "--yes")
    assert ran.out.splitlines()[-1] == "org/tale is erased. Afterwards the small model writes."
    assert not folder.exists()
    assert chosen() == ""


def test_a_download_that_was_cut_short_can_be_erased(cli: CommandLine) -> None:
    place = home.unfinished_of("org/tale")
    (place / "parts").mkdir(parents=True)
    assert cli("models", "remove", "org/tale", "--yes").code == 0
    assert not place.exists()


def test_a_model_that_an_engine_has_loaded_is_not_erased(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = downloaded()

    async def running() -> list[EngineStatus]:
        return [EngineStatus(state="ready", model="org--tale")]

    monkeypatch.setattr("writer.engine.keeping_models.running_engines", running)
    assert "writer engine stop" in cli("models", "remove", "org/tale", "--yes").sentence
    assert folder.is_dir()


def test_names_that_are_none_say_so(cli: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    assert "is no GGUF file" in cli("models", "add", tmp_path / "a.txt").sentence
    assert "is not there" in cli("models", "add", tmp_path / "b.gguf").sentence
    assert "is no name of the hub" in cli("models", "add", "qwen").err
    assert "There is no model qwen here" in cli("models", "remove", "qwen", "--yes").sentence
