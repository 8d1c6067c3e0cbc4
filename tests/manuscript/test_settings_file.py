"""writer.toml is changed as a text: its list of chapters, what it says of each, and nothing else."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from writer.errors import ConfigError
from writer.manuscript.settings_file import SettingsText

PATHS = [f"chapters/{letter}.md" for letter in "abcde"]
MULTILINE = """# The book.
id = "x"
chapters = [
    # the beginning
    "chapters/a.md", # soon
    "./chapters/b.md",
    "chapters/c.md",
]

[chapter."chapters/b.md"]
status = "draft" # nearly
part = "One"

[settings.writing]
temperature = 0.5

[settings.chapter."./chapters/b.md"]
temperature = 0.9
"""
INLINE = 'chapters = ["chapters/a.md", "chapters/b.md", "chapters/c.md"]\n'
SHAPES = {"in lines": MULTILINE, "in one line": INLINE, "with line ends of Windows": MULTILINE.replace("\n", "\r\n")}


def listed(settings: SettingsText) -> str:
    """The letters of the chapters in the list."""
    return "".join(path[-4] for path in tomllib.loads(str(settings).replace("\r\n", "\n"))["chapters"])


@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_changes_by_itself(shape: str) -> None:
    assert str(SettingsText(SHAPES[shape])) == SHAPES[shape]


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("move"), st.integers(0, 9), st.integers(0, 9)),
        st.tuples(st.just("insert"), st.integers(0, 9), st.integers(0, 9)),
        st.tuples(st.just("remove"), st.integers(0, 9), st.integers(0, 9)),
        st.tuples(st.just("rename"), st.integers(0, 9), st.integers(0, 9)),
    ),
    max_size=8,
)


@given(STEPS, st.sampled_from(sorted(SHAPES)))
def test_the_list_goes_through_any_row_of_changes_as_a_plain_list_does(steps: list, shape: str) -> None:
    settings = SettingsText(SHAPES[shape])
    wanted = ["chapters/a.md", "chapters/b.md", "chapters/c.md"]
    names = iter("defghijklmnopqrstuvw")
    for kind, one, other in steps:
        path = wanted[one % len(wanted)] if wanted else ""
        after = ["", *(each for each in wanted if each != path)][other % (len(set(wanted) - {path}) + 1)]
        new = f"chapters/{next(names)}.md"
        if kind == "insert":
            settings.insert(new, after=after)
            wanted.insert(wanted.index(after) + 1 if after else 0, new)
        elif kind == "move" and path:
            settings.move(path, after=after)
            wanted.remove(path)
            wanted.insert(wanted.index(after) + 1 if after else 0, path)
        elif kind == "remove" and path:
            settings.remove(path)
            wanted.remove(path)
        elif kind == "rename" and path:
            settings.rename(path, new)
            wanted[wanted.index(path)] = new
        assert listed(settings) == "".join(each[-4] for each in wanted)
    if shape != "in one line":
        assert "# The book." in str(settings)
        assert "[settings.writing]" in str(settings)


def test_a_rename_takes_all_that_is_said_of_the_chapter_along() -> None:
    settings = SettingsText(MULTILINE)
    settings.rename("chapters/b.md", "chapters/z.md")
    tables = tomllib.loads(str(settings))
    assert tables["chapter"] == {"chapters/z.md": {"status": "draft", "part": "One"}}
    assert tables["settings"] == {"writing": {"temperature": 0.5}, "chapter": {"chapters/z.md": {"temperature": 0.9}}}
    assert "# nearly" in str(settings)


def test_a_chapter_that_goes_takes_its_tables_with_it() -> None:
    settings = SettingsText(MULTILINE)
    settings.remove("chapters/b.md")
    tables = tomllib.loads(str(settings))
    assert tables.get("chapter", {}) == {}
    assert tables["settings"].get("chapter", {}) == {}


def test_what_is_said_can_be_added_changed_and_taken_back() -> None:
    settings = SettingsText(INLINE)
    settings.say("chapters/a.md", status="draft", goal=100)
    settings.say("chapters/a.md", status="done", part='It\'s "one"')
    assert tomllib.loads(str(settings))["chapter"] == {
        "chapters/a.md": {"status": "done", "goal": 100, "part": 'It\'s "one"'}
    }
    settings.say("chapters/a.md", status="", goal=0, part="")
    assert tomllib.loads(str(settings)) == tomllib.loads(INLINE)


def test_a_list_is_made_if_there_is_none_and_completed_in_order() -> None:
    settings = SettingsText('id = "x"\n')
    settings.complete(PATHS)
    assert listed(settings) == "abcde"
    settings = SettingsText(INLINE)
    settings.complete(["chapters/a.md", "chapters/x.md", "chapters/b.md", "chapters/c.md", "chapters/y.md"])
    assert listed(settings) == "axbcy"


def test_a_file_that_is_no_toml_is_told() -> None:
    with pytest.raises(ConfigError, match="not valid TOML"):
        SettingsText("chapters = [")
