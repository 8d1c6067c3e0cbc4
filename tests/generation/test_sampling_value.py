"""The value that a generation is drawn with: from settings, to its row and back, and from rows of before."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace

from writer.config import WritingSettings
from writer.generation.sampling import Sampling, Thinking, drawn_in_thought, sampling_of, thinking_of, word_control
from writer.presets import WRITING

FULL = WritingSettings(
    temperature=0.7,
    top_p=0.8,
    top_k=9,
    min_p=0.02,
    repetition_penalty=1.3,
    max_tokens=77,
    min_tokens=5,
    stop=("END",),
    presence_penalty=0.1,
    frequency_penalty=0.2,
    dry_multiplier=0.5,
    dry_base=1.5,
    dry_allowed_length=3,
    dry_range=400,
    dry_breakers=(";",),
    xtc_threshold=0.2,
    xtc_probability=0.4,
    banned=("delve",),
    think=True,
    think_tokens=90,
    raw=True,
)


def test_every_setting_of_writing_reaches_the_draw() -> None:
    made, usual = sampling_of(FULL, seed=4), WritingSettings()
    names = {each.name for each in fields(WritingSettings)} - {"preset", "seed"}
    for name in names:
        assert getattr(FULL, name) != getattr(usual, name), f"{name} is not tried"
        assert getattr(made, name) == getattr(FULL, name)
    assert made.seed == 4
    assert names | {"preset", "seed"} == set(WRITING)


def test_it_comes_back_from_its_row_as_it_was() -> None:
    made = replace(sampling_of(FULL, seed=4), thinking=Thinking("<think>", "</think>", 7, 90, (1, 2), (3, 7, 1, 2)))
    assert thinking_of(made) is not None
    assert Sampling(**json.loads(json.dumps(asdict(made)))) == made


def test_a_thought_is_drawn_without_what_shapes_the_words_of_a_text() -> None:
    drawn = drawn_in_thought(sampling_of(FULL, seed=4))
    assert word_control(drawn) == ()
    assert (drawn.temperature, drawn.top_p, drawn.top_k, drawn.min_p, drawn.seed) == (0.7, 0.8, 9, 0.02, 4)
    assert (drawn.repetition_penalty, drawn.stop, drawn.min_tokens) == (1.0, (), 0)


def test_a_row_of_an_older_program_asks_for_nothing_new() -> None:
    row = '{"temperature": 0.7, "top_p": 0.95, "top_k": 0, "min_p": 0.0, "repetition_penalty": 1.05, "seed": 3, '
    found = Sampling(**json.loads(row + '"max_tokens": 1200, "ignore_eos": false}'))
    assert word_control(found) == ()
    assert thinking_of(found) is None
    assert (found.temperature, found.seed, found.stop, found.min_tokens) == (0.7, 3, (), 0)
