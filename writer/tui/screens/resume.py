"""The card that is shown when something was interrupted: what, when, why, how much is saved, and what now."""

from __future__ import annotations

from textual.widgets import Label

from writer.engine.base import EngineStatus
from writer.generation.model import StopCause
from writer.language import say
from writer.runtime.events import Offer
from writer.text.count import ago
from writer.text.sanitise import one_line
from writer.tui.calmed import calm_at
from writer.tui.screens.choice import Choice

CONTINUE, KEEP, DISCARD = "continue", "keep", "discard"
_BUTTONS = ((CONTINUE, say("Continue")), (KEEP, say("Keep as it is")), (DISCARD, say("Discard")))
_WHY = {
    StopCause.PAUSED: say("you paused it"),
    StopCause.KILLED: say("the app was killed"),
    StopCause.POWER: say("the computer was switched off or started anew"),
    StopCause.ENGINE: say("the engine stopped"),
    StopCause.SLEEP: say("the computer went to sleep"),
    StopCause.DISK: say("the disk was full or could not be written"),
    StopCause.LOOP: say("the model began to repeat itself"),
}
_ENGINE_LINE = 3


class ResumeCard(Choice):
    """Returns CONTINUE, KEEP or DISCARD; None leaves it for later."""

    def __init__(self, offer: Offer, title: str, now: float, engine: EngineStatus | None, others: int) -> None:
        """`now` in UTC seconds; `others` is how many more can go on elsewhere."""
        super().__init__(card_lines(offer, title, now, engine, others), _BUTTONS)
        self._engine = engine.state if engine else ""

    def engine_changed(self, engine: EngineStatus) -> None:
        """Tell the author how long Continue would take now. A screen reader would read every second that passes."""
        before, self._engine = self._engine, engine.state
        if engine.state == before and calm_at(self.app).reader:
            return
        for label in self.query(f"#line-{_ENGINE_LINE}").results(Label):
            label.update(engine_line(engine))


def card_lines(offer: Offer, title: str, now: float, engine: EngineStatus | None, others: int) -> list[str]:
    """The card's text."""
    if offer.thinking:
        said = [
            say("Its thought is saved ({tokens:,} tokens), and goes on; no text was written yet.", tokens=offer.tokens),
            "",
        ]
    else:
        said = [
            say(
                "{words:,} words ({tokens:,} tokens) are saved. The last sentence:",
                words=offer.words,
                tokens=offer.tokens,
            ),
            f"  “{one_line(offer.last_sentence, 160)}”",
        ]
    why = say("it reached its token limit") if offer.truncated else _WHY.get(offer.cause or StopCause.KILLED, "")
    lines = [
        say("{title} stopped {when}: {why}.", title=one_line(title, 60), when=ago(now - offer.stopped_at), why=why),
        *said,
        engine_line(engine),
    ]
    if offer.note:
        lines.append(one_line(offer.note))
    if others:
        lines.append(say("…and {others} more in the chapter list (marked ‖).", others=others))
    return lines


def engine_line(engine: EngineStatus | None) -> str:
    """Whether the engine is warm, and how long the next word will take."""
    if engine is None or engine.state == "stopped":
        return say("The engine is not running. Continue starts it, which takes about a minute.")
    if engine.state == "asleep":
        return say("The engine sleeps and the GPU is free: Continue wakes it, and it reads the text once more.")
    if engine.state == "ready":
        return say("The engine is still warm: the next word comes at once.")
    if engine.state == "starting":
        return say(
            "The engine is starting ({state} {seconds:.0f} s so far).",
            state=one_line(engine.sentence, 60) or say("please wait"),
            seconds=engine.seconds,
        )
    return say("The engine could not start: {sentence}", sentence=one_line(engine.sentence))
