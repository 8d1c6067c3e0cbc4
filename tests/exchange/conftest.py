"""Books that are exported once for many looks at them: a converter's start is the dearest part."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from books import chinese, novel

from writer.exchange.exporting import export
from writer.exchange.orders import ExportOrder, Format, Style

Made = Callable[..., Path]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """`made(Format.DOCX, Style.REPORT, language="zh")`: the file."""
    base = tmp_path_factory.mktemp("exported")
    books = {"en": novel(base / "novel"), "zh": chinese(base / "chinese")}

    def one(form: Format, style: Style = Style.MANUSCRIPT, language: str = "en") -> Path:
        path = base / f"{language}-{style}.{form}"
        if path.exists():
            return path
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("XDG_CACHE_HOME", str(base / "cache"))
            order = ExportOrder(books[language], form, style, path)
            return export(order).path

    return one
