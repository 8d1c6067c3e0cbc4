"""The doctor says what leaves the machine."""

from __future__ import annotations

import pytest

from writer.config import EngineSettings
from writer.doctor import network


@pytest.mark.parametrize(
    ("url", "environ", "told"),
    [
        ("", {}, 'Only "writer models add NAME", or a download in the app, goes out for a model: to huggingface.co.'),
        ("", {"HF_ENDPOINT": "https://mirror.example"}, "to mirror.example."),
        ("", {"HF_HUB_OFFLINE": "1"}, "No model is downloaded: the environment forbids it."),
        ("https://lab.example", {}, "Your texts go to https://lab.example when it writes."),
    ],
)
def test_what_goes_out_is_told(url: str, environ: dict[str, str], told: str) -> None:
    (found,) = network.findings(EngineSettings(url=url), environ)
    assert found.state == "ok"
    assert told in found.sentence
