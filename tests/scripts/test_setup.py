"""Set-up that was finished costs nothing; set-up that was cut short is done again, and no more than that."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import progress
import pytest
import setup

ROOT = Path(__file__).resolve().parents[2]
HAS_PIP = setup.has_pip


@pytest.fixture
def checkout(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A checkout of its own, where installing a part is only noted: the file `installed` holds the parts' names.

    Environments are made without pip, which would take most of the time.
    """
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for part in ("cpu", "gpu", "dev"):
        shutil.copy(ROOT / "scripts" / f"constraints-{part}.txt", tmp_path / "scripts")
    monkeypatch.setattr(setup, "ROOT", tmp_path)
    for name, path in {"VENV": ".venv", "PYTHON": ".venv/bin/python", "STAMP": ".venv/.writer-setup"}.items():
        monkeypatch.setattr(setup, name, tmp_path / path)
    monkeypatch.setattr(setup, "NEEDED_GB", {"cpu": 0, "gpu": 0})
    monkeypatch.setattr(setup, "MAKE_VENV", [sys.executable, "-m", "venv", "--without-pip"])
    monkeypatch.setattr(setup, "has_pip", lambda: True)

    def install(part: str, steps: progress.Steps) -> None:
        with (tmp_path / ".venv" / "installed").open("a") as file:
            file.write(part + "\n")

    monkeypatch.setattr(setup, "install", install)
    return tmp_path


@pytest.fixture
def set_up(checkout: Path) -> Callable[..., list[str]]:
    """Runs the set-up of these parts; what `.venv` has had installed since it was made."""

    def run(*parts: str) -> list[str]:
        setup.set_up(list(parts), progress.Steps(2))
        return (checkout / ".venv" / "installed").read_text().split()

    return run


def test_a_finished_set_up_is_not_repeated(set_up: Callable[..., list[str]]) -> None:
    assert set_up("cpu") == ["cpu"]
    assert set_up("cpu") == ["cpu"]
    assert set_up("cpu", "dev") == ["cpu", "cpu", "dev"]
    assert set_up("cpu") == ["cpu", "cpu", "dev"]


def test_a_run_that_was_cut_short_is_repeated(set_up: Callable[..., list[str]], checkout: Path) -> None:
    set_up("cpu")
    (checkout / ".venv" / ".writer-setup").unlink()
    assert set_up("cpu") == ["cpu", "cpu"]


@pytest.mark.parametrize("changed", ["pyproject.toml", "scripts/constraints-cpu.txt"])
def test_new_requirements_are_installed(changed: str, set_up: Callable[..., list[str]], checkout: Path) -> None:
    set_up("cpu")
    with (checkout / changed).open("a") as file:
        file.write("# new\n")
    assert set_up("cpu") == ["cpu", "cpu"]


def test_the_other_build_gets_an_environment_of_its_own(set_up: Callable[..., list[str]]) -> None:
    set_up("cpu", "dev")
    assert set_up("gpu") == ["gpu"]


@pytest.mark.parametrize("harm", ["no python", "no configuration", "half made"])
def test_a_broken_environment_is_made_again(harm: str, set_up: Callable[..., list[str]], checkout: Path) -> None:
    set_up("cpu")
    if harm == "no python":
        (checkout / ".venv" / "bin" / "python").unlink()
    elif harm == "no configuration":
        (checkout / ".venv" / "pyvenv.cfg").unlink()
    else:
        shutil.rmtree(checkout / ".venv" / "bin")
    assert set_up("cpu") == ["cpu"]
    assert setup.venv_version() == ".".join(map(str, sys.version_info[:3]))


def test_a_missing_pip_is_put_back(
    monkeypatch: pytest.MonkeyPatch, set_up: Callable[..., list[str]], checkout: Path
) -> None:
    set_up("cpu")
    (checkout / ".venv" / ".writer-setup").unlink()
    monkeypatch.setattr(setup, "has_pip", HAS_PIP)
    assert not setup.has_pip()
    assert set_up("cpu") == ["cpu", "cpu"]
    assert setup.has_pip()


def test_too_little_space_is_said_before_anything_is_done(
    monkeypatch: pytest.MonkeyPatch, set_up: Callable[..., list[str]], checkout: Path
) -> None:
    monkeypatch.setattr(setup, "NEEDED_GB", {"cpu": 10**9})
    with pytest.raises(progress.SetupError, match="free some space"):
        set_up("cpu")
    assert not (checkout / ".venv").exists()


def test_a_gpu_counts_only_if_it_answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("WRITER_BUILD", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert setup.wanted_build() == "cpu"
    tool = tmp_path / "nvidia-smi"
    for answer, build in (("echo 'GPU 0: NVIDIA H200'", "gpu"), ("echo failed; exit 9", "cpu"), ("exit 0", "cpu")):
        tool.write_text(f"#!/bin/sh\n{answer}\n")
        tool.chmod(0o755)
        assert setup.wanted_build() == build


def test_a_machine_without_a_fitting_python_is_told_so(tmp_path: Path) -> None:
    for name in ("python3.11", "python3.12", "python3.13", "python3.14", "python3"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    script = [shutil.which("sh") or "/bin/sh", str(ROOT / "scripts" / "python"), "-c", "pass"]
    answer = subprocess.run(script, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert "needs Python 3.11 to 3.14" in answer.stderr


def test_the_first_python_that_works_is_taken(tmp_path: Path) -> None:
    (tmp_path / "python3.11").write_text("#!/bin/sh\necho 'not installed' >&2; exit 127\n")
    (tmp_path / "python3.12").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    for name in ("python3.11", "python3.12"):
        (tmp_path / name).chmod(0o755)
    script = [shutil.which("sh") or "/bin/sh", str(ROOT / "scripts" / "python"), "-c", "print('ran')"]
    answer = subprocess.run(script, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert (answer.stdout, answer.stderr) == ("ran\n", "")


@pytest.mark.parametrize(("word", "code"), [("--help", 0), ("-h", 0), ("--new", 2)])
def test_an_option_is_never_taken_for_the_folder(
    checkout: Path, capsys: pytest.CaptureFixture[str], word: str, code: int
) -> None:
    assert setup.main(["start", word]) == code
    assert "Usage: scripts/start [FOLDER]" in capsys.readouterr().out
    assert not (checkout / ".venv").exists()
