"""A thought is told apart from the text at whatever points the stream is cut, and goes on inside and after itself."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from writer.generation.model import Delta
from writer.generation.thought import KNOWN, Channel, Markers, ThoughtSplitter, markers_in, open_thought, with_ids

THINK = KNOWN[0]
OTHER, BEGIN, END = 1, 90, 91  # ids


def delta(text: str) -> Delta:
    return Delta((OTHER,) * len(text), text, tuple(range(1, len(text) + 1)))


def read(deltas: Iterable[Delta], markers: Markers = THINK, *, inside: bool = False) -> tuple[str, str]:
    """Thought and text of an answer that came so."""
    splitter = ThoughtSplitter(markers, inside=inside)
    said = [each for one in deltas for each in splitter.feed(one)] + list(splitter.finish())
    thought = "".join(each.text for each in said if each.channel is Channel.THOUGHT)
    return thought, "".join(each.text for each in said if each.channel is Channel.TEXT)


SAMPLES = {
    "<think>\nShe must not find it yet.\n</think>\n\nThe rain began.": (
        "She must not find it yet.\n",
        "The rain began.",
    ),
    "\n<think></think>The rain": ("", "The rain"),
    "<think>a < b, </thin is no end</think>Text": ("a < b, </thin is no end", "Text"),
    "<think>never ends, 雨 🌊": ("never ends, 雨 🌊", ""),
    "The rain. <think>no thought</think>": ("", "The rain. <think>no thought</think>"),
    "<thinking>no mark": ("", "<thinking>no mark"),
    "  Indented text": ("", "  Indented text"),
    "<think>one</think>\n\n<think>two</think> goes on": ("one", "<think>two</think> goes on"),
    "<thin": ("", "<thin"),
    "  <thin": ("", "  <thin"),
    "": ("", ""),
    "\n\n": ("", ""),
}


@pytest.mark.parametrize("answer", SAMPLES)
def test_thought_and_text_are_told_apart_at_every_split(answer: str) -> None:
    assert read([delta(answer)]) == SAMPLES[answer]
    for cut in range(len(answer) + 1):
        assert read([delta(answer[:cut]), delta(answer[cut:])]) == SAMPLES[answer], cut
    assert read(map(delta, answer)) == SAMPLES[answer]


@pytest.mark.parametrize("markers", KNOWN, ids=lambda each: each.begin)
def test_every_known_pair_of_marks_is_understood_at_every_split(markers: Markers) -> None:
    answer = f"{markers.begin}Not yet.{markers.end}The rain."
    for cut in range(len(answer) + 1):
        assert read([delta(answer[:cut]), delta(answer[cut:])], markers) == ("Not yet.", "The rain.")


@settings(max_examples=300)
@given(
    thought=st.text("<think/> ab雨\n", max_size=30).filter(lambda text: "</think>" not in text),
    text=st.text("<think/> ab雨\n", max_size=30),
    cuts=st.lists(st.integers(0, 90), max_size=8),
)
def test_any_cuts_give_what_one_piece_gives(thought: str, text: str, cuts: list[int]) -> None:
    answer = f"<think>{thought}</think>{text}"
    places = sorted({0, len(answer), *(cut for cut in cuts if cut < len(answer))})
    pieces = [delta(answer[a:b]) for a, b in itertools.pairwise(places)]
    assert read(pieces) == read([delta(answer)])
    ends_early = f"{thought}</think>".index("</think>")
    assert read(pieces) == (answer[7 : 7 + ends_early].lstrip(), answer[7 + ends_early + 8 :].lstrip())


@pytest.mark.parametrize("cut", range(40))
def test_a_resume_inside_and_after_the_thought_goes_on_in_its_channel(cut: int) -> None:
    answer = "<think>Not yet.</think>\n\nThe rain began."
    splitter = ThoughtSplitter(THINK)
    before = [each for letter in answer[:cut] for each in splitter.feed(delta(letter))]
    again = ThoughtSplitter(THINK)
    assert [each.text for each in again.feed(delta(answer[:cut]))] == _joined(before)
    assert again.channel is splitter.channel
    rest = [*again.feed(delta(answer[cut:])), *again.finish()]
    texts = {channel: "".join(e.text for e in [*before, *rest] if e.channel is channel) for channel in Channel}
    assert texts == {Channel.THOUGHT: "Not yet.", Channel.TEXT: "The rain began."}


def _joined(said: list) -> list[str]:  # type: ignore[type-arg]
    texts: list[str] = []
    last = None
    for each in said:
        if each.channel is last:
            texts[-1] += each.text
        else:
            texts.append(each.text)
        last = each.channel
    return texts


def test_marks_without_text_are_known_by_their_ids() -> None:
    markers = with_ids(Markers("[THINK]", "[/THINK]"), {"[THINK]": (BEGIN,), "[/THINK]": (END,)}.__getitem__)
    answer = Delta((BEGIN, OTHER, OTHER, END, OTHER), "Notyet.Rain", (0, 3, 7, 7, 11))
    assert read([answer], markers) == ("Notyet.", "Rain")
    for cut in range(6):
        at = answer.ends[cut - 1] if cut else 0
        first = Delta(answer.token_ids[:cut], answer.text[:at], answer.ends[:cut])
        second = Delta(answer.token_ids[cut:], answer.text[at:], tuple(end - at for end in answer.ends[cut:]))
        assert read([first, second], markers) == ("Notyet.", "Rain")


def test_a_mark_of_several_tokens_has_no_id() -> None:
    assert with_ids(THINK, lambda text: (1, 2)) == THINK


def test_a_thought_that_the_prompt_has_opened_needs_no_beginning() -> None:
    assert read([delta("\nNot yet.</think>\n\nThe rain.")], inside=True) == ("Not yet.", "The rain.")
    assert open_thought("<|im_start|>assistant\n<think>\n", THINK)
    assert not open_thought("<|im_start|>assistant\n<think>\n\n</think>\n\n", THINK)
    assert not open_thought("<|im_start|>assistant\n", THINK)


def test_the_marks_are_those_that_the_template_names() -> None:
    assert markers_in("{{ '<seed:think>' }} {{ '</seed:think>' }}") == Markers("<seed:think>", "</seed:think>")
    assert markers_in("{{ '[INST]' }}") is None
