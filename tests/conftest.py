"""Shared fixtures: every test has a home of its own, so none can touch the user's."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

os.environ["WRITER_LANGUAGE"] = "en"  # before a module says anything: the sentences in the tests are English

os.environ["WRITER_NO_WELCOME"] = "1"  # every test is somebody's first time

pytest_plugins = ["real_engine"]

settings.register_profile("writer", deadline=None)  # how long an example takes is up to the disk and the neighbours
settings.register_profile("verdict", deadline=None, derandomize=True)  # a verdict is the same for the same commit
settings.load_profile("verdict" if os.environ.get("CI") else "writer")


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """XDG folders in a short temporary place (socket paths are limited); the environment for child processes."""
    umask = os.umask(0o022)  # read it; a command that runs in this process makes it stricter
    os.umask(umask)
    root = Path(tempfile.mkdtemp(prefix="w-"))
    places = {
        "XDG_CONFIG_HOME": "c",
        "XDG_STATE_HOME": "s",
        "XDG_DATA_HOME": "d",
        "XDG_CACHE_HOME": "k",
        "XDG_RUNTIME_DIR": "r",
    }
    for name, folder in places.items():
        (root / folder).mkdir(mode=0o700)
        monkeypatch.setenv(name, str(root / folder))
    for name in ("WRITER_ENGINE", "WRITER_MODEL", "WRITER_KEEP_WARM"):
        monkeypatch.delenv(name, raising=False)
    yield dict(os.environ)
    os.umask(umask)
    shutil.rmtree(root, ignore_errors=True)
