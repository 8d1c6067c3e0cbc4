"""How the client reaches a server, what it reads of it, and its short questions and refusals."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from loopback_server import SAMPLES, Loopback, as_json, plain, play, read

from writer.engine.base import ChatMessage
from writer.engine.client import VllmEngine
from writer.engine.client_setup import open_client
from writer.errors import EngineDied, EngineError, PromptTooLong, RequestRefused
from writer.generation.model import Fingerprint

pytest_plugins = ["loopback_fixtures"]


async def test_attach_reads_what_the_server_says_of_itself(loopback: Loopback) -> None:
    fingerprint = Fingerprint("model", "tokenizer", "float32 v1")
    engine = await VllmEngine.attach(socket=loopback.socket, model_folder=Path("/m"), fingerprint=fingerprint)
    facts = engine.facts
    assert (facts.model, facts.window, facts.block_size, facts.version) == ("m", 8192, 32, "vllm 0.32.0")
    assert facts.fingerprint == Fingerprint("model", "tokenizer", "vllm 0.32.0 cpu float32 v1")
    assert facts.model_folder == Path("/m")
    await engine.aclose()


@pytest.mark.parametrize(
    ("device", "dtype", "aligned", "tells"),
    [
        ("cpu", "float32", False, True),
        ("cpu", "bfloat16", True, True),
        ("gpu", "bfloat16", False, True),
        ("remote", "", True, False),
    ],
)
async def test_where_a_resume_is_aligned_and_who_tells_what_reading_cost(
    loopback: Loopback, device: str, dtype: str, aligned: bool, tells: bool
) -> None:
    fingerprint = Fingerprint("model", "tokenizer", dtype)
    engine = await VllmEngine.attach(socket=loopback.socket, device=device, fingerprint=fingerprint)
    assert (engine.facts.aligned, engine.facts.tells_cost) == (aligned, tells)
    await engine.aclose()


async def test_attach_by_url(loopback: Loopback) -> None:
    engine = await VllmEngine.attach(
        url=f"http+unix://{quote(str(loopback.socket), safe='')}", device="remote", api_key="k"
    )
    assert engine.facts.device == "remote"
    await engine.aclose()


async def test_a_proxy_may_keep_version_and_metrics_to_itself(loopback: Loopback) -> None:
    loopback.answers["/version"] = as_json({"detail": "Not Found"}, 404)
    loopback.answers["/metrics"] = as_json({"detail": "Forbidden"}, 403)
    engine = await VllmEngine.attach(socket=loopback.socket)
    assert (engine.facts.version, engine.facts.block_size) == ("vllm", 16)
    await engine.aclose()


@pytest.mark.parametrize("url", ["ftp://x", "nonsense", "http://"])
async def test_a_wrong_address_is_named(url: str) -> None:
    with pytest.raises(EngineError, match=r"engine\.url"):
        await VllmEngine.attach(url=url)


async def test_attach_to_nobody_or_to_a_stranger(loopback: Loopback, tmp_path: Path) -> None:
    with pytest.raises(EngineDied, match="cannot be reached"):
        await VllmEngine.attach(socket=tmp_path / "none")
    with pytest.raises(RequestRefused, match='serve "other" but "m"'):
        await VllmEngine.attach(socket=loopback.socket, served_name="other")
    loopback.answers["/v1/models"] = as_json({"data": [{"id": "gpt"}]})
    with pytest.raises(RequestRefused, match="not a vLLM server"):
        await VllmEngine.attach(socket=loopback.socket)


LONG = "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens."
REFUSALS: list[tuple[int, object, type[EngineError], str]] = [
    (400, {"error": {"message": LONG, "code": 400}}, PromptTooLong, "9000 tokens"),
    (400, {"error": {"message": "top_p must be in (0, 1]", "code": 400}}, RequestRefused, "top_p must be"),
    (401, {"error": "Unauthorized"}, RequestRefused, "another API key"),
    (404, {"detail": "Not \x1b[1mFound"}, RequestRefused, "404"),
    (500, {"error": {"message": "boom"}}, EngineDied, "cannot be reached"),
]


@pytest.mark.parametrize(("status", "body", "kind", "words"), REFUSALS)
async def test_refusals_are_sentences(
    loopback: Loopback, loopback_engine: VllmEngine, status: int, body: object, kind: type[EngineError], words: str
) -> None:
    play(loopback, plain(*as_json(body, status)))
    for attempt in (read(loopback_engine, []), loopback_engine.probe((1, 2))):
        with pytest.raises(kind, match=words) as caught:
            await attempt
        assert "\x1b" not in caught.value.sentence


async def test_a_prompt_beyond_the_window_is_not_even_sent(loopback: Loopback, loopback_engine: VllmEngine) -> None:
    asked = len(loopback.asked)
    with pytest.raises(PromptTooLong, match=r"8,192 tokens.*8,192"):
        await read(loopback_engine, [], prompt=(1,) * 8192)
    with pytest.raises(PromptTooLong):
        await loopback_engine.probe((1,) * 9000)
    assert len(loopback.asked) == asked


async def test_probe_returns_the_engines_own_count(loopback: Loopback, loopback_engine: VllmEngine) -> None:
    play(loopback, plain(200, "application/json", (SAMPLES / "completions.json").read_bytes()))
    probe = await loopback_engine.probe((1,) * 12)
    assert (probe.prompt_tokens, probe.cached_tokens) == (12, 0)
    assert probe.seconds > 0
    assert loopback.asked[-1][1] == {"model": "m", "prompt": [1] * 12, "max_tokens": 1, "temperature": 0}


async def test_render_and_tokenize(loopback: Loopback, loopback_engine: VllmEngine) -> None:
    loopback.answers["/tokenize"] = as_json({"count": 2, "tokens": [4, 5]})
    assert await loopback_engine.render([ChatMessage("user", "Hi")]) == (4, 5)
    assert loopback.asked[-1][1]["add_generation_prompt"] is True
    assert await loopback_engine.tokenize("Hi", special=True) == (4, 5)
    assert loopback.asked[-1][1] == {"model": "m", "prompt": "Hi", "add_special_tokens": True}
    message = "As of transformers v4.44, default chat template is no longer allowed"
    loopback.answers["/tokenize"] = as_json({"error": {"message": message}}, 400)
    assert await loopback_engine.render([ChatMessage("user", "Hi")]) is None
    with pytest.raises(RequestRefused):
        await loopback_engine.tokenize("Hi")


def test_the_client_needs_no_proxy_and_no_certificates(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.invalid:1")
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere")
    client = open_client(Path("/tmp/none"), "", "")
    assert client.trust_env
    assert not client._mounts
