"""The way in: the sheet for this window, and the download that outlives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from writer.tui.models.download import Download
from writer.tui.models.sheet import ModelsSheet
from writer.tui.working import work

if TYPE_CHECKING:
    from writer.catalogue.ports import Models
    from writer.tui.screens.manuscript import ManuscriptScreen


class Shop:
    """What belongs to the window, not to the sheet."""

    def __init__(self, screen: ManuscriptScreen, models: Models) -> None:
        self._screen, self.models = screen, models
        self.download: Download | None = None

    def open(self, hub: str = "") -> None:
        """Show the sheet. With `hub`, a name there, the hub is asked about it at once."""
        self._screen.app.push_screen(ModelsSheet(self._screen, self.models, self, hub))

    def begin(self, download: Download) -> None:
        """Download beside everything else."""
        if self.download is None:
            self.download = download
            work(self._screen, "download", self._run, download)

    async def _run(self, download: Download) -> None:
        await download.run(self._told)

    def _told(self, sentence: str, severity: str) -> None:
        self.download = None
        self._screen.complain(sentence, severity)
        for screen in self._screen.app.screen_stack:
            if refresh := getattr(screen, "refresh_rows", None):
                refresh()

    def close(self) -> None:
        """The window is left: what has come is kept."""
        if self.download is not None:
            self.download.cancel()
