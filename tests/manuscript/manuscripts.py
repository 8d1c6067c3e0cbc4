"""What several tests of manuscripts do."""

from __future__ import annotations

import tomlkit

from writer.manuscript.model import Manuscript


def rewrite(manuscript: Manuscript, **values: object) -> None:
    """Change keys of writer.toml; None removes one."""
    document = tomlkit.parse(manuscript.settings_file.read_text("utf-8"))
    for key, value in values.items():
        document.pop(key, None)
        if value is not None:
            document[key] = value
    manuscript.settings_file.write_text(tomlkit.dumps(document), "utf-8")


def paths(manuscript: Manuscript) -> list[str]:
    return [chapter.path for chapter in manuscript.chapters]
