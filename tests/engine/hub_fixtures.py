"""A pytest plugin for the modules that name it: a hub on the loopback."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fake_hub import FakeHub, model_files, serving


@pytest.fixture
def fake_hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """A running hub with one model, which HF_ENDPOINT names."""
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    with serving(FakeHub(model_files())) as running:
        monkeypatch.setenv("HF_ENDPOINT", running.url)
        yield running
