"""What `writer draft` draws with: settings, a chapter's own, a preset, options; and stop strings end its text."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine

from writer.presets import PRESETS


def setting(novel: Path, *lines: str) -> None:
    with (novel / "writer.toml").open("a", encoding="utf-8") as file:
        file.write("\n".join(("", *lines, "")))


def drawn(home: dict[str, str]) -> list[dict[str, Any]]:
    """The sampling of each generation, as it is stored, oldest first."""
    (file,) = Path(home["XDG_STATE_HOME"]).rglob("state.db")
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
        rows = database.execute("SELECT sampling FROM generation ORDER BY created").fetchall()
    return [json.loads(row[0]) for row in rows]


def test_a_preset_and_what_is_given_beside_it(cli: CommandLine, novel: Path, home: dict[str, str]) -> None:
    setting(novel, "[settings.writing]", 'banned = ["delve"]', "dry_multiplier = 0.7")
    done = cli("draft", novel, "--preset", "report", "--temperature", 0.9, "--max-tokens", 8, "--json")
    assert done.code == 0, done
    (found,) = drawn(home)
    assert (found["temperature"], found["max_tokens"]) == (0.9, 8)
    assert {name: found[name] for name in ("top_p", "min_p")} == {
        name: PRESETS["report"].values[name] for name in ("top_p", "min_p")
    }
    assert (found["banned"], found["dry_multiplier"]) == (["delve"], 0.7)


@pytest.mark.parametrize("options", [(), ("--all",)])
def test_a_chapter_may_have_settings_of_its_own(
    cli: CommandLine, novel: Path, home: dict[str, str], options: tuple[str, ...]
) -> None:
    (chapter,) = (novel / "chapters").glob("*.md")
    setting(novel, f'[settings.chapter."chapters/{chapter.name}"]', "xtc_probability = 0.5", "temperature = 0.2")
    assert cli("draft", novel, *options, "--max-tokens", 8, "--json").code == 0
    (found,) = drawn(home)
    assert (found["temperature"], found["xtc_probability"], found["min_p"]) == (0.2, 0.5, 0.05)


@pytest.mark.parametrize("pause", [False, True])
def test_a_stop_string_ends_the_chapter(cli: CommandLine, tmp_path: Path, pause: bool) -> None:
    def text(name: str, stop: str = "") -> str:
        novel = tmp_path / name
        assert cli("new", novel, "--title", "Salt").code == 0
        setting(novel, "[settings.writing]", f"stop = {json.dumps([stop], ensure_ascii=False)}" if stop else "")
        done = cli("draft", novel, "--seed", 5, "--max-tokens", 20 if pause else 40, "--json")
        done = cli("resume", novel, "--json") if pause else done
        assert done.lines[-1]["reason"] == ("stop" if stop else "length")
        (chapter,) = (novel / "chapters").glob("*.md")
        return chapter.read_text(encoding="utf-8")

    whole = text("whole")
    words = whole.split()
    stop = f" {words[len(words) * 3 // 5]} {words[len(words) * 3 // 5 + 1]}"
    assert whole.count(stop) == 1
    assert text("stopped", stop).rstrip() == whole.split(stop)[0].rstrip()


@pytest.mark.parametrize("options", [(), ("--all",)])
def test_what_the_engine_cannot_do_is_refused_before_anything_is_begun(
    cli: CommandLine, novel: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    monkeypatch.setenv("WRITER_SCRIPT", '{"word_control": false}')
    setting(novel, "[settings.writing]", "dry_multiplier = 0.8", 'banned = ["delve"]')
    refused = cli("draft", novel, *options, "--max-tokens", 8)
    assert refused.code == 1
    assert "cannot do dry_multiplier and banned" in refused.err
    assert cli("status", novel, "--json").json["chapters"][0]["generations"] == []


def test_an_unknown_preset_is_a_usage_error(cli: CommandLine, novel: Path) -> None:
    assert cli("draft", novel, "--preset", "poem").code == 2
