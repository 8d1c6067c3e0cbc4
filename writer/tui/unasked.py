"""Cards that come by themselves, such as the offer to go on with a text. They wait while somebody is led through the
first steps: a card that jumps up under a key meant for the guide would be answered by it."""

from __future__ import annotations

from collections.abc import Callable


class Unasked:
    """Shows them at once, or in their order when it is let go."""

    def __init__(self) -> None:
        self.held = False
        self._waiting: list[Callable[[], object]] = []

    def hold(self) -> None:
        """From now on they wait."""
        self.held = True

    def show(self, card: Callable[[], object]) -> None:
        """`card` puts one onto the screen."""
        if self.held:
            self._waiting.append(card)
        else:
            card()

    def let_go(self) -> None:
        """Show those that wait."""
        self.held, waiting, self._waiting = False, self._waiting, []
        for card in waiting:
            card()
