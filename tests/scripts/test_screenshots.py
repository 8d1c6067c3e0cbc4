"""The pictures come from the real app, are the same each time, and are where the README looks for them."""

from __future__ import annotations

import os
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from pictures import png, svg
from pictures.__main__ import main
from pictures.tour_scenes import SCENES

ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "assets"
TEXT = "{http://www.w3.org/2000/svg}text"


def shoot(folder: Path, seed: str, *names: str) -> dict[str, bytes]:
    """SVGs, all if none is named, made by the script as a user runs it."""
    command = [str(ROOT / "scripts" / "screenshots"), "--svg", str(folder), *names]
    environ = {**os.environ, "PYTHONHASHSEED": seed, "NO_COLOR": "", "COLUMNS": "61"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, env=environ)
    assert done.returncode == 0, done.stderr
    return {path.stem: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return shoot(tmp_path_factory.mktemp("first"), "1")


def rows(picture: bytes) -> str:
    """What stands in the picture: without the spaces, for those are not drawn."""
    return re.sub(r"\s", "", "".join(each.text or "" for each in ElementTree.fromstring(picture).iter(TEXT)))


def test_every_run_makes_the_same_pictures_to_the_byte(pictures: dict[str, bytes], tmp_path: Path) -> None:
    """Those that hang on the speed of the machine most; each picture takes seconds."""
    again = shoot(tmp_path, "2", "resuming", "takes", "rewriting")
    assert set(pictures) == set(SCENES)
    assert {name: pictures[name] for name in again} == again != {}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("writing", ["Writing chapter 3 · 41 tok/s", "She looked at the knife", "● 3", "^gPause"]),
        ("resuming", ["stopped 4 minutes ago: the app was killed.", "Continue", "Discard", "‖"]),
        ("replacing", ["Anselm", "Matthis", "3 of 6", "Replace all"]),
        ("focus", ["他没有慌。修了四十年的钟", "打黑伞的客人"]),
        ("commands", ["Write on with an instruction", "Find and replace"]),
        ("book", ["Part Two: The Break", "draft 125 of 250 words", "At the end of it her father is sending."]),
        ("takes", ["3 at once", "41 tok/s", "It was the school alphabet,", "inside of her glove."]),
        ("rewriting", ["4 changes, 3 taken", "August", "✗"]),
        ("chapters", ["3 being written", "The Lamp Room · 41 words · being written, 41 tok/s"]),
        ("prompt", ["Minutes of the harbour council", "Traffic by month", "kept free for what is written"]),
        ("sampling", ["Preset report set here", "Repetition penalty 1.02"]),
    ],
)
def test_each_picture_shows_what_it_is_for(pictures: dict[str, bytes], name: str, shown: list[str]) -> None:
    there = rows(pictures[name])
    assert [each for each in shown if re.sub(r"\s", "", each) not in there] == []


def test_a_picture_asks_the_network_for_nothing(pictures: dict[str, bytes]) -> None:
    for name, picture in pictures.items():
        addresses = set(re.findall(rb"https?://[^\"' ]+", picture))
        assert addresses == {b"http://www.w3.org/2000/svg"}, name


def test_a_character_of_two_cells_stands_in_the_middle_of_its_own_two() -> None:
    runs = list(svg._runs("r1", "0", "20", "a钟&amp;b"))
    assert [re.findall(r' x="([\d.]+)"', run)[0] for run in runs] == ["0", "24.4", "36.6"]
    assert ["text-anchor" in run for run in runs] == [False, True, False]


def test_what_is_missing_is_told_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(png, "_file", lambda family, face: "" if "CJK" in family or "Emoji" in family else "/a.ttf")
    monkeypatch.setattr(png.shutil, "which", lambda name: f"/usr/bin/{name}")
    assert main(["writing"]) == 1
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "apt install fonts-noto-cjk fonts-noto-color-emoji)" in told


def test_a_name_that_no_picture_has_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["wrting"])
    assert "there are: writing, resuming" in capsys.readouterr().err


def shown_in(page: Path) -> list[Path]:
    """The pictures of a page."""
    found = re.findall(r"!\[[^\]]+\]\(((?:\.\./)?assets/[^)]+)\)", page.read_text(encoding="utf-8"))
    return [(page.parent / each).resolve() for each in found]


def test_the_pictures_of_the_pages_are_there_and_none_is_large() -> None:
    assert 2 <= len(shown_in(ROOT / "README.md")) <= 3
    assert len(shown_in(ROOT / "docs" / "writing-a-novel.md")) >= 4
    assert len(shown_in(ROOT / "docs" / "writing-a-report.md")) >= 2
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for path in shown_in(page):
            picture = path.read_bytes()
            assert picture.startswith(b"\x89PNG\r\n")
            assert len(picture) < 250_000
    assert {path.stem for path in ASSETS.glob("*.png")} == set(SCENES)
