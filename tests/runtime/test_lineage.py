"""Which text another program has had in hand, and what a front end lacks of its chapter's file."""

from __future__ import annotations

from writer.manuscript.model import ChapterText
from writer.runtime.ancestors import Ancestors, difference
from writer.runtime.lineage import Lineage

BASE = "# One\n\nThe old man slept.\n\nRain fell on the harbour.\n"


def disk(text: str) -> ChapterText:
    return ChapterText(text, "")


def grown(count: int) -> list[str]:
    """The base, and what became of it by one paragraph after the other."""
    texts = [BASE]
    for number in range(count):
        texts.append(texts[-1] + f"\nParagraph {number} says something that only paragraph {number} says.\n")
    return texts


def remembered(texts: list[str]) -> Ancestors:
    ancestors = Ancestors(texts[0])
    for text in texts[1:]:
        ancestors.add(text)
    return ancestors


def test_a_change_of_the_newest_text_was_made_out_of_that() -> None:
    texts = grown(5)
    theirs = texts[-1].replace("Paragraph 4 says", "Chapter 4 tells").replace("slept", "woke")
    assert remembered(texts).nearest(theirs) == texts[-1]


def test_an_old_text_with_a_change_was_made_out_of_the_old_one() -> None:
    texts = grown(5)
    for held in texts:
        assert remembered(texts).nearest(held.replace("slept", "woke")) == held


def test_a_text_of_long_ago_is_remembered() -> None:
    texts = grown(400)
    ancestors = remembered(texts)
    for number in (0, 1, 37, 233, 399):
        assert ancestors.nearest(texts[number].replace("slept", "woke")) == texts[number]


def test_a_text_that_was_written_on_in_the_middle_of_a_word_is_remembered() -> None:
    story = BASE + (
        "\nAnd then the keeper climbed all of those stairs once more and looked out over black water, where a ship lay "
        "with torn sails and nobody on deck, as if its crew had just gone below to hide from rain."
    )
    texts = [story[:end] for end in range(len(BASE), len(story), 11)]
    for held in texts[1::4]:
        assert remembered(texts).nearest(held.replace("slept", "woke")) == held


def test_a_novel_is_not_remembered_forty_times() -> None:
    large = "word " * 1_000_000
    ancestors = Ancestors(large)
    for number in range(20):
        ancestors.add(f"{number} {large} {number}")
    assert ancestors._size < 16_000_000
    assert ancestors.nearest(f"19 {large} 19 and more") == f"19 {large} 19"


def test_what_cannot_be_told_is_not_guessed() -> None:
    """Theirs lacks nearly all that is new, but has something of it in another order."""
    newest = BASE + "\nOne two three.\n\nMany more words that are new here.\n"
    assert remembered([BASE, newest]).nearest(BASE + "\nThree two.\n") is None


def test_a_difference_makes_the_one_text_out_of_the_other() -> None:
    assert difference("a b c", "a x c") == ((1, 2, " x"),)
    assert difference("a", "") == ((0, 1, ""),)
    assert difference("", "a") == ((0, 0, "a"),)


def test_a_front_end_that_takes_nothing_over_loses_nothing() -> None:
    line = Lineage(disk(BASE))
    changes = ["slept", "Rain", "harbour"]
    for number, word in enumerate(changes, start=1):
        mine = line.completed(BASE)
        assert mine is not None
        theirs = line.disk.text.replace(word, word.upper())
        merged = line.joined(mine.text, theirs)
        assert merged is not None
        line.changed(number, BASE, mine.text, theirs, disk(merged.text))
        assert line.behind
    assert all(word.upper() in line.disk.text for word in changes)
    line.confirm(2)
    assert line.handed == BASE.replace("slept", "SLEPT").replace("Rain", "RAIN")
    line.confirm(3)
    assert not line.behind
    assert line.handed == line.disk.text


def test_many_changes_that_are_not_taken_over_count_as_one() -> None:
    line = Lineage(disk(BASE))
    for number in range(1, 30):
        theirs = line.disk.text + f"\nAddition {number}.\n"
        merged = line.joined(line.disk.text, theirs)
        assert merged is not None
        line.changed(number, BASE, line.disk.text, theirs, disk(merged.text))
    assert len(line._steps) < 10
    line.confirm(12)  # it has taken over some that are no longer told apart
    assert line.taken_over == 12
    mine = line.completed(BASE)
    assert mine is not None
    assert mine.text == line.disk.text
