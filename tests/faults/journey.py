"""One use of everything that leaves a trace: commands, the app on a terminal, a server of others, an engine's keeper.

`python journey.py ROOT` makes it in an empty folder, so that it can be run below something that watches. All homes lie
in ROOT. The author's text, the key of the server and what the model says are known, so that they can be looked for.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

HERE = Path(__file__).resolve().parent
if __name__ == "__main__":
    rooms = [str(room) for room in sorted(HERE.parent.iterdir()) if room.is_dir()]
    sys.path[:0] = [*rooms, str(HERE.parent), str(HERE.parents[1])]

from app_plants import environ_with  # noqa: E402
from app_terminal import WRITER, App  # noqa: E402
from conditions import wait_until  # noqa: E402

TEXT = "Quartzlamp vexed the jackdaw pilot"
"""Stands in the chapter, in an instruction, in notes and in what is typed; nothing of ours says it."""
KEY = "sk-jackdaw-4711-quartzlamp"
SCRIPTED = {"WRITER_ENGINE": "scripted", "WRITER_SCRIPT": json.dumps({"tokens_per_second": 90})}
SEARCH = os.pathsep.join(map(str, (HERE.parent, HERE.parent / "engine", HERE.parents[1])))
_FAKE_APP = HERE.parent / "engine" / "fake_app.py"
_KEEPER = "writer.engine.keeper"


class Journey:
    """`folder` is the manuscript. `watch` is called whenever something of ours is alive."""

    def __init__(self, root: Path, watch: Callable[[], None] = lambda: None, plant: str = "") -> None:
        self.root, self.watch, self.plant = root, watch, plant
        self.folder = root / "novel"
        self.made_here: set[str] = set()
        """Files, relative to ROOT, that come from outside: made here, not by writer."""
        self.said = ""
        """What the model has written."""
        names = {"CONFIG": "c", "STATE": "s", "DATA": "d", "CACHE": "k"}
        places = {f"XDG_{kind}_HOME": str(root / name) for kind, name in names.items()}
        places |= {"XDG_RUNTIME_DIR": str(root / "r"), "HOME": str(root / "h"), "TMPDIR": str(root / "t")}
        for place in places.values():
            Path(place).mkdir(exist_ok=True)
        (root / "r").chmod(0o700)  # as the system makes it
        self.environ = environ_with(plant, dict(os.environ) | places | {"WRITER_API_KEY": KEY})

    def run(self) -> None:
        """All of it. AssertionError if something does not go as it must."""
        self.drafts()
        self.looks()
        self.app()
        self.killed_app()
        self.remote()
        self.kept_engine()
        self.said = "".join(
            g["text"] for g in json.loads(self.writer("state", "export", self.folder, "--json"))["generations"]
        )

    def writer(self, *words: object, codes: tuple[int, ...] = (0,), **environ: str) -> str:
        """What a command prints."""
        command = [*WRITER, *map(str, words)]
        environ = self.environ | SCRIPTED | environ
        done = subprocess.run(
            command, env=environ, cwd=self.root / "t", capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode in codes, (words, done.returncode, done.stdout[-500:], done.stderr[-500:])
        return done.stdout

    def new(self) -> None:
        """An empty manuscript."""
        self.writer("new", self.folder, "--title", "Salt")

    def drafts(self) -> None:
        """A manuscript, a draft, one that an engine's death interrupts, and its resume."""
        self.new()
        self.chapter.write_text(f"# One\n\n{TEXT} at dawn.\n")
        self._bring("notes/people.md", f"{TEXT}, a pilot.\n".encode())
        draft = ("draft", self.folder, "--instruction", f"{TEXT} returns", "--max-tokens", "40")
        self.writer(*draft, "--seed", "1", "--json")
        self.writer(*draft, codes=(1,), WRITER_SCRIPT='{"die_at": 9}')
        self.writer("resume", self.folder)

    def exports(self) -> None:
        """A draft, and its text as a file."""
        self.new()
        self.writer("draft", self.folder, "--max-tokens", "9")
        self.writer("state", "export", self.folder, "-o", self.root / "t" / "exported")

    def looks(self) -> None:
        """Every command that looks, exports and backs up."""
        for words in (
            ("status", self.folder),
            ("status", self.folder, "--json"),
            ("state", "check", self.folder),
            ("state", "export", self.folder, "-o", self.root / "t" / "exported"),
            ("state", "backup", self.folder),
            ("state", "backup", self.folder, "-o", self.root / "t" / "backup.db"),
            ("models", "list"),
            ("models", "suggest"),
            ("engine", "status"),
        ):
            self.writer(*words)
        self.writer("doctor", "--quick", codes=(0, 1))
        self.writer("status", self.root / "nothing", codes=(1,))

    def app_alone(self) -> None:
        """Opened, typed into, saved, left."""
        self.new()
        app = App(self.folder, self.environ | SCRIPTED)
        try:
            app.shows("saved")
            app.press(f"{TEXT}\x13")
            wait_until(lambda: (app.read(), TEXT in self.chapter.read_text())[1], 30, what="the typed text")
            self.watch()
            app.quit()
        finally:
            app.close()

    def remote_alone(self) -> None:
        """A server of others writes."""
        self.new()
        self.remote()

    def app(self) -> None:
        """The author types, copies, lets write and pauses, makes a chapter, meets another program's change, leaves."""
        self._bring("chapters/02-old.md", "Über das Meer, spät im März, für Käthe.\n".encode("cp1252") * 9)
        app = App(self.folder, self.environ | SCRIPTED)
        try:
            app.shows("saved")
            app.press(f" {TEXT}. ")
            app.press("\x01\x03\x13")  # select all, copy, save
            app.press("\x1b[F\x07")  # end, write on
            app.shows("tok/s")
            self.watch()
            app.press("\x07")
            app.shows("Paused")
            self.chapter.write_text(f"{TEXT} elsewhere.\n\n" + self.chapter.read_text())
            app.press(f" {TEXT}!\x13")
            wait_until(lambda: (app.read(), f"{TEXT}!" in self.chapter.read_text())[1], 30, what="the typed text")
            app.press("\x0e")
            app.shows("Title of the new chapter")
            app.press("Three\r")
            app.shows("2 Three")
            app.press(f"{TEXT} last")
            app.shows("saved")
            app.quit()
        finally:
            app.close()

    def killed_app(self) -> None:
        """What a kill leaves behind, looked at and opened again."""
        app = App(self.folder, self.environ | SCRIPTED)
        try:
            app.shows("Continue")
            app.press("\r")
            app.shows("tok/s")
            app.kill()
        finally:
            app.close()
        self.writer("status", self.folder)
        self.writer("resume", self.folder)

    def remote(self) -> None:
        """A server of others on a socket, which wants a key."""
        socket = self.root / "r" / "server"
        self.made_here.add("r/server")
        server = subprocess.Popen(
            [sys.executable, str(HERE / "fake_server.py"), "--uds", str(socket)],
            env=self.environ | {"PYTHONPATH": SEARCH},
            start_new_session=True,
        )
        settings = self.root / "c" / "writer" / "config.toml"
        try:
            wait_until(socket.exists, 20)
            settings.parent.mkdir(mode=0o700, exist_ok=True)
            settings.write_text(f'[engine]\nurl = "http+unix://{quote(str(socket), safe="")}"\n')
            wanted = ("--chapter", "1", "--max-tokens", "20", "--instruction", TEXT)
            self.writer("draft", self.folder, *wanted, WRITER_ENGINE="vllm")
        finally:
            settings.unlink(missing_ok=True)
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()

    def kept_engine(self) -> None:
        """A fake engine under its keeper: started, left warm, stopped by command."""
        window = subprocess.Popen(
            [sys.executable, str(_FAKE_APP), "60", _KEEPER],
            env=self.environ | {"PYTHONPATH": SEARCH},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert window.stdout is not None
            wait_until(lambda: window.stdout.readline() == "attached\n", 60, what="an engine")  # type: ignore[union-attr]
            self.watch()
            window.communicate("quit\n", timeout=30)
            self.writer("engine", "status", "--json")
        finally:
            window.kill()
            self.writer("engine", "stop")

    def _bring(self, name: str, data: bytes) -> None:
        (self.folder / name).write_bytes(data)
        self.made_here.add(f"novel/{name}")

    @property
    def chapter(self) -> Path:
        return self.folder / "chapters" / "01-chapter-1.md"

    def files(self) -> list[Path]:
        """Everything that lies in ROOT now, but the places that this has made itself."""
        return sorted(path for path in self.root.rglob("*") if path.parent != self.root or path == self.folder)

    def processes(self) -> dict[int, tuple[str, dict[str, str]]]:
        """Command line and environment of whatever runs from here now."""
        found: dict[int, tuple[str, dict[str, str]]] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid() and (facts := _process(entry, str(self.root))):
                found[int(entry.name)] = facts
        return found


def _process(entry: Path, root: str) -> tuple[str, dict[str, str]] | None:
    try:
        line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        pairs = [pair.partition("=") for pair in (entry / "environ").read_bytes().decode(errors="replace").split("\0")]
    except OSError:  # it has ended, or is another user's
        return None
    environ = {name: value for name, _, value in pairs}
    return (line, environ) if environ.get("HOME") == f"{root}/h" else None


def main(arguments: list[str]) -> int:
    Journey(Path(arguments[0])).run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
