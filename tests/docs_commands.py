"""Takes the shell blocks out of the pages of the documentation, and runs every command in them, or says why not.

A command is run here, with the scripted engine and a home of its own; or it is one of `ELSEWHERE`, with the reason and
with what is checked instead. There is no third way.
"""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from writer import __version__
from writer.cli.main import run_command_line, whole
from writer.cli.names import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = (ROOT / "README.md", *sorted(DOCS.rglob("*.md")))
KINDS = {"sh", "json", "toml", "markdown", "python", ""}
"""What a code block may call itself. Another name for a shell would be a block that nobody runs."""
_BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```", flags=re.MULTILINE | re.DOTALL)
_SHELL_ONLY = {"|", "||", "&&", "&", ";", "<", ">", ">>"}
_PLACEHOLDERS = {"DIR", "my-novel", "my-report"}


class Wrong(AssertionError):
    """A command of a page does not do what the page says."""


def blocks(text: str, kind: str) -> list[str]:
    """The code blocks of that kind."""
    return [body for name, body in _BLOCK.findall(text) if name == kind]


def commands(text: str) -> list[list[str]]:
    """The words of each command in the shell blocks, without comments, with `writer` for any path of it."""
    joined = "".join(blocks(text, "sh")).replace("\\\n", " ")
    split = [shlex.split(line, comments=True) for line in joined.splitlines()]
    return [_plain(words) for words in split if words]


def _plain(words: list[str]) -> list[str]:
    if operators := _SHELL_ONLY & set(words):
        raise Wrong(f"{shlex.join(words)}: {operators} is not tried here; write one command a line")
    return [re.sub(r"^(~/)?[\w./-]*bin/(writer|pip)$", r"\2", words[0]), *words[1:]]


def spoken_of(text: str) -> Iterator[list[str]]:
    """The commands that the prose names: `writer …` between backticks."""
    prose = _BLOCK.sub("", text)
    for span in re.findall(r"`(writer [^`]+)`", prose):
        yield span.replace("\\|", " ").split()


def check_spoken(words: list[str]) -> None:
    """A command of the prose is there, and has the options that are named. Raises Wrong."""
    if words[1] in {"--version", "--help", "-h", *_PLACEHOLDERS} or words[1:] == ["COMMAND", "--help"]:
        return
    command: click.Command = whole()
    for word in words[1:]:
        if isinstance(command, click.Group) and not word.startswith("-"):
            if word not in command.commands:
                raise Wrong(f"{' '.join(words)}: there is no such command")
            command = command.commands[word]
    known = {each for option in command.params for each in (*option.opts, *option.secondary_opts)} | {"--help", "-h"}
    if unknown := [word for word in words[1:] if word.startswith("-") and word.split("=")[0] not in known]:
        raise Wrong(f"{' '.join(words)}: there is no {unknown[0]}")


# --- what is run elsewhere -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Commands that begin so are not run here: why, and what is checked of them instead."""

    begins: str
    why: str
    check: Callable[[list[str]], None]


def _is_a_script(words: list[str]) -> None:
    script = next(ROOT / word for word in words if "/" in word)
    if not script.is_file():
        raise Wrong(f"{shlex.join(words)}: {script} is not there")


def _bench(words: list[str]) -> None:
    from benchmarks.__main__ import BENCHES, _parser

    given = _parsed(_parser().parse_args, words)
    if unknown := set(given.bench.split(",")) - set(BENCHES):
        raise Wrong(f"{shlex.join(words)}: no bench {unknown}")


def _parsed(parse: Callable[[list[str]], object], words: list[str]) -> object:
    try:
        return parse(words[1:])
    except SystemExit:
        raise Wrong(f"{shlex.join(words)}: the script does not take this") from None


def _vllm_serve(words: list[str]) -> None:
    """Its flags stand in the source of the vLLM that is installed; importing it takes half a minute."""
    found = importlib.util.find_spec("vllm")
    assert found is not None, "vLLM is not installed here"
    assert found.origin is not None
    package = Path(found.origin).parent  # where a version keeps the flags of its server is up to it
    files = [package / "engine" / "arg_utils.py", *package.glob("entrypoints/*/cli_args.py")]
    told = "".join(file.read_text(encoding="utf-8") for file in files)
    for flag in (word for word in words if word.startswith("--")):
        if f'"{flag}"' not in told and not re.search(rf"^    {flag[2:].replace('-', '_')}: ", told, flags=re.MULTILINE):
            raise Wrong(f"{shlex.join(words)}: vLLM has no {flag}")


def _ray(words: list[str]) -> None:
    if unknown := {word.split("=")[0] for word in words[2:]} - {"--head", "--port", "--address"}:
        raise Wrong(f"{shlex.join(words)}: nobody has looked up {unknown} in the manual of Ray")


def _pip(words: list[str]) -> None:
    """The wheel is named as it is built, its extras are there, and other packages are known to the program."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wheel = f"dist/{project['name'].replace('-', '_')}-{__version__}-py3-none-any.whl"
    told = (ROOT / "scripts" / "constraints-cpu.txt").read_text() + (
        ROOT / "writer" / "engine" / "fault_lines.py"
    ).read_text(encoding="utf-8")
    options = {"--no-deps", "--upgrade", "-y", "--wheel-dir"}
    for word in words[1:]:
        name, _, extras = word.rstrip("]").partition("[")
        if unknown := set(filter(None, extras.split(","))) - set(project["optional-dependencies"]):
            raise Wrong(f"{shlex.join(words)}: there is no extra {unknown}")
        if word in options or name in {"install", "uninstall", "wheel", "runpip", "dist", ".", project["name"], wheel}:
            continue
        if word.startswith("-") or not re.search(rf"(^|\s){re.escape(name)}(==|[ .])", told, flags=re.MULTILINE):
            raise Wrong(f"{shlex.join(words)}: nobody has looked up {word}")


def _named_by_the_program(words: list[str]) -> None:
    told = (ROOT / "writer" / "exchange" / "typesetting.py").read_text(encoding="utf-8")
    if f"the package {words[-1]}," not in told:
        raise Wrong(f"{shlex.join(words)}: the program names another package")


_INSTALLS = "downloads gigabytes; tests/scripts and tests/test_packaging.py try the installing and the wheel"
ELSEWHERE = (
    Elsewhere("pip", _INSTALLS, _pip),
    Elsewhere("pipx", _INSTALLS, _pip),
    Elsewhere("sudo apt-get install", "needs root, and the system's packages", _named_by_the_program),
    Elsewhere("scripts/start", _INSTALLS, _is_a_script),
    Elsewhere("scripts/test", "runs the tests, this one too", _is_a_script),
    Elsewhere("scripts/check", "is a step of its own of .ci/run", _is_a_script),
    Elsewhere(".ci/run", "runs the tests, this one too", _is_a_script),
    Elsewhere("scripts/screenshots", "takes minutes; tests/scripts/test_screenshots.py tries it", _is_a_script),
    Elsewhere("scripts/manual", "writes the page that tests/cli/test_help.py compares", _is_a_script),
    Elsewhere("scripts/translate", "rewrites the catalogues; tests compare them", _is_a_script),
    Elsewhere("scripts/record", "needs the real engine; tests/scripts/test_record.py tries it", _is_a_script),
    Elsewhere("scripts/bench", "measures for minutes; tests/scripts tries it", _bench),
    Elsewhere("python3 scripts/benchmarks/gpu_run.py", "needs a GPU", _is_a_script),
    Elsewhere("vllm serve", "needs a server with GPUs", _vllm_serve),
    Elsewhere("ray start", "needs several machines, and Ray", _ray),
)


def elsewhere(words: list[str]) -> Elsewhere | None:
    """Which of the list the command is."""
    line = " ".join(words)
    return next((each for each in ELSEWHERE if line == each.begins or line.startswith(f"{each.begins} ")), None)


# --- what is run here ------------------------------------------------------------------------------------------------


class Walk:
    """Runs the commands of one page, in the current folder."""

    def __init__(
        self, outputs: Callable[[], str], opened: Callable[[Path], None] | None = None, home: Path | None = None
    ) -> None:
        """`opened` is what someone does in the app. Files are linked and removed in `home` alone, if there is one."""
        self._outputs, self._opened, self._home = outputs, opened, home
        self.told = ""
        self.elsewhere: list[Elsewhere] = []

    def page(self, text: str) -> Walk:
        """All of its commands, in their order. Raises Wrong."""
        for words in commands(text):
            self.run(words)
        return self

    def run(self, words: list[str]) -> None:
        """One command: here, or checked as the list says. Raises Wrong."""
        if away := elsewhere(words):
            self.elsewhere.append(away)
            away.check(words)
        elif words[0] == "writer":
            self._writer([str(Path(word).expanduser()) if word.startswith("~/") else word for word in words])
        else:
            self._other(words)

    def _writer(self, words: list[str]) -> None:
        opens = len(words) == 2 and words[1] not in COMMANDS and not words[1].startswith("-")
        asked = ["--yes"] if words[1:3] in (["models", "add"], ["models", "remove"]) else []  # nobody is there to ask
        self._outputs()
        code = run_command_line([*words[1:], *asked])
        said = self._outputs()
        self.told += said
        if opens:
            if "The app needs a terminal" not in said:  # all before that has worked
                raise Wrong(f"{shlex.join(words)}: {said}")
            if self._opened:
                self._opened(Path(words[1]))
        elif code and not (code == 1 and words[1] == "doctor" and "BAD" in said):  # it tells of this machine
            raise Wrong(f"{shlex.join(words)} ended with {code}: {said}")

    def _other(self, words: list[str]) -> None:
        line = shlex.join(words)
        paths = [Path(word).expanduser() for word in words[1:] if not word.startswith("-")]
        if words[0] == "cp":
            for each in paths[:-1]:
                shutil.copy(each, paths[-1])
        elif words[:2] in (["rm", "-rf"], ["mkdir", "-p"]) and all(map(self._is_mine, paths)):
            for each in paths:
                each.mkdir(parents=True, exist_ok=True) if words[0] == "mkdir" else shutil.rmtree(each, True)
        elif words[:2] == ["ln", "-s"] and self._is_mine(paths[1]):
            paths[1].symlink_to(paths[0])
        elif words[:3] == ["python3", "-m", "venv"]:
            _succeeds([sys.executable, "-m", "venv", "--without-pip", str(paths[-1])], line)  # pip is not used here
        elif words[:2] == ["python3", "-c"]:
            _succeeds([sys.executable, *words[1:]], line)
        elif words[0] != "export" or not re.fullmatch(r"[A-Z_]+=\S+", words[1]):
            raise Wrong(f"{line}: neither run here nor listed in ELSEWHERE with its reason")

    def _is_mine(self, path: Path) -> bool:
        return self._home is not None and self._home in path.resolve().parents


def _succeeds(command: list[str], line: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Wrong(f"{line}: {done.stderr}")
