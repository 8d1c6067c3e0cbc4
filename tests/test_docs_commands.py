"""Every command in the documentation works: each is run, or is on a short list with the reason why it is not."""

from __future__ import annotations

import io
import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import docs_commands
import fake_hub as hub
import pytest
from docs_commands import DOCS, ELSEWHERE, KINDS, PAGES, ROOT, Walk, Wrong
from model_weights import whole_model

from writer import config, locations
from writer.cli.main import run_command_line
from writer.engine import keys_kept
from writer.engine.home import folder_of
from writer.manuscript.project import open_manuscript

pytest_plugins = ["hub_fixtures"]
sys.path.insert(0, str(ROOT / "scripts"))
TOURS = {"writing-a-novel.md", "writing-a-report.md"}  # tests/test_tours.py walks them
TEXT = "The lamp was lit. " + "Nobody came down to the water to see it. " * 8


def named(name: str) -> str:
    return (ROOT / name if name == "README.md" else DOCS / name).read_text(encoding="utf-8")


def book(folder: str, *options: str) -> None:
    """A manuscript with a text in its chapter, made before a page that begins with one."""
    assert run_command_line(["new", folder, *options]) == 0
    (chapter,) = open_manuscript(Path(folder)).chapters
    (Path(folder) / chapter.path).write_text(f"# {chapter.title}\n\n{TEXT}\n", encoding="utf-8")


def exporting() -> None:
    import docx

    book("my-novel")
    book("my-report", "--report")
    made = docx.Document()
    made.add_heading("The Lamp", 1)
    made.add_paragraph(TEXT)
    made.save("novel.docx")


def serving() -> None:
    """The page's own settings."""
    file = locations.config_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(docs_commands.blocks(named("scaling.md"), "toml")[0], encoding="utf-8")


def troubled() -> None:
    book("my-novel")
    assert run_command_line(["draft", "my-novel", "--max-tokens", "5"]) == 0


BEFORE: dict[str, Callable[[], None]] = {"export.md": exporting, "scaling.md": serving, "troubleshooting.md": troubled}
"""What is there when the page begins."""


@pytest.fixture
def walk(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    fake_hub: hub.FakeHub,
) -> Walk:
    """Someone in an empty folder, with the scripted engine, a hub on the loopback, and a keyring."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("WRITER_ENGINE", "scripted")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(hub, "HUB", "Qwen/Qwen3-8B")
    monkeypatch.setattr(keys_kept, "require_keyring", lambda: None)
    monkeypatch.setattr(keys_kept, "keep", lambda name, key: None)
    monkeypatch.setattr(sys, "stdin", io.StringIO("quartz-4711\n"))
    return Walk(lambda: "".join(capfd.readouterr()), home=(tmp_path / "home").resolve())


WITH_COMMANDS = [page for page in PAGES if docs_commands.blocks(page.read_text(encoding="utf-8"), "sh")]


@pytest.mark.parametrize("page", [each for each in WITH_COMMANDS if each.name not in TOURS], ids=lambda page: page.name)
def test_every_command_of_a_page_works(page: Path, walk: Walk) -> None:
    BEFORE.get(page.name, lambda: None)()
    text = page.read_text(encoding="utf-8")
    assert docs_commands.commands(text)
    walk.page(text)


def test_after_removing_nothing_of_writer_is_left(walk: Walk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    for name in ("CONFIG", "STATE", "DATA", "CACHE"):
        monkeypatch.delenv(f"XDG_{name}_HOME")
    book("my-novel")
    walk.page("```sh\nwriter draft my-novel --max-tokens 5\nwriter models use small\n```\n")
    whole_model(folder_of("org/tale"), {})
    kept = [path for path in home.rglob("*") if path.name == "writer"]
    assert {str(path.relative_to(home)) for path in kept} >= {
        ".local/state/writer",
        ".local/share/writer",
        ".config/writer",
    }
    removing = named("install.md").split("## Removing it", 1)[1]
    walk.page(removing)
    assert [path for path in home.rglob("*") if not path.is_dir()] == []
    assert (tmp_path / "my-novel" / "writer.toml").is_file()


def test_no_block_of_commands_hides_behind_another_name() -> None:
    for page in PAGES:
        found = docs_commands._BLOCK.findall(page.read_text(encoding="utf-8"))
        assert {kind for kind, _ in found} <= KINDS, page.name
        starts = re.compile(r"^(\$ |\.venv/|writer [a-z]+ |scripts/|pip |python)", flags=re.MULTILINE)
        assert [body for kind, body in found if kind == "" and starts.search(body)] == [], page.name
        assert page.read_text(encoding="utf-8").count("```") == 2 * len(found), page.name


def test_the_list_of_what_is_not_run_holds_nothing_that_no_page_says() -> None:
    said = [words for page in WITH_COMMANDS for words in docs_commands.commands(page.read_text(encoding="utf-8"))]
    used = {each.begins for words in said if (each := docs_commands.elsewhere(words))}
    assert {each.begins for each in ELSEWHERE} == used


@pytest.mark.parametrize(
    "planted",
    [
        "writer new book --titel Salt",
        "writer drafts my-novel --all",
        "writer my-novel",
        "writer engine start --now",
        "writer models use gone/away",
        "scripts/bench stream --lenghts 8192",
        "scripts/bench streaming",
        "scripts/statr",
        "vllm serve MODEL --tensor-paralel-size 4",
        "ray start --heads",
        "writer status book | head",
        "python3 -c 'import gone_away'",
        "sudo make-it-work",
        "sudo apt-get install fonts-noto",
        "rm -rf /",
        "pip install 'dist/writer_tui-0.1.0-py3-none-any.whl[cuda]'",
        "pip install --no-deps llm-smallmo2",
        "pipx install dist/writer_tui-9-py3-none-any.whl",
    ],
)
def test_a_wrong_command_in_a_page_is_caught(planted: str, walk: Walk) -> None:
    with pytest.raises(Wrong):
        walk.page(f"Text.\n\n```sh\nwriter new other\n{planted}\n```\n")


def test_the_commands_that_the_prose_names_are_there() -> None:
    count = 0
    for page in PAGES:
        if page.name != "CHANGELOG.md":  # it tells of what there was
            for words in docs_commands.spoken_of(page.read_text(encoding="utf-8")):
                docs_commands.check_spoken(words)
                count += 1
    assert count > 50


@pytest.mark.parametrize("planted", ["`writer drafts DIR`", "`writer draft DIR --sed 3`", "`writer engine go`"])
def test_a_wrong_command_in_the_prose_is_caught(planted: str) -> None:
    (words,) = docs_commands.spoken_of(f"Say {planted}.")
    with pytest.raises(Wrong):
        docs_commands.check_spoken(words)


def test_settings_in_the_pages_are_settings(tmp_path: Path) -> None:
    sections = {"writing", "engine", "editor", "prompt"}
    count = 0
    for page in PAGES:
        for body in docs_commands.blocks(page.read_text(encoding="utf-8"), "toml"):
            told = tomllib.loads(body)
            if set(told) <= sections:
                file = tmp_path / "config.toml"
                file.write_text(body, encoding="utf-8")
                config.load(file, None, {})
                count += 1
    assert count
