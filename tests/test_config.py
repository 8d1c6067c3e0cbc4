"""Settings: what is wrong is named in one sentence, and a manuscript may not choose what runs here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from writer.config import load
from writer.errors import ConfigError
from writer.presets import PRESETS, WRITING


def refused(tmp_path: Path, *, own: str = "", manuscript: str = "", **environ: str) -> str:
    """The sentence for these files' contents."""
    with pytest.raises(ConfigError) as caught:
        settings(tmp_path, own=own, manuscript=manuscript, **environ)
    return caught.value.sentence


def settings(tmp_path: Path, *, own: str = "", manuscript: str = "", **environ: str):  # type: ignore[no-untyped-def]
    (tmp_path / "config.toml").write_text(own, encoding="utf-8")
    (tmp_path / "writer.toml").write_text(manuscript, encoding="utf-8")
    return load(tmp_path / "config.toml", tmp_path / "writer.toml", environ)


def test_the_later_source_wins(tmp_path: Path) -> None:
    own = '[engine]\nmodel = "/m"\nkeep_warm = 5\n[writing]\ntop_k = 7\ntemperature = 0.1'
    found = settings(tmp_path, own=own, manuscript="[settings.writing]\ntop_k = 9", WRITER_KEEP_WARM="6")
    assert (found.engine.model, found.engine.keep_warm) == ("/m", 6.0)
    assert (found.writing.top_k, found.writing.temperature) == (9, 0.1)


def test_a_preset_comes_before_what_stands_beside_it_and_after_other_files(tmp_path: Path) -> None:
    own = '[writing]\ntemperature = 0.3\nbanned = ["delve"]\nmax_tokens = 50'
    found = settings(tmp_path, own=own, manuscript='[settings.writing]\nmin_p = 0.2\npreset = "report"').writing
    assert (found.temperature, found.min_p) == (PRESETS["report"].values["temperature"], 0.2)
    assert (found.banned, found.max_tokens, found.preset) == (("delve",), 50, "report")


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_names_settings_within_their_limits_that_every_engine_can_do(tmp_path: Path, name: str) -> None:
    lines = "\n".join(f"{key} = {value}" for key, value in PRESETS[name].values.items())
    found = settings(tmp_path, own=f"[writing]\n{lines}").writing
    assert replace(found, preset=name) == settings(tmp_path, own=f'[writing]\npreset = "{name}"').writing
    assert not any(WRITING[key].word_control for key in PRESETS[name].values)


def test_a_chapter_may_be_drawn_otherwise(tmp_path: Path) -> None:
    table = '[settings.writing]\ntop_k = 9\n[settings.chapter."chapters/02-b.md"]\npreset = "report"\nstop = ["END"]'
    found = settings(tmp_path, own="[writing]\nmin_tokens = 3", manuscript=table)
    other = found.writing_of("chapters/02-b.md")
    assert found.writing_of("chapters/01-a.md") == found.writing
    assert (other.stop, other.min_tokens, other.preset) == (("END",), 3, "report")
    assert (found.writing.top_k, found.writing.preset) == (9, "")


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ('chapter."a.md" = 3', "a chapter's settings are a table"),
        ("chapter = 3", "a chapter's settings are a table"),
        ('[settings.chapter."a.md"]\ntop = 3', "settings.chapter.a.md"),
        ('[settings.writing]\npreset = "novel"', '"prose", "report"'),
        ('[settings.writing]\nbanned = "delve"', "a list of texts in quotes"),
        ('[settings.writing]\nbanned = ["delve", 3]', "a list of texts in quotes"),
        ('[settings.writing]\nstop = [""]', "a list of texts in quotes"),
        (f"[settings.writing]\nstop = {['x'] * 17}", "at most 16 texts"),
        (f"[settings.writing]\nbanned = ['{'x' * 101}']", "at most 100 texts of at most 100 characters"),
        ("[settings.writing]\nxtc_probability = 2", "a number from 0 to 1"),
    ],
)
def test_wrong_settings_of_writing_are_named(tmp_path: Path, table: str, named: str) -> None:
    whole = table if table.startswith("[") else f"[settings]\n{table}"
    assert named in refused(tmp_path, manuscript=whole)


