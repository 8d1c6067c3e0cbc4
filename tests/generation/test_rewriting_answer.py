"""Cleaning: what models really put around a passage goes, and what the author has himself stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from writer.generation.rewriting_answer import (
    before_what_follows,
    cleaned,
    unquoted,
    whole_sentences,
    without_echo,
    without_loop,
)

PLAIN = "The lamp went out. Nobody spoke."
NEW = "The lamp died. No one said a word."
WRAPPED = [
    NEW,
    f"\n\n{NEW}\n",
    f"Here is the rewritten passage:\n\n{NEW}",
    f"Here's the revised version: {NEW}",
    f"Here’s a shortened version of the passage:\n{NEW}",
    f"Sure! Here is the passage in the past tense:\n\n{NEW}",
    f"Sure, here you go:\n\n{NEW}",
    f"Certainly!\n\n{NEW}",
    f"Of course. Below is the expanded passage, with more detail:\n\n{NEW}",
    f"Rewritten passage:\n\n{NEW}",
    f"**Rewritten passage:**\n\n{NEW}",
    f"## Revised version:\n\n{NEW}",
    f"Revised: {NEW}",
    f"Shortened version (12 words):\n{NEW}",
    f"The revised passage:\n{NEW}",
    f'"{NEW}"',
    f"“{NEW}”",
    f'Here is the rewritten passage:\n\n"{NEW}"',
    f"```\n{NEW}\n```",
    f"```text\n{NEW}\n```",
    f"Here you are:\n\n```markdown\n{NEW}\n```\n\nLet me know what you think!",
    f"<passage>\n{NEW}\n</passage>",
    f"Here it is: <passage>{NEW}</passage>",
    f"<passage>\n{NEW}",
    f"{NEW}\n</passage>",
    f"{NEW}\n\nLet me know if you would like any changes!",
    f"{NEW}\n\nI hope this helps.",
    f"{NEW}\n\nNote: I kept the names as they were.",
    f"{NEW}\n\n(Note that I changed the verb.)",
    f"{NEW}\n\n---\n\nChanges made:\n- shorter\n- darker",
    f"{NEW}\n\n**Explanation:** The verbs are stronger now.",
    f"{NEW}\n\nI've shortened the passage by removing what is said twice.",
    f"{NEW}\n\nThis version is tighter.",
    f"{NEW}\nThe passage expands to include concrete details.",
    f"{NEW}\n\nThe revised passage keeps the tone of the original.",
    f"The passage is edited to:\n\n{NEW}",
    f"The passage can be rephrased to first-person:\n\n{NEW}",
    f"Your text could be rewritten as follows:\n{NEW}",
    f"{NEW}\n\nWord count: 8",
    f"<think>\nThe user wants it shorter.\n</think>\n\n{NEW}",
    f"The user wants it shorter.\n</think>\n\n{NEW}",
    f"{NEW}\n\n###\n\nOriginal:\nHe ate.\n\nShortened:\nHe ate.",
    f"{NEW}\n\nOriginal:\nThe road was long.",
]


@pytest.mark.parametrize("answer", WRAPPED)
def test_what_stands_around_the_passage_goes(answer: str) -> None:
    assert cleaned(answer, PLAIN) == NEW


CHINESE = [
    "灯灭了，谁也没有说话。",
    "以下是改写后的段落：\n\n灯灭了，谁也没有说话。",
    "好的，以下是缩写版本：\n灯灭了，谁也没有说话。",
    "改写：灯灭了，谁也没有说话。",
    "“灯灭了，谁也没有说话。”",
    "「灯灭了，谁也没有说话。」",
    "灯灭了，谁也没有说话。\n\n说明：我把句子缩短了。",
]


@pytest.mark.parametrize("answer", CHINESE)
def test_chinese_remarks_go_too(answer: str) -> None:
    assert cleaned(answer, "灯熄灭了。没有人说话。") == "灯灭了，谁也没有说话。"


@pytest.mark.parametrize(
    ("answer", "new"),
    [
        ("Hier ist die überarbeitete Fassung:\n\nDas Licht ging aus.", "Das Licht ging aus."),
        ("Natürlich, hier ist die gekürzte Passage:\n\nDas Licht ging aus.", "Das Licht ging aus."),
        ("Voici le passage réécrit :\n\nLa lampe s'éteignit.", "La lampe s'éteignit."),
    ],
)
def test_other_languages_remarks_go_too(answer: str, new: str) -> None:
    assert cleaned(answer, "Es wurde dunkel.") == new


KEPT = [
    ('"Go," he said. "Now."', "He told them to go."),
    ('"Go," he said. "Now."', '"Leave," he said.'),
    ("“Here,” she said: “take it.”", "“Take it,” she said."),
    ("Here is what he knew: nothing.", "Here is what he had: a knife."),
    ("The new version: better.", "The new edit: worse."),
    ("She had three things to say: no, no and no.", "She said no three times."),
    ("This is the house. It was cold.", "This was the house. It was cold."),
    ("Of course. He had known it all along.", "Of course! He knew."),
    ("He wrote:\n\nNote: the door is open.", "He had written:\n\nNote: the door is shut."),
    ("- salt\n- bread", "- bread\n- salt"),
    ("## The Storm\n\nIt came.", "The storm came."),
    ("```\ncode\n```\n\nText.", "```\ncode\n```"),
    ("Sure footed, the goat went up.\n\nIt fell.", "The goat went up."),
    ("I had the letter.\n\nI've kept it all these years. I hope that he knew.", "I have the letter."),
    ("He went in.\n\nThe passage was dark: nobody came. The passage is long.", "He goes in."),
    ("I hope that he dies.\n\nI have changed.", "I hope he dies."),
    ("He left.\n\nThis was the end.\n\nThis scene had been rehearsed. Nobody clapped.\n\nHe slept.", "He left."),
    ("He thought\n\nthis version of her was the last.", "He thought."),
]


@pytest.mark.parametrize(("answer", "original"), KEPT)
def test_prose_that_only_looks_like_a_remark_stays(answer: str, original: str) -> None:
    assert cleaned(answer, original) == answer


def test_quotation_marks_stay_where_the_original_has_them() -> None:
    assert cleaned('"Go away now."', '"Go."') == '"Go away now."'
    assert unquoted("'It's late.'", "It is late.") == "It's late."
    assert unquoted('"', "It is late.") == '"'


def test_the_white_space_at_the_ends_is_the_originals() -> None:
    assert cleaned("\n\nShe went.\n", "  He went.\n\n") == "  She went.\n\n"


@given(st.text(alphabet='aB .\n"“”:`-', max_size=40), st.text(alphabet='aB .\n"', max_size=20))
def test_cleaning_only_takes_away_and_cleans_once(answer: str, original: str) -> None:
    once = cleaned(answer, original)
    assert "".join(once.split()) in "".join(answer.split())
    assert set(once) <= set(answer) | set(original)


def test_an_echo_of_what_stands_around_is_cut() -> None:
    before, after = "It was late. The keeper went up the stairs.", "The ship was near. It came fast."
    assert without_echo("The keeper went up the stairs. He lit it.", before, after) == "He lit it."
    assert without_echo("He lit it. The ship was near. It came fast. It sank.", before, after) == "He lit it."
    assert without_echo("He lit it. The ship was", before, after) == "He lit it."
    assert without_echo("He lit it.", before, after) == "He lit it."


ECHOES = [
    ("He lit it. “No,” she cried. And left.", '"No," she said. Then nothing.', "He lit it. “No,” she cried. And left."),
    ("He lit it. “No,” she said. Then nothing more.", '"No," she said. Then nothing.', "He lit it."),
    ("He lit it.\n\nThe   ship was\nnear and black.", "\n\nThe ship was near and black. X", "He lit it."),
    ("他点亮了灯。船已经很近了，黑黑的。", "船已经很近了，黑黑的。它来得很快。", "他点亮了灯。"),
    ("他点亮了灯。船已经很近", "船已经很近了，黑黑的。", "他点亮了灯。船已经很近"),
    ("他点亮了灯。船已经很近了，", "船已经很近了，黑黑的。", "他点亮了灯。"),
    ("The ship was near.", "The ship was near. It came.", ""),
    ("He saw the end of it all.", "the end", "He saw the end of it all."),
    ("He saw it. the end", "the end", "He saw it."),
    ("anything", "", "anything"),
    ("anything", "  \n", "anything"),
]


@pytest.mark.parametrize(("text", "after", "kept"), ECHOES)
def test_the_beginning_of_what_follows_is_not_written_twice(text: str, after: str, kept: str) -> None:
    assert before_what_follows(text, after) == kept


@given(
    st.lists(st.sampled_from(["lamp", "sea", "rose", "night", "salt"]), min_size=1, max_size=8),
    st.lists(st.sampled_from(["ship", "came", "fast", "near", "black"]), min_size=3, max_size=12),
    st.integers(3, 12),
)
def test_any_echo_of_three_words_at_the_end_is_cut(new: list[str], after: list[str], told: int) -> None:
    text = " ".join([*new, *after[:told]])
    assert before_what_follows(text, " ".join(after)) == " ".join(new)


def test_what_the_author_repeats_himself_is_no_echo() -> None:
    after = "And still it rained that night."
    original = "It rained. And still it rained that night. He slept."
    answer = "Rain fell. And still it rained that night. He slept on."
    assert cleaned(answer, original, after=after) == answer


def test_a_model_that_went_round_in_circles_is_heard_once() -> None:
    assert without_loop("He went. She sat. She sat. She sat. She sat.") == "He went. She sat."
    assert without_loop("He went. A came. B left. A came. B left. A came. B left.") == "He went. A came. B left."
    assert without_loop("No. No. He went.") == "No. No. He went."
    assert without_loop("Row. Row.") == "Row. Row."
    assert without_loop("") == ""
    answer = "He woke.\n\nIt rained.\n\nIt rained.\n\nIt rained.\n\nIt rai"
    assert cleaned(answer, "He slept.", cut_short=True) == "He woke.\n\nIt rained."
    assert cleaned("It rained. It rained. It rained.", "He slept.") == "It rained. It rained. It rained."


@given(st.lists(st.sampled_from(["A.", "B.", "C."]), max_size=14))
def test_only_whole_turns_of_a_circle_go(said: list[str]) -> None:
    kept = without_loop(" ".join(said)).split()
    assert said[: len(kept)] == kept
    assert set(kept) == set(said)


def test_an_answer_that_was_cut_short_ends_with_a_whole_sentence() -> None:
    assert cleaned("He went. She stayed, but the", "They went.", cut_short=True) == "He went."
    assert cleaned("He went. She stayed.", "They went.", cut_short=True) == "He went. She stayed."
    assert whole_sentences("He went and went and") == "He went and went and"
    assert whole_sentences("他走了。她没有") == "他走了。"
