"""The documentation names what there is: commands, options, settings, variables, keys. And what it names is there."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from writer.config import Settings, WritingSettings
from writer.presets import PRESETS, WRITING

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command that does something, by its full name."""
    from writer.cli.main import writer

    waiting: list[tuple[str, click.Command]] = [("writer", writer)]
    while waiting:
        name, command = waiting.pop()
        if isinstance(command, click.Group):
            context = click.Context(command)
            found = [(part, command.get_command(context, part)) for part in command.list_commands(context)]
            waiting += [(f"{name} {part}", inner) for part, inner in found if inner and not inner.hidden]
        else:
            yield name, command


def options(command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            yield from (*parameter.opts, *parameter.secondary_opts)


def test_every_command_is_documented() -> None:
    text = page("cli.md")
    assert [name for name, _ in commands() if f"`{name}" not in text] == []


def test_every_option_is_documented_in_the_section_of_its_command() -> None:
    sections = re.split(r"^## ", page("cli.md"), flags=re.MULTILINE)
    for name, command in commands():
        section = next(part for part in sections if f"`{name}" in part.splitlines()[0])
        missing = [each for each in options(command) if not re.search(rf"`{each}[ `]", section)]
        assert missing == [], name


def test_no_option_is_documented_that_does_not_exist() -> None:
    known = {each for _, command in commands() for each in options(command)} | {"--help", "--version"}
    assert set(re.findall(r"--[a-z][a-z-]*", page("cli.md"))) - known == set()


SECTIONS = [
    each.name for each in dataclasses.fields(Settings) if dataclasses.is_dataclass(getattr(Settings(), each.name))
]


@pytest.mark.parametrize("section", SECTIONS)
def test_every_setting_is_documented_with_its_default(section: str) -> None:
    part = page("configuration.md").split(f"## `[{section}]`", 1)[1].split("\n## ", 1)[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| `([^`]*)` \|", part, flags=re.MULTILINE))
    defaults = getattr(Settings(), section)
    wanted = {each.name: getattr(defaults, each.name) for each in dataclasses.fields(defaults)}
    assert rows == {name: toml(value) for name, value in wanted.items()}


def toml(value: object) -> str:
    return json.dumps(value) if isinstance(value, str | tuple) else str(value).lower()


def test_every_setting_of_writing_is_explained_alike_in_the_program_and_in_the_docs() -> None:
    part = page("configuration.md").split("## `[writing]`", 1)[1].split("\n## ", 1)[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| `[^`]*` \| (.*) \|$", part, flags=re.MULTILINE))
    assert rows == {name: each.says for name, each in WRITING.items()}
    assert set(WRITING) == {each.name for each in dataclasses.fields(WritingSettings)}


def test_every_preset_is_documented_with_its_values() -> None:
    for name, preset in PRESETS.items():
        values = ", ".join(f"`{key} = {value}`" for key, value in preset.values.items())
        assert f"| `{name}` | {preset.says} | {values} |" in page("sampling.md")


def test_every_variable_is_documented() -> None:
    sources = [*(ROOT / "writer").rglob("*.py"), *(ROOT / "scripts").glob("*")]
    used = {name for path in sources if path.is_file() for name in re.findall(r"\bWRITER_[A-Z_]+\b", path.read_text())}
    assert used
    assert {name for name in used if f"`{name}`" not in page("configuration.md")} == set()


def test_the_readme_is_short_and_names_both_commands() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) < 120
    assert {"scripts/start", "scripts/test"} <= set(lines)


def test_every_invariant_names_a_test_that_exists() -> None:
    part = page("architecture.md").split("## Invariants", 1)[1].split("\n## ", 1)[0]
    told = re.split(r"^\d+\. ", part, flags=re.MULTILINE)[1:]
    assert len(told) == 12
    for invariant in told:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", invariant)
        assert named, invariant
        assert [each for each in named if not _is_a_test(*each)] == []


def _is_a_test(path: str, name: str) -> bool:
    return (ROOT / path).is_file() and f"def {name}(" in (ROOT / path).read_text(encoding="utf-8")


def test_every_flag_of_the_engine_has_its_reason() -> None:
    flags = set(re.findall(r'"(--[a-z-]+)"', (ROOT / "writer" / "engine" / "launch.py").read_text(encoding="utf-8")))
    assert "--uds" in flags
    assert {flag for flag in flags if f"`{flag}" not in page("engine.md")} == set()


def dead_links(path: Path, text: str) -> list[str]:
    """Targets in the text of the page at `path` that are no file, or no heading of one."""
    prose = re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
    links = [each.partition("#")[::2] for each in re.findall(r"\]\(([^)\s]+)\)", prose) if "://" not in each]
    return [f"{file}#{anchor}" for file, anchor in links if not _leads_somewhere(path, text, file, anchor)]


def _leads_somewhere(path: Path, text: str, file: str, anchor: str) -> bool:
    target = path.parent / file
    if not target.exists():
        return False
    return not anchor or anchor in anchors(target.read_text(encoding="utf-8") if file else text)


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as forges make them."""
    headings = re.findall(
        r"^#+ (.*)$", re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_link_inside_the_documentation_leads_somewhere(path: Path) -> None:
    assert dead_links(path, path.read_text(encoding="utf-8")) == []


def test_the_index_names_every_page() -> None:
    linked = set(re.findall(r"\]\(([^)#]+)\)", page("README.md")))
    pages = {path.name for path in DOCS.glob("*.md")} - {"README.md"}
    assert pages - linked == set()


def test_a_dead_link_is_found() -> None:
    text = "# A `b`, c\n[x](gone.md) [x](cli.md#gone) [x](#a-b-c) [x](#gone) [x](https://a.example/#x) [x](keys.md)\n"
    assert dead_links(DOCS / "page.md", text) == ["gone.md#", "cli.md#gone", "#gone"]


def test_a_decision_fits_on_a_page() -> None:
    decisions = sorted((DOCS / "decisions").glob("*.md"))
    assert decisions
    for path in decisions:
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 60, path.name
        assert [head for head in ("## Context", "## Decision", "## Consequences") if head not in text] == [], path.name
