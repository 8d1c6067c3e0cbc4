"""What is done in the Chinese recording: a manuscript in Chinese, from its first word to Word and PDF."""

from __future__ import annotations

from recording.session import LONG, PROMPT, Still
from recording.terminal import Terminal

SETTINGS = """
[settings.writing]
temperature = 0.6
max_tokens = 200
seed = 11
"""
"""One seed, so that the next recording has the same text, more or less."""
BEGUN = """\
守塔的老人说，海港的灯从来没有灭过。风从北边来的时候，整座房子都在响，像一条旧船。

“今晚会有船吗？”她问。

老人没有回答。他把油倒进灯里，擦了擦玻璃，又看了看外面的黑水。远处有一点光，很小，一会儿有，一会儿没有。"""
FILES = {"begun.md": BEGUN, "settings.toml": SETTINGS}
TYPED = "她第一个看见了那条船。"


def play(terminal: Terminal, still: Still) -> None:
    """The whole session. `still` keeps the screen under a name. Raises NotShown."""
    _new(terminal)
    _write(terminal, still)
    _look(terminal, still)
    _export(terminal, still)


def _new(terminal: Terminal) -> None:
    terminal.until(PROMPT)
    terminal.command("export LANG=zh_CN.UTF-8")
    terminal.command('writer new 海港 --language zh --title "灯塔"')
    terminal.until("海港")
    terminal.hold(2)
    terminal.command("cat begun.md > 海港/chapters/01-*.md; cat settings.toml >> 海港/writer.toml")
    terminal.command("writer 海港")
    terminal.until("守塔的老人")
    terminal.hold(1)


def _write(terminal: Terminal, still: Still) -> None:
    """The author types, the model goes on, a key pauses it, and the same key goes on."""
    terminal.press("ctrl+end", "enter", "enter")
    terminal.type(TYPED)
    terminal.press("ctrl+g")
    terminal.until("^g 暂停", seconds=LONG)
    terminal.until("词元/秒", seconds=LONG)
    terminal.press("ctrl+g")
    terminal.until("^g 接着写", seconds=LONG)
    terminal.hold(2)
    still("chinese-paused")
    terminal.press("ctrl+g")
    terminal.until("^g 暂停", seconds=LONG)
    terminal.until("^g 接着写", "^g 续写", seconds=LONG)
    terminal.hold(2)
    still("chinese")


def _look(terminal: Terminal, still: Still) -> None:
    """The help, the book, what the model is given, and the palette."""
    for key, name in (("f1", "help"), ("ctrl+o", "book"), ("f6", "prompt"), ("ctrl+p", "commands")):
        terminal.press(key)
        terminal.look(1.5)
        terminal.hold(1.5)
        still(f"chinese-{name}")
        terminal.press("f6" if key == "f6" else "escape")
        terminal.until("^g ")


def _export(terminal: Terminal, still: Still) -> None:
    terminal.press("ctrl+q")
    terminal.until(PROMPT)
    terminal.command("clear; writer status 海港")
    terminal.until("字")
    for format_ in ("docx", "pdf"):
        terminal.command(f"writer export 海港 --to {format_}")
        terminal.until(f"灯塔.{format_}", seconds=LONG)
    terminal.hold(3)
    still("chinese-export")
