"""A server without token ids: found out by itself, asked by text, and nothing it says is lost, doubled or shown raw."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai_server import STORY, StoryServer, telling

from writer.config import EngineSettings
from writer.engine.base import ChatMessage, Request
from writer.engine.by_text import USUAL_WINDOW, TextEngine
from writer.engine.remote import RemoteEngine
from writer.engine.seam import Seam
from writer.engine.text_tokens import of_talk, of_text, to_talk, to_text, widths
from writer.errors import EngineDied, EngineError, RequestRefused
from writer.generation.model import Delta, Sampling

TALK = (ChatMessage("system", "You write."), ChatMessage("user", "A story — 海."))
SAMPLING = Sampling(seed=5, temperature=0.7, top_p=0.9, max_tokens=900)


@given(st.text())
def test_any_text_comes_back_from_its_ids(text: str) -> None:
    ids = of_text(text)
    assert to_text(ids) == text
    assert [len(to_text([each])) for each in ids] == list(widths(ids))
    assert all(0 < each < 2**31 or each == 0 for each in ids)


@given(st.lists(st.builds(ChatMessage, st.sampled_from(["system", "user", "assistant"]), st.text())), st.text())
def test_any_talk_comes_back_from_its_ids(talk: list[ChatMessage], begun: str) -> None:
    assert to_talk(of_talk(talk) + of_text(begun)) == (talk, begun)


def test_english_has_about_as_many_ids_as_a_model_makes() -> None:
    assert len(of_text("The tide came in at four, and nobody saw it. ")) == 12


def test_ids_of_a_model_are_refused() -> None:
    with pytest.raises(RequestRefused, match="own tokens"):
        to_text([0x110000 + 77])


@given(st.text("abc ", min_size=0, max_size=60), st.text("abc ", max_size=60), st.integers(1, 7))
def test_a_seam_loses_nothing_but_a_repetition(before: str, answer: str, size: int) -> None:
    seam = Seam(before)
    got = "".join(seam.feed(answer[at : at + size]) for at in range(0, len(answer), size)) + seam.end()
    assert answer.endswith(got)
    cut = answer[: len(answer) - len(got)]
    assert before.endswith(cut)
    assert cut == "" or len(cut) >= 12


def test_a_repetition_at_the_seam_is_left_out_whatever_pieces_it_comes_in() -> None:
    for size in (1, 5, 400):
        seam, answer = Seam("It was late. The tide came in"), "The tide came in, and nobody saw it."
        got = "".join(seam.feed(answer[at : at + size]) for at in range(0, len(answer), size)) + seam.end()
        assert got == ", and nobody saw it."


async def _attached(url: str, **settings: object) -> TextEngine:
    engine = await RemoteEngine(EngineSettings(url=url, **settings), environ={}).acquire(lambda _: None)  # type: ignore[arg-type]
    assert isinstance(engine, TextEngine)
    return engine


async def _all(engine: TextEngine, ids: tuple[int, ...], into: list[Delta]) -> str:
    async for delta in engine.stream(Request(ids, SAMPLING, 900)):
        into.append(delta)
    return "".join(delta.text for delta in into)


async def test_it_is_found_out_and_asked_as_a_talk_with_what_every_server_knows(home: dict[str, str]) -> None:
    server = StoryServer()
    async with telling(server, Path(home["XDG_RUNTIME_DIR"])) as url:
        engine = await _attached(url, window=5000)
        assert (engine.facts.by_text, engine.facts.window, engine.facts.fingerprint.tokenizer) == (True, 5000, "text")
        ids = await engine.render(TALK)
        assert ids is not None
        deltas: list[Delta] = []
        assert await _all(engine, ids, deltas) == STORY
        await engine.aclose()
    assert deltas[-1].finish_reason == "stop"
    assert "".join(to_text(delta.token_ids) for delta in deltas) == STORY
    assert all(delta.ends[-1] == len(delta.text) for delta in deltas if delta.ends)
    path, body = server.asked[-1]
    assert path == "/v1/chat/completions"
    assert body == {
        "model": "tale",
        "max_tokens": 900,
        "temperature": 0.7,
        "top_p": 0.9,
        "seed": 5,
        "stream": True,
        "messages": [{"role": "system", "content": "You write."}, {"role": "user", "content": "A story — 海."}],
    }


@pytest.mark.parametrize("echo", [0, 25])
async def test_it_goes_on_behind_the_last_character(home: dict[str, str], echo: int) -> None:
    server = StoryServer(cuts=[20], echo=echo)
    async with telling(server, Path(home["XDG_RUNTIME_DIR"])) as url:
        engine = await _attached(url)
        ids = await engine.render(TALK) or ()
        deltas: list[Delta] = []
        with pytest.raises(EngineDied):
            await _all(engine, ids, deltas)
        first = "".join(delta.text for delta in deltas)
        saved = tuple(each for delta in deltas for each in delta.token_ids)
        assert first + await _all(engine, ids + saved, []) == STORY
        assert await _all(engine, ids + saved, []) == STORY[100:]
        await engine.aclose()
    messages = server.asked[-1][1]["messages"]
    assert [each["role"] for each in messages] == ["system", "user", "assistant", "user"]
    assert messages[2]["content"] == STORY[:100]
    assert "very next" in messages[3]["content"]


async def test_without_a_door_for_talks_plain_text_is_completed(home: dict[str, str]) -> None:
    server = StoryServer(doors=("/v1/completions",))
    async with telling(server, Path(home["XDG_RUNTIME_DIR"])) as url:
        engine = await _attached(url)
        assert engine.facts.window == USUAL_WINDOW
        assert await engine.render(TALK) is None
        assert await _all(engine, await engine.tokenize(STORY[:50]), []) == STORY[50:]
        await engine.aclose()
    assert server.asked[-1][1]["prompt"] == STORY[:50]


async def test_a_sign_of_life_costs_no_text(home: dict[str, str]) -> None:
    server = StoryServer()
    async with telling(server, Path(home["XDG_RUNTIME_DIR"])) as url:
        engine = await _attached(url)
        assert (await engine.probe((65,) * 7)).prompt_tokens == 7
        with pytest.raises(RequestRefused, match="no probabilities"):
            await engine.alternatives((65,), 5)
        await engine.aclose()
    assert server.asked == []


@pytest.mark.parametrize(
    ("server", "settings", "words"),
    [
        (StoryServer(doors=()), {}, "completes no text"),
        (StoryServer(models=()), {}, "not a vLLM server"),
        (StoryServer(models=("a", "b")), {"model": "c"}, r"Set engine\.model .*\(a, b…\)"),
        (StoryServer(), {"protocol": "vllm"}, "not a vLLM server"),
    ],
)
async def test_what_cannot_be_used_is_told(
    home: dict[str, str], server: StoryServer, settings: dict[str, str], words: str
) -> None:
    async with telling(server, Path(home["XDG_RUNTIME_DIR"])) as url:
        with pytest.raises(EngineError, match=words):
            await _attached(url, **settings)


async def test_one_of_several_models_is_named_in_the_settings(home: dict[str, str]) -> None:
    async with telling(StoryServer(models=("a", "b")), Path(home["XDG_RUNTIME_DIR"])) as url:
        engine = await _attached(url, model="b", protocol="openai")
        assert engine.facts.model == "b"
        await engine.aclose()


async def test_a_filter_is_told_and_what_came_counts(home: dict[str, str]) -> None:
    server = StoryServer(story="The end\x1b[2J", finish="content_filter")
    async with telling(server, Path(home["XDG_RUNTIME_DIR"])) as url:
        engine = await _attached(url)
        deltas: list[Delta] = []
        with pytest.raises(RequestRefused, match="filter stopped the text"):
            await _all(engine, await engine.render(TALK) or (), deltas)
        assert "".join(delta.text for delta in deltas) == "The end␛[2J"
        await engine.aclose()
