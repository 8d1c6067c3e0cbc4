"""A sentence about a setting names its line; `origins` tells where each value comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

from writer.config import load
from writer.config_origins import origins
from writer.config_places import line_of, place
from writer.errors import ConfigError

TEXT = """# mine
[engine]
model = "/m"  # a folder

[ settings . writing ]
"top_k" = 7
'min_p'=0.1
[settings.chapter."chapters/01-a.b.md"]
top_k = 9
[editor]
window.width = 3
"""


@pytest.mark.parametrize(
    ("table", "key", "line"),
    [
        (("engine",), "model", 3),
        (("engine",), "", 2),
        (("settings", "writing"), "top_k", 6),
        (("settings", "writing"), "min_p", 7),
        (("settings", "chapter", "chapters/01-a.b.md"), "top_k", 9),
        (("editor", "window"), "width", 11),
        (("editor",), "top_k", 0),
        (("nowhere",), "", 0),
    ],
)
def test_the_line_of_a_key(table: tuple[str, ...], key: str, line: int) -> None:
    assert line_of(TEXT, table, key) == line


def test_a_file_that_cannot_be_read_has_a_name_at_least(tmp_path: Path) -> None:
    assert place(tmp_path / "none.toml", ("engine",), "model") == str(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"[engine]\nmodel = '\xe9'\n")
    assert place(tmp_path / "latin.toml", ("engine",), "model") == str(tmp_path / "latin.toml")


@pytest.mark.parametrize(
    ("manuscript", "said"),
    [
        ("x = 1\n[settings.writing]\n\ntop_kk = 4\n", 'writer.toml, line 4: "top_kk" in [settings.writing] is not'),
        ("[settings.writing]\ntop_k = true\n", 'writer.toml, line 2: "top_k" in [settings.writing] must be a whole'),
        ("[settings.editor]\n#\nwidth = -1\n", 'writer.toml, line 3: "width" in [settings.editor] must be at least 0'),
        ("\n[settings.writting]\n", "writer.toml, line 2: [writting] is not a setting. Did you mean"),
        ('[settings.writing]\npreset = "poem"\n', 'writer.toml, line 2: "preset" in [settings.writing] is'),
        ('[settings.chapter."a.md"]\ntop_k = -1\n', 'writer.toml, line 2: "top_k" in [settings.chapter.a.md] must be'),
        ('[settings.engine]\nmodel = "x"\n', 'writer.toml, line 2: "model" may not be set by a manuscript'),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, manuscript: str, said: str) -> None:
    (tmp_path / "writer.toml").write_text(manuscript, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load(tmp_path / "config.toml", tmp_path / "writer.toml", {})
    assert said in caught.value.sentence


def test_each_value_says_where_it_comes_from(tmp_path: Path) -> None:
    own, book = tmp_path / "config.toml", tmp_path / "writer.toml"
    own.write_text('[writing]\npreset = "report"\ntop_k = 3\n[editor]\nwidth = 70\n', encoding="utf-8")
    book.write_text("[settings.writing]\ntop_k = 4\n", encoding="utf-8")
    found = {(each.section, each.key): each for each in origins(own, book, {"WRITER_KEEP_WARM": "6"})}
    assert found["writing", "top_k"].source == f"{book}, line 2"
    assert found["writing", "top_k"].value == 4
    assert found["writing", "temperature"].source == f"preset report in {own}, line 2"
    assert found["editor", "width"].source == f"{own}, line 5"
    assert (found["engine", "keep_warm"].source, found["engine", "keep_warm"].value) == ("WRITER_KEEP_WARM", 6.0)
    assert found["engine", "window"].source == "default"


def test_the_values_are_those_in_force(tmp_path: Path) -> None:
    own = tmp_path / "config.toml"
    own.write_text("[writing]\ntop_k = 3\n", encoding="utf-8")
    settings = load(own, None, {})
    for each in origins(own, None, {}):
        assert each.value == getattr(getattr(settings, each.section), each.key)