@pytest.mark.parametrize(
    "line", ['kv_cache = "int4"', 'speculation = "draft"', 'after_sleep = "never"', 'protocol = "x"']
)
def test_a_choice_names_what_is_valid(tmp_path: Path, line: str) -> None:
    sentence = refused(tmp_path, own=f"[engine]\n{line}")
    assert f"engine.{line.split()[0]} is " in sentence
    assert " or " in sentence


@pytest.mark.parametrize(
    "line",
    [
        'url = "http://collector.example"',
        'python = "./bin/python"',
        'model = "./model"',
        'kind = "scripted"',
        "gpu_memory = 0.9",
        "kv_cache_mib = 4096",
        'dtype = "half"',
        "gpus = 2",
        'kv_cache = "fp8"',
        'speculation = "ngram"',
        "kv_disk_gib = 10",
    ],
)
def test_a_manuscript_may_not_choose_what_runs_here_or_where_text_goes(tmp_path: Path, line: str) -> None:
    sentence = refused(tmp_path, manuscript=f"[settings.engine]\n{line}")
    assert f'"{line.split()[0]}"' in sentence
    assert str(tmp_path / "writer.toml") in sentence
    assert str(tmp_path / "config.toml") in sentence
    assert settings(tmp_path, own=f"[engine]\n{line}")  # the same line is fine in the author's own file


def test_a_manuscript_may_say_what_harms_nobody(tmp_path: Path) -> None:
    engine = settings(tmp_path, manuscript='[settings.engine]\nwindow = 512\nkeep_warm = 1\nafter_quit = "stop"').engine
    assert (engine.window, engine.keep_warm, engine.after_quit) == (512, 1.0, "stop")


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ("editor", "autosave = 0"),
        ("editor", "autosave = -1.0"),
        ("writing", "temperature = nan"),
        ("writing", "temperature = -0.1"),
        ("writing", "top_p = 0.0"),
        ("writing", "top_p = 1.5"),
        ("writing", "max_tokens = 0"),
        ("writing", "max_tokens = 100000000000000000000"),
        ("writing", "repetition_penalty = 0"),
        ("engine", "keep_warm = inf"),
        ("engine", "window = -1"),
        ("engine", "gpu_memory = 85"),
    ],
)
def test_a_number_out_of_its_limits_is_named(tmp_path: Path, section: str, line: str) -> None:
    sentence = refused(tmp_path, own=f"[{section}]\n{line}")
    assert f'"{line.split()[0]}" in [{section}] must be' in sentence


def test_a_variable_has_the_same_limits(tmp_path: Path) -> None:
    assert "WRITER_KEEP_WARM" in refused(tmp_path, WRITER_KEEP_WARM="nan")
    assert "WRITER_KEEP_WARM" in refused(tmp_path, WRITER_KEEP_WARM="-1")


@pytest.mark.parametrize(
    "text",
    [
        '"\\u001b[2J" = 1',
        '["\\u001b[2J"]\nx = 1',
        '[engine]\n"\\u001b[2J" = 1',
        '[engine]\nkind = "\\u001b[2J"',
        '[engine]\nafter_quit = "\\u009b2J"',
        '[engine]\nafter_sleep = "\\u009b2J"',
        '[engine]\nwindow = "\\u202e"',
    ],
)
def test_no_control_code_of_a_file_is_in_the_sentence(tmp_path: Path, text: str) -> None:
    sentence = refused(tmp_path, own=text)
    assert not {"\x1b", "\x9b", "\u202e", "\n"} & set(sentence)


@pytest.mark.parametrize("text", ["settings = 3", "[settings]\nwriting = 3", "[[settings.writing]]\ntop_k = 1"])
def test_what_should_be_a_table_and_is_none(tmp_path: Path, text: str) -> None:
    assert "must be a table" in refused(tmp_path, manuscript=text)


@pytest.mark.parametrize("number", ["1" + "0" * 400, "-1" + "0" * 400, "0x" + "f" * 9000, "1" * 5000])
@pytest.mark.parametrize("key", ["temperature", "top_k"])
def test_a_monstrous_number_is_one_sentence(tmp_path: Path, key: str, number: str) -> None:
    assert len(refused(tmp_path, own=f"[writing]\n{key} = {number}")) < 400


def test_a_file_nested_too_deeply_is_one_sentence(tmp_path: Path) -> None:
    assert "nested" in refused(tmp_path, manuscript="x = " + "[" * 5000 + "]" * 5000)
