from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from writer.editing import blocks, counting
from writer.editing.counting import Counter
from writer.editing.document import Document
from writer.editing.layout import Layout
from writer.text.count import words

PIECES = st.one_of(
    st.sampled_from(["", "\n", "\n\n\n", "word ", "12. one", "[a](b c", ") d", "你好世界，", "--", "don't ", "x" * 30]),
    st.text(st.sampled_from("ab 1.  \n章か()[]_*—'"), max_size=30),
    st.sampled_from(["see [the page](by the way 3. here) and on ", "lantern 12. morning ", "黎明的窗户"]).map(
        lambda text: text * 3
    ),
)
EDITS = st.lists(st.tuples(st.integers(0, 300), st.integers(0, 20), PIECES), min_size=1, max_size=10)


def counted(counter: Counter, seconds: float = 0) -> int:
    """The whole count, in as many calls as that takes."""
    for _ in range(10_000):
        number, whole = counter.count(seconds)
        if whole:
            return number
    pytest.fail("the count never ends")


@settings(max_examples=200, deadline=None)
@given(PIECES, EDITS, st.booleans())
def test_after_any_edits_the_count_is_that_of_the_text(
    text: str, edits: list[tuple[int, int, str]], in_between: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", 3)
        patch.setattr(counting, "PART", 10)
        document = Document(text)
        view, counter = Layout(document, 20), Counter(document)
        for start, length, new in edits:
            view.replace(start, start + length, new)
            if in_between:
                counter.count(0)
        assert counted(counter) == words(document.text)
        assert counter.characters() == len(document.text.replace("\n", ""))


def test_no_time_at_all_still_gets_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "PART", 10)
    counter = Counter(Document("lantern morning corridor\none two\n" * 2))
    steps = [counter.count(0) for _ in range(8)]
    assert [number for number, _ in steps] == sorted(number for number, _ in steps)
    assert steps[0][0] < 10
    assert not steps[0][1]
    assert steps[-1] == (10, True)


def test_an_edit_counts_its_paragraph_again_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def watched(text: str) -> int:
        seen.append(text)
        return words(text)

    document = Document("one two\n" * 600)
    view, counter = Layout(document, 20), Counter(document)
    assert counted(counter, 10) == 1200
    monkeypatch.setattr(counting, "words", watched)
    view.replace(4, 7, "three and four")
    assert counted(counter) == 1202
    assert seen == ["one three and four"]
    view.replace(4, 4, "\n\n")
    assert counted(counter) == 1202
    assert seen[1:] == ["one ", "", "three and four"]
    assert counted(counter) == 1202
    assert len(seen) == 4


def test_an_append_to_a_long_paragraph_counts_its_end_only(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def watched(text: str) -> int:
        seen.append(text)
        return words(text)

    monkeypatch.setattr(counting, "words", watched)
    monkeypatch.setattr(counting, "PART", 100)
    document = Document("lantern " * 1000)
    view, counter = Layout(document, 20), Counter(document)
    assert counted(counter) == 1000
    assert all(len(part) < 250 for part in seen)
    seen.clear()
    view.replace(document.length, document.length, "and morning")
    assert counted(counter) == 1002
    assert len("".join(seen)) < 250
    view.replace(0, 8, "")
    assert counted(counter) == 1001


def test_a_seam_never_makes_a_number_of_a_list_or_breaks_a_link(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "PART", 3)
    text = "on 12. the [way](to 3. a page of many words) and 4. on, [open](never closed and on"
    document = Document(text)
    Layout(document, 20)
    assert counted(Counter(document)) == words(text)
