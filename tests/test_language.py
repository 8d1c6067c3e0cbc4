"""The language of the interface: which one is spoken, what a sentence becomes, and that English costs nothing."""

from __future__ import annotations

import subprocess
import sys
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from writer import language
from writer.config import load
from writer.errors import ConfigError

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import translating  # noqa: E402


@pytest.fixture
def two_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalogue of two sentences is spoken."""
    catalogue, file = Catalog(locale="zh"), BytesIO()
    catalogue.add("{name} is saved.", "“{name}”已保存。")
    catalogue.add(("{count} word", "{count} words"), ("{count} 字",))
    write_mo(file, catalogue)
    file.seek(0)
    monkeypatch.setattr(language._Spoken, "language", "zh")
    monkeypatch.setattr(language._Spoken, "catalogue", GNUTranslations(file))


@pytest.mark.parametrize(
    ("environ", "setting", "spoken"),
    [
        ({}, "", "en"),
        ({"LANG": "zh_CN.UTF-8"}, "", "zh"),
        ({"LANG": "zh_TW"}, "auto", "zh"),
        ({"LANG": "de_DE.UTF-8"}, "auto", "en"),
        ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, "auto", "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "zh_CN", "LANG": "en_US"}, "auto", "zh"),
        ({"LANGUAGE": "zh_CN:en", "LANG": "en_US.UTF-8"}, "auto", "zh"),
        ({"LANGUAGE": "de:zh_TW", "LANG": "C.UTF-8"}, "auto", "zh"),
        ({"LANGUAGE": "en_GB:en", "LANG": "zh_CN.UTF-8"}, "auto", "en"),
        ({"LANGUAGE": "fr", "LANG": "zh_CN.UTF-8"}, "auto", "en"),
        ({"LANGUAGE": "zh_CN", "LC_ALL": "C"}, "auto", "en"),
        ({"LANGUAGE": "zh_CN", "LANG": "en_US"}, "en", "en"),
        ({"LANG": "zh_CN.UTF-8"}, "en", "en"),
        ({"LANG": "en_US.UTF-8"}, "zh", "zh"),
        ({"WRITER_LANGUAGE": "en", "LANG": "zh_CN"}, "zh", "en"),
        ({"WRITER_LANGUAGE": "zh"}, "en", "zh"),
        ({"WRITER_LANGUAGE": "auto"}, "zh", "zh"),
        ({"WRITER_LANGUAGE": "tlh", "LANG": "zh_CN"}, "", "zh"),
    ],
)
def test_the_language_is_chosen_by_variable_then_setting_then_locale(
    environ: dict[str, str], setting: str, spoken: str
) -> None:
    assert language.wanted(environ, setting) == spoken


def test_a_sentence_is_itself_in_english_and_another_in_chinese(two_sentences: None) -> None:
    assert language.say("{name} is saved.", name="{x}") == "“{x}”已保存。"
    assert [language.many("{count} word", "{count} words", count) for count in (1, 2)] == ["1 字", "2 字"]
    assert language.say("Nobody has translated this {thing}.", thing="yet") == "Nobody has translated this yet."
    language.speak("en")
    assert language.say("{name} is saved.", name="A") == "A is saved."
    assert [language.many("{count} word", "{count} words", count) for count in (0, 1)] == ["0 words", "1 word"]


def test_without_values_braces_stay_and_nothing_is_nothing(two_sentences: None) -> None:
    assert (language.say("{name} is saved."), language.say("")) == ("“{name}”已保存。", "")


def test_english_loads_no_catalogue_and_no_library_for_one() -> None:
    heavy = (
        "import sys; from writer.language import say; print(say('x'), sorted({'gettext', 'tomllib'} & {*sys.modules}))"
    )
    answer = subprocess.run([sys.executable, "-c", heavy], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stdout) == (0, "x []\n"), answer.stderr


@pytest.mark.parametrize("content", ['[interface]\nlanguage = "zh"', "[interface", "interface = 3", ""])
def test_the_users_file_is_asked_and_a_broken_one_is_no_language(
    content: str, home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WRITER_LANGUAGE")
    file = Path(home["XDG_CONFIG_HOME"]) / "writer" / "config.toml"
    file.parent.mkdir()
    file.write_text(content)
    assert language._setting() == ("zh" if "zh" in content else "")


def test_a_language_that_is_none_is_named(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[interface]\nlanguage = "de"')
    with pytest.raises(ConfigError, match=r'interface\.language is "auto", "en", "zh", not "de"'):
        load(file, None, {})
    assert load(file, None, {"WRITER_LANGUAGE": "zh"}).interface.language == "zh"


def test_a_manuscript_does_not_choose_the_language(tmp_path: Path) -> None:
    file = tmp_path / "writer.toml"
    file.write_text('[settings.interface]\nlanguage = "zh"')
    with pytest.raises(ConfigError, match="line 1: a manuscript may not change how writer speaks"):
        load(tmp_path / "config.toml", file, {})


@pytest.mark.parametrize("file", sorted(translating.LOCALE.glob("*/LC_MESSAGES/writer.po")), ids=str)
def test_the_compiled_catalogue_is_that_of_the_text(file: Path) -> None:
    assert list(translating.stale(file)) == []
