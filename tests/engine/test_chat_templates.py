"""Templates: an answer is begun and never closed, with one header and one BOS; what cannot go on is told."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from model_folders import FAMILIES, SCRIPTS, model_folder

from writer.engine.chat_template import ChatTemplate, read_template
from writer.engine.counting import ModelWording
from writer.engine.tokens import decode, encode, encode_after
from writer.generation.chat_form import TemplateRefused, form_of, open_turn
from writer.generation.model import Saved
from writer.generation.prompt import ChapterPrompt, ChatMessage, chat
from writer.generation.resume import aligned, plain
from writer.generation.wording import Known

NAMES = list(FAMILIES)
TALK = chat(["You are a novelist."], "Write the chapter.", "it rains", "It was late. ")
GOLDEN = {
    "smollm2": "<|im_start|>user\nit rains\n\nGo on with the chapter from exactly where it stands.<|im_end|>\n"
    "<|im_start|>assistant\n",
    "llama3": "<|start_header_id|>user<|end_header_id|>\n\nit rains\n\nGo on with the chapter from exactly where it "
    "stands.<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
    "mistral": "</s>[INST] it rains\n\nGo on with the chapter from exactly where it stands.[/INST] ",
    "gemma": "<start_of_turn>user\nit rains\n\nGo on with the chapter from exactly where it stands.<end_of_turn>\n"
    "<start_of_turn>model\n",
    "qwen3": "exactly where it stands.<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n",
    "qwen3_thinking": "exactly where it stands.<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n",
    "r1": "exactly where it stands.<｜Assistant｜><think>\n\n</think>\n\n",
    "harmony": "exactly where it stands.<|end|><|start|>assistant<|channel|>final<|message|>",
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("models")
    return {name: model_folder(root / name, name) for name in NAMES}


def prompt(prefill: str = "The rain", talk: tuple[ChatMessage, ...] = TALK) -> ChapterPrompt:
    return ChapterPrompt(talk, prefill, f"# One\n\n{prefill}")


def template(folder: Path) -> ChatTemplate:
    found = read_template(folder)
    assert found is not None
    return found


@pytest.mark.parametrize("name", GOLDEN)
def test_the_open_turn_is_what_the_template_itself_puts_before_an_answer(name: str, folders: dict[str, Path]) -> None:
    rendered = ModelWording(folders[name]).rendered(prompt("The rain"))
    assert rendered.endswith(GOLDEN[name] + "The rain")


@pytest.mark.parametrize("name", NAMES)
def test_every_template_is_known_for_what_it_can_do(name: str, folders: dict[str, Path]) -> None:
    form = form_of(template(folders[name]).render, template(folders[name]).source)
    assert form.continues
    assert form.system == (name != "gemma")
    assert form.thinks == (name in ("qwen3_thinking", "r1"))
    assert bool(form.note) == form.thinks
    begins = {
        "qwen3": "<think>",
        "qwen3_thinking": "<think>",
        "r1": "<think>",
        "harmony": "<|channel|>analysis<|message|>",
    }
    assert (form.thought.begin if form.thought else None) == begins.get(name)


@pytest.mark.parametrize("name", NAMES)
def test_no_second_bos_and_no_second_header(name: str, folders: dict[str, Path]) -> None:
    family, folder = FAMILIES[name], folders[name]
    ids = ModelWording(folder).prompt_ids(prompt())
    if family.bos and family.bos != "<|im_start|>" and name not in ("chatml", "harmony"):
        (bos,) = encode(folder, family.bos)
        assert ids.count(bos) == 1
        assert ids[0] == bos
    rendered = ModelWording(folder).rendered(prompt())
    assert rendered.count(family.header) == 2  # the closed turn and the open one
    assert rendered.endswith("The rain")
    assert "You are a novelist." in rendered


@pytest.mark.parametrize("name", NAMES)
def test_a_resume_sends_the_original_ids_and_the_generated_ones(name: str, folders: dict[str, Path]) -> None:
    folder = folders[name]
    original = ModelWording(folder).prompt_ids(prompt())
    written = encode(folder, " began again.\n\n雨下了一夜。🌊 ฝนตกทั้งคืน")
    texts = [decode(folder, written[:n], before=original) for n in range(1, len(written) + 1)]
    for cut in range(1, len(written) + 1):
        saved = Saved(written[:cut], texts[cut - 1], tuple(map(len, texts[:cut])))
        for plan in (plain(original, saved, max_tokens=99), aligned(original, saved, block_size=16, max_tokens=99)):
            assert plan.prompt_ids == original + written[: plan.kept]
        assert plain(original, saved, max_tokens=99).start <= cut


@pytest.mark.parametrize("name", NAMES)
def test_at_every_split_the_joined_texts_are_one_decode_of_all_ids(name: str, folders: dict[str, Path]) -> None:
    folder = folders[name]
    before = ModelWording(folder).prompt_ids(prompt())
    written = encode(folder, " " + SCRIPTS)
    whole = decode(folder, written, before=before)
    assert "灯塔" in whole
    assert "ประภาคาร" in whole
    assert "👩‍👩‍👧" in whole
    for cut in range(len(written) + 1):
        first = decode(folder, written[:cut], before=before)
        assert first + decode(folder, written[cut:], before=(*before, *written[:cut])) == whole, cut


@pytest.mark.parametrize("name", NAMES)
def test_text_that_goes_on_keeps_the_ids_before_it(name: str, folders: dict[str, Path]) -> None:
    wording, text = ModelWording(folders[name]), "The rain began again. She said nothing."
    head = wording.prompt_ids(prompt(text))
    longer = wording.prompt_ids(prompt(f"{text}\n\nThe keeper walked down to the harbour. 雨下了一夜。"))
    assert longer[: len(head) - 1] == head[:-1]


@pytest.mark.parametrize("name", NAMES)
def test_what_a_model_wrote_keeps_its_own_ids(name: str, folders: dict[str, Path]) -> None:
    folder, wording = folders[name], ModelWording(folders[name])
    head = wording.prompt_ids(prompt("The rain"))
    odd = tuple(token for letter in " began" for token in encode(folder, letter)[-1:])  # not as a tokenizer would
    text = decode(folder, odd, before=head)
    assert wording.prompt_ids(prompt("The rain" + text), [Known(text, odd)]) == head + odd
    more = wording.prompt_ids(prompt(f"The rain{text} again."), [Known(text, odd)])
    assert decode(folder, more, before=()).endswith("The rain began again.")
    assert (more[: len(head) + len(odd)] == head + odd) != FAMILIES[name].metaspace


def test_a_text_counts_as_it_does_in_the_middle_of_a_longer_one(folders: dict[str, Path]) -> None:
    wording = ModelWording(folders["chatml"])
    pieces = [SCRIPTS[at : at + 90] for at in range(0, len(SCRIPTS), 90)]
    assert sum(wording.count(["One.\n\n", "Two.\n\n", "Three."])) == len(
        encode(folders["chatml"], "One.\n\nTwo.\n\nThree.")
    )
    assert wording.count(["", *pieces, *pieces]) == [0, *wording.count(pieces) * 2]


def test_a_thought_is_left_open_where_the_model_may_think(folders: dict[str, Path]) -> None:
    found = template(folders["qwen3_thinking"])
    form = form_of(found.render, found.source)
    assert open_turn(found.render, form, TALK, thinking=True).endswith("<|im_start|>assistant\n<think>\n")
    assert open_turn(found.render, form, TALK).endswith("<think>\n\n</think>\n\n")


REFUSING = "{{ raise_exception('no') }}"
CLOSING = "{% for m in messages %}[{{ m.content | upper }}]{% endfor %}{% if add_generation_prompt %}>{% endif %}"
THINKING = (
    "{% for m in messages %}{% if m.role == 'assistant' %}{{ raise_exception('no') }}{% endif %}[{{ m.content }}]"
    "{% endfor %}{% if add_generation_prompt %}<think>{% endif %}{# </think> #}"
)
BROKEN = "{% for m in messages %}{{ m.nothing.there }}{% endfor %}"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (REFUSING, "cannot be used"),
        (BROKEN, "cannot be used"),
        (CLOSING, "changes the text"),
        (THINKING, "cannot be continued"),
        ("{% if %}", ""),
    ],
)
async def test_a_template_that_cannot_be_continued_is_told_and_the_raw_text_is_sent(
    source: str, said: str, tmp_path: Path
) -> None:
    wording = ModelWording(model_folder(tmp_path, "llama3", source))
    ids = wording.prompt_ids(prompt("The rain"))
    assert ids == encode(tmp_path, "# One\n\nThe rain", special=True)
    assert ids[0] == encode(tmp_path, "<|begin_of_text|>")[0]
    assert said in await wording.note()


def test_a_model_without_a_template_continues_plain_text(tmp_path: Path) -> None:
    folder = model_folder(tmp_path, "llama3", "")
    assert read_template(folder) is None
    assert ModelWording(folder).prompt_ids(prompt()) == encode(folder, "# One\n\nThe rain", special=True)


def test_a_template_runs_in_a_sandbox() -> None:
    for source in ("{{ messages.__class__.__mro__ }}", "{{ messages.append(1) }}"):
        with pytest.raises(TemplateRefused):
            ChatTemplate(source, {}).render(TALK, True)


def test_a_template_without_system_messages_gets_them_with_the_first_request(folders: dict[str, Path]) -> None:
    rendered = ModelWording(folders["gemma"]).rendered(prompt())
    assert rendered.startswith("<bos><start_of_turn>user\nYou are a novelist.\n\nWrite the chapter.<end_of_turn>\n")


@pytest.mark.parametrize("name", NAMES)
def test_no_text_of_an_author_is_read_as_a_special_token(name: str, folders: dict[str, Path]) -> None:
    family, wording = FAMILIES[name], ModelWording(folders[name])
    marks = [*family.special, *family.plain]
    usual = wording.prompt_ids(prompt("The rain"))
    talk = chat([f"You {' '.join(marks)}"], f"Write {marks[-1]}", "it rains", f"It was {marks[0]} late. ")
    ids = wording.prompt_ids(prompt(f"The rain {' '.join(marks)}", talk))
    special = [token for mark in marks for token in encode(folders[name], mark)[-1:]]
    assert [ids.count(token) for token in special] == [usual.count(token) for token in special]


@pytest.mark.parametrize("name", NAMES)
def test_what_was_read_before_is_not_read_again_and_the_ids_are_the_same(name: str, folders: dict[str, Path]) -> None:
    folder, wording = folders[name], ModelWording(folders[name])
    draw, last = random.Random(1), None
    for _ in range(60):
        pieces = [SCRIPTS[draw.randrange(200) :][: draw.randrange(120)] for _ in range(5)]
        talk = chat([pieces[0]] if draw.random() < 0.5 else ["You write."], *pieces[1:4])
        text = wording.rendered(prompt(pieces[4], talk))
        last = encode_after(folder, text, last)
        assert last.ids == encode(folder, text)
    longer = encode_after(folder, last.text + " and more", last)
    assert longer.marks == last.marks
    assert longer.marks[-1][2] > 5


def test_a_tokenizer_that_cannot_be_read_here_is_left_to_the_engine(tmp_path: Path) -> None:
    folder = model_folder(tmp_path, "chatml")
    assert ModelWording(folder).usable
    (tmp_path / "newer").mkdir()
    (tmp_path / "newer/tokenizer.json").write_text('{"version": "9.0"}')
    assert not ModelWording(tmp_path / "newer").usable
    assert not ModelWording(tmp_path / "none").usable
