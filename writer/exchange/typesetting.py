"""The door to typst, which makes PDFs: in a process of its own, that may use so much time and memory and no more.

What it sets is what pandoc has written, in the folder of that one conversion; nothing outside of it is read but the
machine's typefaces.
"""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

from writer import installation
from writer.errors import ExchangeError
from writer.exchange import fonts
from writer.language import say

SECONDS, MEMORY = 300, 6 * 1024 * 1024 * 1024  # of processor time, bytes of addresses
_ROOT = str(Path(__file__).parents[2])
_NO_TYPEFACE = 3  # exit code

# With -I nothing but the installed packages can be imported; ours is where this very file is.
_CHILD = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    "from writer.exchange import typesetting; typesetting.child(sys.argv[2:])"
)


def typeset(folder: Path, name: str, eastern: bool) -> tuple[bytes, str]:
    """The PDF of the file `name` in `folder`, and a sentence if the typeface that was asked for is not here.

    `eastern`: it has ideographs, kana or hangul. Raises ExchangeError.
    """
    if importlib.util.find_spec("typst") is None:
        raise ExchangeError(
            say(
                "PDF needs typst, which is not installed here. Get it with `{command}`, then try again.",
                command=installation.pip("install", "typst"),
            )
        )
    command = [sys.executable, "-I", "-c", _CHILD, _ROOT, str(folder), name, "eastern" if eastern else ""]
    surroundings = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=SECONDS * 2,
            env=surroundings,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ExchangeError(
            say("The PDF takes too long. Export some chapters at a time, with --chapters, or as Word.")
        ) from None
    except OSError as error:
        raise ExchangeError(
            say("typst cannot be started ({why}). Try again.", why=error.strerror), detail=repr(error)
        ) from error
    if done.returncode == _NO_TYPEFACE:
        raise ExchangeError(
            say(
                "The book has Chinese, Japanese or Korean characters, and no typeface here has them: the PDF would be "
                "empty boxes. Install one, such as the package fonts-noto-cjk, or export as Word or EPUB."
            )
        )
    if done.returncode:
        said = done.stderr[-2000:].decode("utf-8", "replace")
        raise ExchangeError(
            say("typst could not set the book. Export it as Word (--to docx), and make the PDF from that."), detail=said
        )
    return (folder / "made.pdf").read_bytes(), (folder / "note").read_text(encoding="utf-8")


def typefaces() -> list[str]:
    """Those that typst finds on this machine, with the few that it brings; none where it is not installed."""
    command = [sys.executable, "-I", "-c", "import json, typst; print(json.dumps(typst.Fonts().families()))"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=60, stdin=subprocess.DEVNULL, check=False)
        found = json.loads(done.stdout) if done.returncode == 0 else []
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return []
    return [str(each) for each in found]


def child(words: list[str]) -> None:
    """The typesetting process. Writes made.pdf into its folder."""
    folder, name, eastern = Path(words[0]), words[1], bool(words[2])
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    import typst

    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    here = typst.Fonts().families()
    ideographs = fonts.chosen(job["lang"], here)
    if eastern and not ideographs:
        raise SystemExit(_NO_TYPEFACE)
    known = {each.lower(): each for each in here}
    latin = [known[each.lower()] for each in (job["font"], *fonts.LIKE_LATIN) if each.lower() in known]
    missing = job["font"] and latin[0].lower() != job["font"].lower()
    note = (
        say("The typeface {job} is not on this machine, so the PDF has {latin}.", job=job["font"], latin=latin[0])
        if missing
        else ""
    )
    (folder / "note").write_text(note, encoding="utf-8")
    letters = [*latin[:1], *([ideographs] if ideographs else [])]
    inputs = {"fonts": json.dumps(letters), "paper": "us-letter" if job["paper"] == "letter" else "a4"}
    inputs |= {"lang": job["lang"].split("-")[0], "region": _region(job["lang"])}
    inputs |= {"contents": job["contents"], "author": job["author"]}
    typst.compile(str(folder / name), output=str(folder / "made.pdf"), root=str(folder), sys_inputs=inputs)


def _region(language: str) -> str:
    return {"zh-Hans": "CN", "zh-Hant": "TW"}.get(language, "")
