"""`writer engine key`: typed or piped, never an argument, never shown."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from writer.cli.engine import engine
from writer.engine import keys_kept
from writer.errors import EngineError

KEY = "quartz-4711"


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch, home: dict[str, str]) -> dict[str, str]:
    """What the keyring holds."""
    kept: dict[str, str] = {}
    monkeypatch.setattr(keys_kept, "require_keyring", lambda: None)
    monkeypatch.setattr(keys_kept, "keep", kept.__setitem__)
    monkeypatch.setattr(keys_kept, "forget", lambda name: kept.pop(name, None) is not None)
    return kept


def test_a_key_is_read_from_a_pipe_and_not_shown(stored: dict[str, str]) -> None:
    result = CliRunner().invoke(engine, ["key", "set", "https://lab.example/v1"], input=f"{KEY}\n")
    assert stored == {"https://lab.example:443": KEY}
    assert "in the system's keyring" in result.output
    assert KEY not in result.output


def test_the_server_of_the_settings_is_the_usual_one(stored: dict[str, str], home: dict[str, str]) -> None:
    folder = Path(home["XDG_CONFIG_HOME"]) / "writer"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text('[engine]\nurl = "https://lab.example"\n')
    result = CliRunner().invoke(engine, ["key", "set", "--json"], input=KEY)
    assert json.loads(result.output) == {"server": "https://lab.example:443", "stored": True}
    result = CliRunner().invoke(engine, ["key", "forget", "--json"])
    assert json.loads(result.output) == {"server": "https://lab.example:443", "forgotten": True}
    result = CliRunner().invoke(engine, ["key", "forget"])
    assert "No key of https://lab.example:443 is stored." in result.output
    assert stored == {}


def test_no_server_is_named(stored: dict[str, str]) -> None:
    result = CliRunner().invoke(engine, ["key", "set"], input=KEY)
    assert isinstance(result.exception, EngineError)
    assert "set engine.url" in str(result.exception)


@pytest.mark.parametrize("typed", ["", "\n", "two\x1bparts\n", "ключ\n", "x" * 5000])
def test_what_is_no_key_is_not_stored(stored: dict[str, str], typed: str) -> None:
    result = CliRunner().invoke(engine, ["key", "set", "https://lab.example"], input=typed)
    assert isinstance(result.exception, EngineError)
    assert "Nothing was stored" in str(result.exception)
    assert stored == {}


def test_a_key_as_an_argument_is_refused(stored: dict[str, str]) -> None:
    assert CliRunner().invoke(engine, ["key", "set", "https://lab.example", KEY]).exit_code == 2
    assert stored == {}


def test_without_a_keyring_nobody_is_asked_for_a_key(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    result = CliRunner().invoke(engine, ["key", "set", "https://lab.example"], input=KEY)
    assert isinstance(result.exception, EngineError)
    assert "pip install keyring" in str(result.exception)
