"""One or two examples for each command: the end of its `--help`, and of its part of the man page."""

from __future__ import annotations

import click

from writer.language import say

EXAMPLES: dict[str, tuple[str, ...]] = {
    "new": ('new my-novel --title "The Winter Line"', "new my-report --report --language de"),
    "draft": ("draft my-novel --max-tokens 300", 'draft my-novel --chapter 2 --instruction "A ferry comes in."'),
    "resume": ("resume my-novel", "resume my-novel --all --parallel 4"),
    "takes": ("takes my-novel --chapter 1", "takes my-novel --write 4 --max-tokens 200"),
    "rewrite": (
        'rewrite my-novel --from "The lamp" --to "the water." --kind shorten',
        "rewrite my-novel --chapter 1 --lines 3:5 --kind expand --accept",
    ),
    "recipes list": ("recipes list my-novel",),
    "recipes copy": ("recipes copy my-novel",),
    "recipes use": ("recipes use my-novel brainstorm --count 3", "recipes use my-novel describe --lines 3:3"),
    "plan": ("plan my-novel", 'plan my-novel --chapter 2 --instruction "A ferry comes in." --request'),
    "summarise": ("summarise my-novel", "summarise my-novel --chapter 1 --again"),
    "chapters list": ("chapters list my-novel", "chapters list my-novel --days"),
    "chapters add": ('chapters add my-novel "The Ferry" --after 1',),
    "chapters rename": ('chapters rename my-novel 1 "The Lamp"',),
    "chapters move": ("chapters move my-novel 3 --after 0", 'chapters move my-novel 3 --part "Part Two"'),
    "chapters split": ('chapters split my-novel 1 --before "In the morning" --title "Morning"',),
    "chapters merge": ("chapters merge my-novel 1 2",),
    "chapters status": ("chapters status my-novel 1 revised",),
    "chapters goal": ("chapters goal my-novel 1000", "chapters goal my-novel 3000 --chapter 1"),
    "export": ("export my-novel --to docx", "export my-report --to pdf --style report --output report.pdf"),
    "import": ("import draft.docx my-novel", 'import old.epub --title "The Lamp" --language en'),
    "search": ('search my-novel "the lamp"', 'search my-novel Mara --replace "Maria" --word --case'),
    "notes": ("notes my-novel --mentioned-in 2", "notes my-novel --new Mara --kind character"),
    "status": ("status my-novel", "status my-novel --json"),
    "doctor": ("doctor", "doctor my-novel"),
    "engine start": ("engine start",),
    "engine status": ("engine status",),
    "engine stop": ("engine stop",),
    "engine sleep": ("engine sleep",),
    "engine wake": ("engine wake",),
    "engine key set": ("engine key set", "engine key set https://lab.example"),
    "engine key forget": ("engine key forget https://lab.example",),
    "engine tune": ("engine tune",),
    "engine forget-kv": ("engine forget-kv",),
    "models list": ("models list",),
    "models suggest": ("models suggest", "models suggest --language zh --all"),
    "models add": ("models add Qwen/Qwen3-8B", "models add ~/models/novelist.gguf --no-use"),
    "models use": ("models use Qwen/Qwen3-8B", "models use small"),
    "models remove": ("models remove Qwen/Qwen3-8B",),
    "config show": ("config show --changed", "config show my-novel"),
    "config path": ("config path",),
    "completion": ("completion bash",),
    "state check": ("state check my-novel",),
    "state export": ("state export my-novel --output texts", "state export my-novel --json"),
    "state backup": ("state backup my-novel --output my-novel.db",),
}
"""By a command's name, as it is typed behind `writer`."""


def attach(command: click.Command, name: str) -> None:
    """Puts the examples below the `--help` of this command; of every one of a group."""
    if isinstance(command, click.Group):
        for part, each in command.commands.items():
            attach(each, f"{name} {part}")
        return
    lines = [f"  writer {each}" for each in EXAMPLES[name]]
    command.epilog = "\n".join(["\b", say("Example:") if len(lines) == 1 else say("Examples:"), *lines])
