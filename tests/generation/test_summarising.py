"""The request for a summary: the whole chapter, or its beginning and end where not all of it fits."""

from __future__ import annotations

from planning import words

from writer.generation.sampling import Sampling
from writer.generation.summarising import shortened, summary_prompt, summary_sampling


def test_the_chapter_is_shown_and_the_request_stands_last() -> None:
    prompt = summary_prompt("Salt", "One", "de", "Mara woke.", 8192)
    system, user = prompt.messages
    assert "German" in system.content
    assert "Mara woke." in user.content
    assert user.content.endswith("in at most 150 words.")
    assert prompt.prefill == ""
    assert "Mara woke." in prompt.plain


def test_of_a_long_chapter_beginning_and_end_are_shown() -> None:
    text = words(6000)
    shown = shortened(text, 2000)
    assert len(shown) < 6000
    assert shown.startswith("word0 word1")
    assert shown.endswith(text[-50:])
    assert shown.count("[…]") == 1
    assert shortened("short", 2000) == "short"
    assert len(shortened("海" * 9000, 1000)) < 1000


def test_a_summary_is_drawn_colder_and_shorter() -> None:
    drawn = summary_sampling(Sampling(temperature=0.9, max_tokens=5000, stop=("x",), seed=4))
    assert (drawn.temperature, drawn.max_tokens, drawn.stop, drawn.seed) == (0.3, 400, (), 4)
    assert summary_sampling(Sampling(temperature=0.0)).temperature == 0.0
