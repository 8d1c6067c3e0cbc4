"""The plan: its order, what stays in front, what is left out first, and that it never exceeds the window."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planning import count, material, note, plan, sent, words

from writer.errors import PromptTooLong
from writer.generation.plan_budget import Room, room_to_write
from writer.generation.plan_material import INSTRUCTIONS, in_order_of_mention, pieces, with_nearness
from writer.generation.plan_parts import ORDER, Kind
from writer.generation.window import lasting, step, turn_at
from writer.manuscript.outline import OutlineEntry
from writer.manuscript.sources import Source

OUTLINE = tuple(OutlineEntry(f"Chapter {n}", words(40), "", "idea") for n in range(30))
FULL = {
    "notes": (
        note("style", "Short sentences.", kind="style", always=True),
        note("world", words(50), always=True),
        note("Mara", words(60)),
    ),
    "mentioned": (note("Mara", words(60)),),
    "outline": (*OUTLINE, OutlineEntry("The harbour", "Mara comes home.", "", "idea")),
    "summaries": tuple((f"Chapter {n}", words(40)) for n in range(20)),
    "sources": (Source("sources/a.md", "Survey", words(800), ""),),
    "before": words(300),
    "instruction": "it rains",
}
WINDOW = Room(window=16_000, to_write=1000, overhead=20)


def test_parts_stand_in_the_order_of_how_rarely_they_change() -> None:
    drawn = plan(material(words(400), **FULL), WINDOW)
    assert [part.kind for part in drawn.parts] == sorted((part.kind for part in drawn.parts), key=ORDER.index)
    assert {part.kind for part in drawn.parts} == set(Kind)
    assert drawn.left_out == ()
    system = drawn.prompt.messages[0].content
    places = [
        system.index(said)
        for said in ("novelist", "Short sentences", "## world", "## Outline", "## What", "## Survey", "## How")
    ]
    assert places == sorted(places)


def test_what_changes_per_request_stands_behind_all_but_the_end_of_the_text() -> None:
    text = words(900)
    drawn = plan(material(text, **FULL), WINDOW)
    roles = [message.role for message in drawn.prompt.messages]
    assert roles == ["system", "user", "assistant", "user"]
    asked = drawn.prompt.messages[-1].content
    assert "## Mara" in asked
    assert "it rains" in asked
    assert drawn.prompt.messages[2].content + drawn.prompt.prefill == text
    assert 128 <= count(drawn.prompt.prefill) < 700


def test_a_short_text_is_the_open_turn_and_the_request_stands_before_it() -> None:
    drawn = plan(material("It was", instruction="it rains"), WINDOW)
    assert [message.role for message in drawn.prompt.messages] == ["system", "user"]
    assert drawn.prompt.prefill == "It was"
    assert drawn.prompt.messages[-1].content.endswith("In what follows: it rains")


def test_a_base_model_gets_one_text_that_goes_on() -> None:
    text = words(900)
    drawn = plan(material(text, **FULL), WINDOW)
    plain = drawn.prompt.plain
    assert "novelist" not in plain
    assert plain.endswith(drawn.prompt.prefill)
    assert plain.index("## Survey") < plain.index("\n# The harbour") < plain.index("[## Mara") < plain.index("it rains")
    assert plan(material(""), WINDOW).prompt.plain == "# The harbour\n\n"


def test_going_on_with_the_same_request_only_appends() -> None:
    first = plan(material(words(900), **FULL), WINDOW)
    text = words(900)
    for more in range(901, 1400, 37):
        text = words(more)
        again = plan(material(text, **FULL), WINDOW, first.turn)
        assert again.prompt.messages == first.prompt.messages
        assert again.prompt.prefill.startswith(first.prompt.prefill)
    assert plan(material(text, **FULL), WINDOW).prompt.messages != first.prompt.messages


def test_another_request_changes_nothing_before_it() -> None:
    first = plan(material(words(900), **FULL), WINDOW)
    again = plan(material(words(1200), **FULL | {"instruction": "the sun comes out"}), WINDOW, first.turn)
    assert again.prompt.messages[:2] == first.prompt.messages[:2]
    assert again.prompt.messages[2].content.startswith(first.prompt.messages[2].content)
    assert count(again.prompt.prefill) < 700


def test_a_changed_text_gives_the_request_a_new_place() -> None:
    first = plan(material(words(900)), WINDOW)
    assert first.turn is not None
    again = plan(material("Another beginning. " + words(900)), WINDOW, first.turn)
    assert again.turn is not None
    assert again.turn.before != first.turn.before


def test_sources_go_first_and_each_loss_is_told() -> None:
    drawn = plan(material(words(1200), **FULL), Room(window=4000, to_write=800))
    lost = {part.kind for part in drawn.parts if part.why}
    assert Kind.SOURCE in lost
    assert Kind.INSTRUCTIONS not in lost
    assert Kind.REQUEST not in lost
    assert len(drawn.left_out) == len(lost)
    assert all(sentence.endswith(".") for sentence in drawn.left_out)
    assert "it rains" in sent(drawn)


def test_of_the_outline_the_chapters_around_this_one_are_kept() -> None:
    entries = (*OUTLINE[:15], OutlineEntry("The harbour", "Mara comes home.", "", "idea"), *OUTLINE[15:])
    drawn = plan(material(words(100), outline=entries), Room(window=2400, to_write=400))
    part = next(part for part in drawn.parts if part.kind is Kind.OUTLINE)
    assert part.cut
    assert "chapters of the outline are left out" in part.why
    assert "### The harbour" in part.text
    assert "### Chapter 15" in part.text
    assert "### Chapter 0" not in part.text


def test_the_latest_summaries_are_kept() -> None:
    drawn = plan(material("", summaries=FULL["summaries"]), Room(window=2000, to_write=300))
    part = next(part for part in drawn.parts if part.kind is Kind.SUMMARIES)
    assert part.cut
    assert "### Chapter 19" in part.text
    assert "### Chapter 0\n" not in part.text


def test_the_authors_own_instructions_take_the_place_of_ours_and_their_beginning_is_never_dropped() -> None:
    own = replace(note("own", f"You write only dialogue. {words(3000)}"), path=INSTRUCTIONS)
    drawn = plan(material(words(2000), notes=(own,), mentioned=(own,)), Room(window=3000, to_write=500))
    assert drawn.prompt.messages[0].content.startswith("You write only dialogue. word0 word1")
    (part,) = [part for part in drawn.parts if part.cut and part.kind is Kind.INSTRUCTIONS]
    assert "its end is left out" in part.why
    assert "novelist" not in sent(drawn)
    assert not [part for part in drawn.parts if part.kind is Kind.MENTIONED]


def test_of_the_notes_those_of_the_request_and_of_the_scene_come_first() -> None:
    notes = tuple(note(f"N{n}", words(60), priority=90 - n) for n in range(12))
    nearness = {notes[10].path: 2, notes[11].path: 1}
    given_ = material(words(1200), notes=notes, mentioned=notes, nearness=nearness)
    drawn = plan(given_, Room(window=4000, to_write=500))
    kept = [part.title for part in drawn.parts if part.kind is Kind.MENTIONED and part.included]
    assert {"N10", "N11", "N0"} <= set(kept)
    assert "N9" not in kept


def test_the_scene_is_what_stands_before_the_request_and_moves_with_it() -> None:
    notes = (note("Mara", ""), note("Ivo", ""), note("Una", "Una knows Ivo."))
    given_ = material("Mara woke." + "x" * 4000 + " Ivo came.", notes=notes, instruction="Una speaks")
    assert with_nearness(given_, 10).nearness == {notes[0].path: 1, notes[2].path: 2}
    assert with_nearness(given_, 4020).nearness == {notes[1].path: 1, notes[2].path: 2}


def test_a_turn_lasts_until_much_has_come_after_its_scene_or_what_is_before_it_changes() -> None:
    text = words(300)
    turn = turn_at(text[:1500], 1000, "asked")
    assert lasting(turn, text, 5000) == turn
    assert lasting(turn, text, len(text) - 1501) is None
    assert lasting(turn, "x" + text, 5000) is None
    assert lasting(turn, text[:900], 5000) is None
    assert lasting(None, text, 5000) is None
    assert turn_at(text, 1800, "other", turn).scene == turn.scene


def test_no_part_takes_all_of_a_small_room() -> None:
    drawn = plan(material(words(1200), **FULL), Room(window=5000, to_write=800))
    sent_kinds = {part.kind for part in drawn.parts if part.included}
    assert {Kind.OUTLINE, Kind.SUMMARIES, Kind.NOTE, Kind.STYLE} <= sent_kinds


def test_the_window_rolls_in_steps_and_says_what_is_gone() -> None:
    room, starts = Room(window=3000, to_write=500), []
    for length in range(200, 4000, 20):
        drawn = plan(material(words(length)), room)
        part = next(part for part in drawn.parts if part.kind is Kind.TEXT)
        assert words(length).endswith(part.text)
        starts.append(length - len(part.text.split()))
        assert bool(part.why) == (starts[-1] > 0)
    assert starts == sorted(starts)
    moves = [later - earlier for earlier, later in itertools.pairwise(starts) if later > earlier]
    assert len(moves) < 25
    assert min(moves[1:]) > 100
    assert "The beginning of the chapter is left out here" in sent(plan(material(words(3900)), room))


def test_a_request_that_fills_the_window_is_refused_in_one_sentence() -> None:
    with pytest.raises(PromptTooLong, match="fewer words"):
        plan(material("text", instruction=words(2000)), Room(window=2000, to_write=500))


def test_what_is_kept_free_is_what_will_be_written_but_never_more_than_half() -> None:
    assert room_to_write(8192, 1200) == 1200
    assert room_to_write(2048, 1200) == 1024
    assert room_to_write(1, 1) == 1


@settings(max_examples=150)
@given(
    window=st.integers(1200, 40_000),
    text=st.integers(0, 6000),
    outline=st.integers(0, 40),
    summaries=st.integers(0, 40),
    notes=st.lists(st.tuples(st.integers(0, 500), st.integers(0, 99), st.booleans()), max_size=12),
    sources=st.lists(st.integers(1, 9000), max_size=3),
    instruction=st.integers(0, 60),
)
def test_no_plan_exceeds_the_window_and_instructions_are_always_there(
    window: int,
    text: int,
    outline: int,
    summaries: int,
    notes: list[tuple[int, int, bool]],
    sources: list[int],
    instruction: int,
) -> None:
    all_notes = [note(f"N{i}", words(size), priority=p, always=a) for i, (size, p, a) in enumerate(notes)]
    given_ = material(
        words(text),
        outline=OUTLINE[:outline],
        summaries=tuple((f"Chapter {n}", words(60)) for n in range(summaries)),
        notes=tuple(all_notes),
        mentioned=tuple(each for each in all_notes if not each.always),
        sources=tuple(Source(f"s{n}", f"S{n}", words(size), "") for n, size in enumerate(sources)),
        instruction=words(instruction),
    )
    room = Room(window, room_to_write(window, 600), overhead=30)
    drawn = plan(given_, room)
    assert drawn.tokens <= room.window - room.to_write
    assert count(sent(drawn)) <= room.window - room.to_write
    assert drawn.prompt.messages[0].content.startswith("You are a novelist.")
    assert all(part.why or part.tokens == part.whole for part in drawn.parts)
    left = [part for part in drawn.parts if not part.included and part.kind in (Kind.NOTE, Kind.SOURCE)]
    kept = [part for part in drawn.parts if part.included and part.kind is Kind.SOURCE]
    assert not [note_ for note_ in left for source in kept if note_.kind is Kind.NOTE and note_.whole <= source.tokens]


def test_notes_stand_in_the_order_in_which_the_text_first_mentions_them() -> None:
    notes = [note(name, "") for name in ("Ada", "Ben", "Cid", "Dor")]
    text = "Cid came.\n" + "x " * 3000 + "\nBen came. Cid left.\n" + "y " * 3000
    assert [each.title for each in in_order_of_mention(notes, text)] == ["Cid", "Ben", "Ada", "Dor"]
    longer = in_order_of_mention(notes, text + "\nDor came.")
    assert [each.title for each in longer] == ["Cid", "Ben", "Dor", "Ada"]


def test_the_window_rolls_by_half_of_its_room_in_whole_blocks() -> None:
    assert step(16_000, 32) == 8000
    assert step(4300, 32) == 2144
    assert step(10, 32) == 32
    assert step(0, 0) == 1


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("# The survey\n\nSix gulls.", "## The survey\n\nSix gulls."),
        ("#  The  survey #\nSix gulls.", "## The survey\n\nSix gulls."),
        ("# The survey", "## The survey\n\n# The survey"),
        ("Six gulls.\n\n# The survey\n\nMore.", "## The survey\n\nSix gulls.\n\n# The survey\n\nMore."),
        ("# Another\n\nSix gulls.", "## The survey\n\n# Another\n\nSix gulls."),
    ],
)
def test_the_title_of_a_source_is_sent_once(text: str, sent: str) -> None:
    given = material("", sources=(Source("sources/a.md", "The survey", text, ""),))
    (found,) = [each for each in pieces(given, 10_000) if each.kind is Kind.SOURCE]
    assert found.heading + "".join(found.chunks) == sent
