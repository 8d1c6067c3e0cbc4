"""Sentences about a draft that stops, or goes on otherwise than it began."""

from __future__ import annotations

from writer.language import say
from writer.runtime.engine_room import RESTARTS

NO_TEXT = say(
    "No text came three times in a row, though the engine was started anew. Your text is saved; "
    "close other programs or choose a smaller model, then continue."
)
STORM = say(
    "It has stopped {restarts} times in ten minutes, so it is not started again by itself. Your "
    "text is saved; run writer doctor, then continue.",
    restarts=RESTARTS + 1,
)
BROKEN = say(
    "That was the {restarts}th time in ten minutes, so writing does not go on by itself. Your "
    "text is saved; look after the network or the server, then continue.",
    restarts=RESTARTS + 1,
)
BY_TEXT = say("This server takes no token ids: it goes on from the text, and may word it differently.")
FULL = say(
    "The thought has used up its {tokens:,} tokens, so it was closed and the text begins. "
    "Sampling (F5) can let the model think longer."
)
