"""Less motion: what the settings mean, and that a change of them holds at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from desktop import make_novel, running
from fake_desk import FakeDesk
from textual.widgets import Input

from writer.config import InterfaceSettings, Settings
from writer.runtime.events import SettingsChanged
from writer.tui.calm import Calm, calm_of


@pytest.mark.parametrize(
    ("motion", "animations", "still"),
    [
        ("auto", "full", False),
        ("auto", "none", True),
        ("full", "none", False),
        ("reduced", "full", True),
    ],
)
def test_the_setting_goes_before_the_environment(motion: str, animations: str, still: bool) -> None:
    assert calm_of(InterfaceSettings(motion=motion), animations) == Calm(still=still)


def test_for_a_screen_reader_the_screen_is_always_still() -> None:
    assert calm_of(InterfaceSettings(motion="full", screen_reader=True), "full") == Calm(still=True, reader=True)


def test_lists_look_less_often_the_calmer_it_is() -> None:
    assert Calm().pace(0.2) < Calm(still=True).pace(0.2) < Calm(still=True, reader=True).pace(0.2)


async def test_less_motion_holds_at_once_and_what_a_command_chose_stays(tmp_path: Path) -> None:
    async with running(make_novel(tmp_path), desk := FakeDesk()) as desktop:

        def say(**values: object) -> None:
            interface = replace(InterfaceSettings(), **values)  # type: ignore[arg-type]
            desk.report(SettingsChanged(Settings(editor=desktop.screen.filed, interface=interface), engine_too=False))

        await desktop.press("f2")
        await desktop.until(lambda: isinstance(desktop.app.focused, Input))
        field = desktop.app.focused
        assert isinstance(field, Input)
        assert field.cursor_blink
        say(motion="reduced")
        await desktop.until(lambda: desktop.app.calm.still)
        assert not field.cursor_blink
        assert desktop.app.animation_level == "none"
        desktop.app.be(replace(desktop.app.presented, motion="full"))
        say(motion="reduced", language="en")
        await desktop.until(lambda: desktop.app._filed.language == "en")
        assert not desktop.app.calm.still
        say(motion="auto")
        await desktop.until(lambda: desktop.app.presented.motion == "auto")
        await desktop.press("escape")
