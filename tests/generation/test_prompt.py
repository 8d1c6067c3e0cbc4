"""What is asked of a model, as a talk and as one text: the answer stays open, what changes stands late."""

from __future__ import annotations

import pytest

from writer.generation.prompt import chapter_request, chat, instructions, plainly, tongue, wish


def test_without_text_before_it_the_request_stands_with_the_chapters() -> None:
    system, user = chat(["You write.", "## Style"], "Write One.", "In what follows: rain", "")
    assert (system.role, system.content) == ("system", "You write.\n\n## Style")
    assert (user.role, user.content) == ("user", "Write One.\n\nIn what follows: rain")


def test_text_before_the_request_is_a_turn_of_its_own() -> None:
    talk = chat(["You write."], "Write One.", "In what follows: rain", "It was late.")
    assert [message.role for message in talk] == ["system", "user", "assistant", "user"]
    assert talk[2].content == "It was late."
    assert talk[3].content.startswith("In what follows: rain")
    assert chat([], "Write One.", "", "It was late.")[-1].content.startswith("Go on with the chapter")


def test_a_base_model_gets_a_heading_to_begin_with_unless_the_text_has_one() -> None:
    assert plainly([], "第一章", "", "", "") == "# 第一章\n\n"
    assert plainly(["## Style"], "One", "", "", "# One\n\nIt was") == "## Style\n\n# One\n\nIt was"
    assert plainly([], "One", "rain", "It was late.\n\n", "She") == "# One\n\nIt was late.\n\n[rain]\n\nShe"


@pytest.mark.parametrize(
    ("code", "name"), [("en", "English"), ("zh-Hans", "Chinese"), ("DE-at", "German"), ("tlh", "tlh")]
)
def test_the_language_is_named(code: str, name: str) -> None:
    assert tongue(code) == name
    assert f"prose in {name}." in instructions(code)


def test_the_synopsis_and_the_wish_are_asked_for_only_if_they_are_there() -> None:
    assert chapter_request("Salt", "One") == 'Write the chapter "One" of the book "Salt".'
    assert chapter_request("Salt", "One", " Mara comes home. ").endswith(" In it: Mara comes home.")
    assert wish("  ") == ""
    assert wish(" rain ") == "In what follows: rain"
