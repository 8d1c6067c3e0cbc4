"""Templates of thinking models: a thought is begun as the template has it, and a resume sends its ids again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from model_folders import model_folder
from test_chat_templates import TALK, prompt

from writer.engine import tokens
from writer.engine.counting import ModelWording
from writer.engine.tokens import decode, encode
from writer.generation.model import Fingerprint, Generation, Sampling, Saved, State
from writer.generation.prompt import ChapterPrompt, chat
from writer.generation.resume import aligned, plain
from writer.generation.sampling import Thinking
from writer.generation.thinking import Stage, beyond, stage, thought_ids
from writer.runtime import thoughts

OPENED = {
    "qwen3": "<|im_start|>assistant\n<think>\n",
    "qwen3_thinking": "<|im_start|>assistant\n<think>\n",
    "r1": "<｜Assistant｜><think>\n",
    "harmony": "<|start|>assistant<|channel|>analysis<|message|>",
}
BEHIND = {
    "qwen3": "</think>\n\nThe rain",
    "qwen3_thinking": "</think>\n\nThe rain",
    "r1": "</think>\n\nThe rain",
    "harmony": "<|end|><|start|>assistant<|channel|>final<|message|>The rain",
}
THOUGHT, TEXT = "Not yet, 灯塔 first. 🌊 She\n\nwaits.", " began again.\n\n雨下了一夜。"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("thinking")
    return {name: model_folder(root / name, name) for name in OPENED}


def begun(folder: Path) -> tuple[tuple[int, ...], Thinking]:
    opened = ModelWording(folder).open_thought(prompt("The rain"))
    assert opened is not None
    return opened.prompt_ids, replace(opened.thinking, limit=500)


def saved_of(folder: Path, before: Sequence[int], quiet: Sequence[int], shown: Sequence[int]) -> Saved:
    """A journal: tokens that show nothing, and then a text."""
    after = (*before, *quiet)
    texts = [decode(folder, shown[:n], before=after) for n in range(1, len(shown) + 1)]
    return Saved((*quiet, *shown), texts[-1] if texts else "", (*(0 for _ in quiet), *map(len, texts)), 1)


def generation(prompt_ids: tuple[int, ...], thinking: Thinking) -> Generation:
    sampling = Sampling(thinking=thinking)
    return Generation("g", "c.md", State.PAUSED, sampling, Fingerprint(), prompt_ids, 0.0, 0.0)


class Reader:
    """As much of an engine as reads ids."""

    facts = SimpleNamespace(block_size=16, aligned=True)

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    async def detokenize(self, token_ids: Sequence[int]) -> str:
        return tokens.shown(self.folder, token_ids)


@pytest.mark.parametrize("name", OPENED)
def test_the_prompt_ends_in_the_thought_and_the_text_stands_behind_it(name: str, folders: dict[str, Path]) -> None:
    folder = folders[name]
    prompt_ids, thinking = begun(folder)
    mark = encode(folder, thinking.end)
    assert thinking.end_id is not None
    assert mark == (thinking.end_id,)
    assert tokens.shown(folder, prompt_ids).endswith(OPENED[name])
    assert tokens.shown(folder, (*prompt_ids, *mark, *thinking.then)).endswith(BEHIND[name])
    assert thinking.cut.count(thinking.end_id) == 1
    assert thinking.cut[-len(thinking.then) - 1 :] == (*mark, *thinking.then)


@pytest.mark.parametrize("name", OPENED)
async def test_a_resume_sends_the_original_ids_and_the_generated_ones_inside_and_after_the_thought(
    name: str, folders: dict[str, Path]
) -> None:
    folder = folders[name]
    prompt_ids, thinking = begun(folder)
    asked, reader = generation(prompt_ids, thinking), Reader(folder)
    quiet = encode(folder, THOUGHT)
    for cut in range(len(quiet) + 1):
        saved = saved_of(folder, prompt_ids, quiet[:cut], ())
        assert stage(thinking, saved) is Stage.INSIDE
        for exact in (True, False):
            found = await thoughts.inside(reader, asked, saved, exact=exact)  # type: ignore[arg-type]
            assert found is not None
            plan = found[0]
            assert plan.prompt_ids == prompt_ids + quiet[: plan.kept]
            assert plan.start == plan.kept + len(plan.replay_ids) <= cut
            assert plan.max_tokens == thinking.limit - plan.kept
            assert not tokens.shown(folder, plan.prompt_ids).endswith("\ufffd")
    over = (*quiet, thinking.end_id or 0)
    assert stage(thinking, saved_of(folder, prompt_ids, over, ())) is Stage.ENDED
    written = encode(folder, TEXT)
    for cut in range(len(written) + 1):
        saved = saved_of(folder, prompt_ids, (*over, *thinking.then), written[:cut])
        after = beyond(asked, saved)
        assert stage(thinking, saved) is Stage.WRITING
        assert thought_ids(asked, saved) == quiet
        assert after.prompt_ids == (*prompt_ids, *over, *thinking.then)
        for plan in (
            plain(after.prompt_ids, after.saved, max_tokens=99),
            aligned(after.prompt_ids, after.saved, block_size=16, max_tokens=99),
        ):
            assert plan.prompt_ids == (*prompt_ids, *saved.token_ids[: after.offset + plan.kept])


@pytest.mark.parametrize("name", OPENED)
def test_a_long_chapter_stands_in_a_turn_of_its_own_and_its_last_paragraph_behind_the_thought(
    name: str, folders: dict[str, Path]
) -> None:
    folder, text = folders[name], "It was late.\n\nThe lamp had gone out.\n\nThe rain"
    for before in ("", "Long ago. "):
        talk = chat(["You are a novelist."], "Write the chapter.", "it rains", before)
        opened = ModelWording(folder).open_thought(ChapterPrompt(talk, text, ""))
        assert opened is not None
        said = tokens.shown(folder, opened.prompt_ids)
        assert f"{before}It was late.\n\nThe lamp had gone out." in said
        assert "The rain" not in said
        assert said.endswith(OPENED[name])
        assert tokens.shown(folder, opened.thinking.then).endswith("The rain")


@pytest.mark.parametrize("name", ["llama3", "gemma", "mistral", "smollm2", "chatml"])
async def test_a_model_that_knows_no_thoughts_is_known_for_it(name: str, tmp_path: Path) -> None:
    wording = ModelWording(model_folder(tmp_path, name))
    assert not await wording.thinks()
    assert wording.open_thought(prompt()) is None


async def test_a_model_whose_template_opens_a_thought_and_takes_no_answer_can_think(tmp_path: Path) -> None:
    source = (
        "{% for m in messages %}{% if m.role == 'assistant' and loop.last %}{{ raise_exception('no') }}{% endif %}"
        "[{{ m.content }}]{% endfor %}{% if add_generation_prompt %}<think>{% endif %}{# </think> #}"
    )
    wording = ModelWording(model_folder(tmp_path, "r1", source))
    assert "Let it think" in await wording.note()
    opened = wording.open_thought(ChapterPrompt(TALK, "The rain", "# One\n\nThe rain"))
    assert opened is not None
    assert wording.prompt_ids(prompt()) == encode(tmp_path, "# One\n\nThe rain", special=True)
    assert tokens.shown(tmp_path, opened.prompt_ids).endswith("stands.]<think>")
