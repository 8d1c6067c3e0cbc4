"""`scripts/screenshots`: makes the pictures of the pages anew. With `--svg FOLDER` only SVGs, which need no fonts."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from pathlib import Path

# The terminal in a picture is always the same one. Textual reads this when it is imported.
os.environ |= {"TERM": "xterm-256color", "TEXTUAL_COLOR_SYSTEM": "truecolor", "TEXTUAL_ANIMATIONS": "none"}

from pictures.png import Missing, fonts, rendered, write
from pictures.scenes import Scene
from pictures.stage import COLUMNS, ROWS
from pictures.svg import picture
from pictures.tour_scenes import SCENES

ASSETS = Path(__file__).resolve().parents[2] / "assets"


def main(arguments: list[str]) -> int:
    """Returns the exit code."""
    parser = argparse.ArgumentParser(prog="scripts/screenshots", description="Makes the pictures in assets/ anew.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"only these of: {', '.join(SCENES)}")
    parser.add_argument("--svg", type=Path, metavar="FOLDER", help="write SVGs there, and no PNGs")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.names if name not in SCENES]:
        parser.error(f"no picture {', '.join(unknown)}; there are: {', '.join(SCENES)}")
    try:
        files = [] if options.svg else fonts()
        for name in options.names or SCENES:
            svg = asyncio.run(shot(SCENES[name]))
            if options.svg:
                options.svg.mkdir(parents=True, exist_ok=True)
                write(options.svg / f"{name}.svg", svg.encode())
            else:
                write(ASSETS / f"{name}.png", rendered(svg, files))
    except Missing as missing:
        sys.stderr.write(f"{missing}\n")
        return 1
    return 0


async def shot(scene: Scene) -> str:
    """The scene as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {f"XDG_{name}_HOME": f"{folder}/{name}" for name in ("CONFIG", "STATE", "DATA", "CACHE")}
        async with scene(Path(folder) / "novel") as shown:
            await shown.settle()
            background = shown.app.main.styles.background.hex
            return picture(shown.app.export_screenshot(), COLUMNS, ROWS, background)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
