"""Texts that would take over a terminal: those that did elsewhere, and as many invented ones as are wanted."""

from __future__ import annotations

import random

from escape_grammar import foreign

ESC, BEL, ST = "\x1b", "\x07", "\x1b\\"
KNOWN = (
    f"{ESC}]0;PWNED{BEL}",  # the title
    f"{ESC}]2;PWNED{ST}",
    f"{ESC}]52;c;cHduZWQ={BEL}",  # the clipboard
    f"{ESC}]52;c;?{BEL}",
    f"{ESC}]8;;http://evil{ST}link{ESC}]8;;{ST}",
    f"{ESC}]8;id=1;file:///etc/passwd{ST}x",
    f"{ESC}]4;1;rgb:00/00/00{BEL}",
    f"{ESC}]7;file://h/tmp{BEL}",
    f"{ESC}]9;done{BEL}",
    f"{ESC}]777;notify;a;b{BEL}",
    f"{ESC}]1337;File=inline=1:AAAA{BEL}",
    f"{ESC}]50;#1{BEL}",
    f"{ESC}]",
    f"{ESC}[31mRED",
    f"{ESC}[5;8m",
    f"{ESC}[38;5;9m",
    f"{ESC}[6n",  # asks where the cursor is: the answer would be typed
    f"{ESC}[c",
    f"{ESC}[>c",
    f"{ESC}[21t",
    f"{ESC}[18t",
    f"{ESC}[2J{ESC}[3J",
    f"{ESC}[999;999H",
    f"{ESC}[999D{ESC}[K",
    f"{ESC}[1;5r",
    f"{ESC}[4h",
    f"{ESC}[?1049lX{ESC}[?47l",
    f"{ESC}[?9h",
    f"{ESC}[?5h",
    f"{ESC}[?69h",
    f"{ESC}[!p",
    f"{ESC}[",
    f"{ESC}[0;",
    f"{ESC}c",  # resets everything
    f"{ESC}7{ESC}8",
    f"{ESC}#8",
    f"{ESC}(0lqk",
    f"{ESC}%@",
    f"{ESC}=",
    f"{ESC}P$qm{ST}",
    f"{ESC}P+q544e{ST}",
    f"{ESC}Pq#0;2;0;0;0~-{ST}",  # an image
    f"{ESC}_Gf=24;AAAA{ST}",
    f"{ESC}^private{ST}",
    f"{ESC}Xstart{ST}",
    f"{ESC}k title{ST}",
    f"{ESC}",
    "\x9b32m",
    "\x9b6n",
    "\x9d0;C1\x9c",
    "\x9d52;c;cHduZWQ=\x9c",
    "\x90$qm\x9c",
    "\x9fG\x9c",
    "\x9e\x98\x9a\x9c",
    "\x84\x85\x88\x8d\x8e\x8f",
    "\x07\x07\x07",
    "ab\x08\x08XY",
    "over\rwritten",
    "a\x0bb\x0cc",
    "\x0e lqk \x0f",
    "\x05",  # asks who it is
    "\x00\x7f",
    "\x11\x13",
    "\x1a\x1c\x1d",
    "\u202egnp.exe\u202c",
    "\u2066a\u2067b\u2068c\u2069",
    "\u200eL\u200fR",
    "a\u2028b\u2029c",
    "\ufeffmark",
    f"[bold red]m[/] [@click=app.quit]x[/]{ESC}[31m",  # markup of Rich and of Textual beside it
    f"[link=javascript:x]y[/link]{ESC}]0;t{BEL}",
    f"[b]{ESC}[5m[/b]",
    f"# {ESC}[31m **b** `{ESC}]0;c{BEL}`",
    f"[x](http://e{ESC}[6n)",
    f"\ud83d{ESC}[31m\ude00",
    f"e\u0301{ESC}[31m\u0301",
    f"👩\u200d{ESC}[31m👧",
    f"灯{ESC}[31m塔\x9b6n",
    f"{ESC}{ESC}[31m{ESC}{ESC}]0;t{BEL}",
    f"{ESC}\x00[31m",
    f"{ESC}\u200b[31m",
    f"{'A' * 40}{ESC}[31m",
)
_HEADS = (f"{ESC}[", f"{ESC}]", f"{ESC}P", f"{ESC}_", f"{ESC}^", f"{ESC}X", ESC, "\x9b", "\x9d", "\x90", "\x9f")
_TAILS = ("m", "n", "c", "H", "J", "K", "h", "l", "t", "r", "q", "p", BEL, ST, "\x9c", "")
_BODIES = ("0", "31", "5;9", "?9", "?1049", "0;T", "52;c;QQ==", "8;;x", "!", ">", "=", " ", "999;999", "$q", "")


def payloads(count: int, seed: int) -> list[str]:
    """Each begins with a mark of its own ("P17.") that shows whether it was painted, and holds something foreign."""
    rnd, made = random.Random(seed), []
    for number in range(count):
        text = KNOWN[number] if number < len(KNOWN) else _invented(rnd)
        assert foreign(text.encode("utf-8", "surrogatepass")), repr(text)
        made.append(f"P{number}.{text}")
    return made


def _invented(rnd: random.Random) -> str:
    while True:
        text = "".join(rnd.choice(_PIECES)(rnd) for _ in range(rnd.randint(1, 4)))
        if len(text) <= 40 and foreign(text.encode("utf-8", "surrogatepass")):
            return text


def _sequence(rnd: random.Random) -> str:
    return rnd.choice(_HEADS) + rnd.choice(_BODIES) + rnd.choice(_TAILS)


def _control(rnd: random.Random) -> str:
    return chr(rnd.choice([*range(0x0A), *range(0x0B, 0x20), *range(0x7F, 0xA0), 0x202E, 0x2067, 0x2028, 0xFEFF]))


def _plain(rnd: random.Random) -> str:
    return rnd.choice(["the lamp", "灯塔", "[b]", "[/]", "é", "\U0001f56f", "**", "`", "\u0301", " ", "\\", "x" * 9])


def _noise(rnd: random.Random) -> str:
    return "".join(chr(rnd.randrange(0x0B, 0xA0)) for _ in range(rnd.randint(1, 8)))


_PIECES = (_sequence, _sequence, _control, _plain, _noise)
