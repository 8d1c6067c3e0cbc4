"""Every folder that writer makes follows the XDG variables and is its owner's alone."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from writer import locations


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_every_place_follows_its_variable(home: dict[str, str]) -> None:
    wanted = {
        "XDG_CONFIG_HOME": locations.config_file(),
        "XDG_STATE_HOME": locations.state_dir("an-id"),
        "XDG_DATA_HOME": locations.data_dir(),
        "XDG_CACHE_HOME": locations.cache_dir(),
        "XDG_RUNTIME_DIR": locations.runtime_dir(),
    }
    for variable, path in wanted.items():
        assert path.is_relative_to(Path(home[variable]) / "writer"), variable


def test_parents_are_made_private_too(tmp_path: Path) -> None:
    locations.private(tmp_path / "a" / "b")
    assert (_mode(tmp_path / "a"), _mode(tmp_path / "a" / "b")) == (0o700, 0o700)


def test_a_folder_that_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(mode=0o755)
    locations.private(tmp_path / "a" / "b")
    assert _mode(tmp_path / "a") == 0o755


def test_a_long_runtime_folder_is_replaced_by_a_short_one(
    monkeypatch: pytest.MonkeyPatch, home: dict[str, str]
) -> None:
    place = Path(home["XDG_STATE_HOME"])
    deep = place / ("x" * 80)
    deep.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    short = locations.runtime_dir()
    assert short.parent == place
    assert len(bytes(short)) <= 70
    assert _mode(short) == 0o700


def test_a_missing_runtime_variable_says_nothing_to_the_terminal(home: dict[str, str]) -> None:
    del home["XDG_RUNTIME_DIR"]
    home["TMPDIR"] = home["XDG_STATE_HOME"]
    look = [sys.executable, "-W", "always", "-c", "from writer import locations; locations.runtime_dir()"]
    answer = subprocess.run(look, env=home, capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stdout + answer.stderr) == (0, "")
