"""`writer config`: what holds, and where it comes from."""

from __future__ import annotations

from pathlib import Path

from command_line import CommandLine


def test_it_shows_what_is_changed_and_where(cli: CommandLine, novel: Path) -> None:
    with (novel / "writer.toml").open("a", encoding="utf-8") as file:
        file.write('[settings.writing]\nstop = ["THE \\u001b END"]\n')
    ran = cli("config", "show", novel, "--changed", "--json")
    (stop,) = [line for line in ran.lines if line["key"] == "stop"]
    assert (ran.code, stop["value"]) == (0, ["THE \x1b END"])
    assert stop["source"].startswith(f"{novel}/writer.toml, line ")
    plain = cli("config", "show", novel)
    assert "[writing]\n" in plain.out
    assert "temperature = 0.8 # default\n" in plain.out
    assert "\x1b" not in plain.out


def test_the_file_of_ones_own_settings_is_named(cli: CommandLine, home: dict[str, str]) -> None:
    assert cli("config", "path").out.strip() == f"{home['XDG_CONFIG_HOME']}/writer/config.toml"
