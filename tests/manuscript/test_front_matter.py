"""The head of a note: read in two forms, refused by file and line where it is not understood."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from writer.errors import ManuscriptError
from writer.manuscript.front_matter import parted, written

PLAIN = """---
title: Mara Holm
# a remark
keys: Mara, "Holm, the captain", /a,b/i
always: no
priority: 70
---

She walks with a limp.
"""
TOML = """+++
title = "Mara Holm"
keys = ["Mara", "Holm, the captain", "/a,b/i"]
always = false
priority = 70
+++

She walks with a limp.
"""


@pytest.mark.parametrize("text", [PLAIN, TOML], ids=["plain", "TOML"])
def test_both_forms_say_the_same(text: str) -> None:
    facts, below = parted(text, "notes/mara.md")
    assert facts.text("title") == "Mara Holm"
    assert facts.texts("keys") == ("Mara", "Holm, the captain", "/a,b/i")
    assert facts.flag("always", True) is False
    assert facts.number("priority", 50, 0, 100) == 70
    assert below.strip() == "She walks with a limp."


def test_lists_stand_below_their_key_or_in_brackets() -> None:
    facts, _ = parted("---\nkeys:\n  - Mara\n  - the captain\nother: [a, b]\n---\n", "n.md")
    assert facts.texts("keys") == ("Mara", "the captain")
    assert facts.texts("other") == ("a", "b")


@pytest.mark.parametrize("text", ["No head.", "", "---\n\nA ruled line above.\n\n---\nMore.", "--- \ntitle: x\n---\n"])
def test_a_text_without_a_head_is_left_whole(text: str) -> None:
    facts, below = parted(text, "n.md")
    assert (dict(facts.values), below) == ({}, text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("---\ntitle: A\nnonsense\n---\n", "notes/a.md, line 3"),
        ("---\ntitle: A\ntitle: B\n---\n", "line 3.*twice"),
        ("---\ntitle: A\n", "line 1: the closing ---"),
        ("+++\ntitle = A\n+++\n", "notes/a.md.*line 2"),
        ("+++\ntitle = 'A'\n", "line 1"),
        ("---\nkeys: " + "x" * 5000 + "\n---\n", "line 2.*too long"),
        ("---\ntitle: A\n  nested: B\n---\n", "line 3"),
    ],
)
def test_what_is_not_understood_is_told_by_file_and_line(text: str, said: str) -> None:
    with pytest.raises(ManuscriptError, match=said):
        parted(text, "notes/a.md")


@pytest.mark.parametrize(
    ("line", "ask"),
    [
        ("always: perhaps", lambda facts: facts.flag("always", False)),
        ("priority: high", lambda facts: facts.number("priority", 50, 0, 100)),
        ("priority: 101", lambda facts: facts.number("priority", 50, 0, 100)),
        ("title: yes", lambda facts: facts.text("title")),
        ("keys: true", lambda facts: facts.texts("keys")),
        ("colour: red", lambda facts: facts.only("title", "keys")),
    ],
)
def test_a_wrong_value_is_told_by_its_line(line: str, ask) -> None:
    facts, _ = parted(f"---\nsomething: else\n{line}\n---\n", "notes/a.md")
    with pytest.raises(ManuscriptError, match=r"notes/a\.md, line"):
        ask(facts)


@given(st.text(st.characters(exclude_characters="\r"), max_size=200), st.sampled_from(["---", "+++", ""]))
def test_any_text_is_read_or_refused(text: str, mark: str) -> None:
    try:
        facts, below = parted(f"{mark}\n{text}\n{mark}\nbelow", "n.md")
    except ManuscriptError:
        return
    assert below.endswith("below")
    assert set(facts.lines) >= set(facts.values)


@given(st.text(st.characters(exclude_characters="\r"), max_size=200))
def test_what_is_written_is_read_again(text: str) -> None:
    facts, below = parted(written({"chapter": "chapters/01.md", "count": 3, "always": True}, text), "n.md")
    assert (facts.text("chapter"), facts.number("count", 0, 0, 9), facts.flag("always", False)) == (
        "chapters/01.md",
        3,
        True,
    )
    assert below.strip("\n") == text.strip("\n")
