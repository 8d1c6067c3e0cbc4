"""SVG as PNG, by resvg (an optional part) and fonts of this machine, found by fontconfig."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

WIDTH = 1400
"""Pixels."""
FONTS = {
    "JetBrains Mono": ("fonts-jetbrains-mono", ("regular", "bold", "italic", "bold italic")),
    "Noto Sans Mono CJK SC": ("fonts-noto-cjk", ("regular", "bold")),
    "Noto Color Emoji": ("fonts-noto-color-emoji", ("regular",)),
}
"""Family → Debian's package of it, and the faces that are used."""


class Missing(Exception):
    """Something on this machine; one sentence on what, and how to get it."""


def fonts() -> list[str]:
    """Files of all fonts that are used. Raises Missing."""
    if not shutil.which("fc-match"):
        raise Missing("The fonts cannot be looked up: install fontconfig (Debian: apt install fontconfig).")
    files, packages = [], []
    for family, (package, faces) in FONTS.items():
        found = [_file(family, face) for face in faces]
        files += [file for file in found if file]
        packages += [package] if "" in found else []
    if packages:
        raise Missing(f"Fonts are missing: install them (Debian: apt install {' '.join(packages)}), then try again.")
    return list(dict.fromkeys(files))


def _file(family: str, face: str) -> str:
    """The font's file; "" if fontconfig only knows something like it."""
    asked = f"{family}:style={face.title()}"
    command = ["fc-match", "--format", "%{family}\n%{file}", asked]
    answer = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    families, _, file = answer.partition("\n")
    return file if family in families.split(",") else ""


def rendered(svg: str, files: list[str], width: int = WIDTH) -> bytes:
    """The PNG. Raises Missing."""
    try:
        import resvg_py
    except ImportError:
        raise Missing("The SVGs become PNGs with resvg-py: run .venv/bin/pip install -e '.[docs]'.") from None
    family = next(iter(FONTS))
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            width=width,
            font_files=files,
            skip_system_fonts=True,
            font_family=family,
            monospace_family=family,
            sans_serif_family=family,
        )
    )


def write(file: Path, content: bytes) -> None:
    """Leaves the file alone if it is the same already."""
    if not file.exists() or file.read_bytes() != content:
        file.write_bytes(content)
