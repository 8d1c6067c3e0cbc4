"""What the doctor says of exports, typefaces, the keyring, and vLLM loaded on trial."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from writer.config import EngineSettings
from writer.doctor import exports, keyring
from writer.doctor import trial as doctors_trial
from writer.engine import build, trial
from writer.engine.build import Build
from writer.engine.trial import Trial
from writer.errors import EngineStartFailed, ExchangeError
from writer.exchange import pandoc, typesetting


def test_the_tools_of_this_machine_are_found() -> None:
    found = {each.subject: each for each in exports.findings()}
    assert found["Export"].sentence.startswith("pandoc ")
    assert found["PDF"].state == "ok"
    assert "Typefaces" in found


def test_a_missing_pandoc_is_told_with_what_goes_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> str:
        raise ExchangeError("This needs pandoc, which is not installed here. Get it with pip.")

    monkeypatch.setattr(pandoc, "_program", missing)
    found = exports.converter()
    assert (found.state, found.sentence) == ("warn", "This needs pandoc, which is not installed here. Get it with pip.")
    assert "plain text work without it" in found.next_step


def test_a_pandoc_of_another_machine_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "pandoc"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setattr(pandoc, "_program", lambda: str(broken))
    assert "does not run on this machine" in exports.converter().sentence


def test_without_typst_there_is_no_pdf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typesetting, "typefaces", list)
    found = {each.subject: each.state for each in exports.findings("zh")}
    assert found["PDF"] == "warn"
    assert "Typefaces" not in found


@pytest.mark.parametrize(
    ("language", "here", "state", "named"),
    [
        ("zh", ["DejaVu Serif", "Noto Serif CJK SC"], "ok", "Noto Serif CJK SC"),
        ("zh-TW", ["Noto Serif CJK SC", "Noto Serif CJK TC"], "ok", "Noto Serif CJK TC"),
        ("zh", ["DejaVu Serif"], "warn", "Chinese"),
        ("ja", ["DejaVu Serif"], "warn", "Japanese"),
        ("en", ["DejaVu Serif"], "ok", "would need one"),
        ("", ["DejaVu Serif"], "ok", "would need one"),
    ],
)
def test_only_books_in_these_languages_need_their_typefaces(
    language: str, here: list[str], state: str, named: str
) -> None:
    found = exports.typefaces(language, here)
    assert (found.state, named in found.sentence) == (state, True)


@pytest.mark.parametrize(
    ("name", "has_server", "in_environment", "state"),
    [
        ("SecretService", True, False, "ok"),
        ("", True, False, "warn"),
        ("", True, True, "ok"),
        ("", False, False, "ok"),
    ],
)
def test_a_keyring_is_only_missed_by_who_writes_with_a_server(
    name: str, has_server: bool, in_environment: bool, state: str
) -> None:
    assert keyring.kept(name, has_server, in_environment).state == state


def python(folder: Path, script: str) -> str:
    """A Python that does this instead of what it is told."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("echo noise; echo '[\"2.13.0\", true]'", Trial("2.13.0", True)),
        (
            "echo 'ImportError: libcudart.so.13: no such file' >&2; exit 1",
            Trial(trouble="ImportError: libcudart.so.13: no such file"),
        ),
        ("exit 4", Trial(trouble="it ended with 4")),
        ("echo surprise", Trial(trouble="its answer cannot be understood")),
    ],
)
def test_what_came_of_the_trial(script: str, expected: Trial, tmp_path: Path) -> None:
    assert trial.load(python(tmp_path, script)) == expected


def test_a_python_that_is_none_is_told(tmp_path: Path) -> None:
    assert trial.load(str(tmp_path / "none")).trouble == "No such file or directory"
    (found,) = doctors_trial.findings(EngineSettings(python=str(tmp_path / "none")), has_gpu=False)
    assert (found.subject, found.state) == ("Engine's Python", "bad")


@pytest.mark.parametrize(
    ("tried", "wants_gpu", "state"),
    [
        (Trial("2.13.0", True), True, "ok"),
        (Trial("2.13.0"), False, "ok"),
        (Trial("2.13.0"), True, "bad"),
        (Trial(trouble="ImportError"), False, "bad"),
    ],
)
def test_a_build_for_the_gpu_must_find_it(tried: Trial, wants_gpu: bool, state: str) -> None:
    found = doctors_trial.loaded(tried, sys.executable, wants_gpu)
    assert (found.state, bool(found.next_step)) == (state, state != "ok")


def test_nothing_is_tried_where_nothing_is_to_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(named: str) -> Build:
        raise EngineStartFailed("vLLM is not installed.")

    monkeypatch.setattr(build, "find", missing)
    for settings in (EngineSettings(), EngineSettings(kind="scripted"), EngineSettings(url="http://127.0.0.1:1")):
        assert doctors_trial.findings(settings, has_gpu=False) == []


@pytest.mark.engine
def test_the_vllm_of_this_machine_can_be_loaded() -> None:
    (found,) = doctors_trial.findings(EngineSettings(), has_gpu=False)
    assert found.state == "ok"
