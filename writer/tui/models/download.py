"""The one download of this window. It goes on while the author writes; the sheet only looks at it."""

from __future__ import annotations

from collections.abc import Callable

from writer.catalogue.ports import CalledOff, Fetching
from writer.catalogue.values import Offer, Progress
from writer.catalogue.wording import progress_words
from writer.errors import WriterError
from writer.language import say
from writer.tui.models.waiting import aside


class Download:
    """`progress` is written by the downloading thread, and read when the sheet is drawn."""

    def __init__(self, fetching: Fetching, offer: Offer) -> None:
        self._fetching, self.offer = fetching, offer
        self.progress = Progress(offer.have, offer.size)
        self.cancelling = False

    async def run(self, tell: Callable[[str, str], None]) -> None:
        """Until it has ended, which is told: (sentence, severity)."""
        try:
            name = await aside(lambda: self._fetching.fetch(self.offer, self._report))
        except CalledOff:
            tell(say("The download of {hub} has stopped. What has come is kept.", hub=self.offer.hub), "information")
        except WriterError as error:
            tell(error.sentence, "error")
        else:
            tell(say("{name} is downloaded. Choose it under Models… to write with it.", name=name), "information")

    def cancel(self) -> None:
        """Stop it; what has come is kept."""
        self.cancelling = True
        self._fetching.cancel()

    def told(self) -> str:
        """How far it is."""
        return say("stopping…") if self.cancelling else progress_words(self.progress)

    def _report(self, progress: Progress) -> None:
        self.progress = progress
