"""Whether the engine that is there may go on with what another one began. Ids are never given to another tokenizer."""

from __future__ import annotations

from writer.engine.base import Engine, EngineFacts
from writer.errors import EngineError, NotResumable, RequestRefused
from writer.generation.model import Fingerprint, Saved
from writer.language import say
from writer.text.sanitise import from_model

_LOOKED_AT = 64  # tokens that are read back where no fingerprint tells


def known_same(then: str, now: str) -> bool | None:
    """Whether two fingerprints of one thing are equal; None if one of them is not known."""
    return then == now if then and now else None


def choice(then: Fingerprint, now: Fingerprint, model: str) -> NotResumable | None:
    """What the author has to decide before `model` goes on; None if nothing has changed."""
    tokens = known_same(then.tokenizer, now.tokenizer)
    if tokens is not False and known_same(then.model, now.model) is not False:
        return None
    how = {
        True: say("from its last token"),
        False: say("by its text (no token is reused)"),
        None: say("from its last token if it reads the same tokens, else by its text"),
    }[tokens]
    return NotResumable(
        say(
            "This text was begun with another model. Continue once more to go on with {model}, {how}, or "
            "set engine.model back in the settings.",
            model=model,
            how=how,
        )
    )


async def same_tokens(engine: Engine, then: Fingerprint, saved: Saved) -> bool:
    """Whether the saved ids mean the same to this engine. Asked of the engine itself if no fingerprint tells.

    Raises EngineDied.
    """
    now = engine.facts.fingerprint
    known = known_same(then.tokenizer, now.tokenizer)
    if known is None and not known_same(then.model, now.model):
        return await _reads_the_same(engine, saved)
    return known is not False


async def _reads_the_same(engine: Engine, saved: Saved) -> bool:
    begin = max(0, len(saved.token_ids) - _LOOKED_AT)
    before = saved.ends[begin - 1] if begin else 0
    text = saved.text[before:].strip()
    if not text:
        return False  # nothing to read: the prompt's ids cannot be told either
    try:
        read = from_model(await engine.detokenize(saved.token_ids[begin:]))
    except RequestRefused:
        return False  # ids that it does not have
    return text.strip("\ufffd") in read


def engine_changed(then: Fingerprint, now: Fingerprint) -> str:
    """A sentence if another version or number format of the engine goes on with the same model; else ""."""
    if known_same(then.engine, now.engine) is not False:
        return ""
    return say(
        "This text was begun with {engine}, and {other} goes on: at the very next token, but later "
        "words may fall differently than they would have.",
        engine=then.engine,
        other=now.engine,
    )


def require_same(then: EngineFacts, now: EngineFacts) -> None:
    """After a restart in the middle of a text. Raises EngineError if another model is there now."""
    mine, other = then.fingerprint, now.fingerprint
    changed = known_same(mine.tokenizer, other.tokenizer) is False or known_same(mine.model, other.model) is False
    if changed or then.model != now.model:
        raise EngineError(
            say(
                "The engine came back with another model ({model} instead of {first}). Your text is saved; "
                "start the first one again, or continue to choose.",
                model=now.model,
                first=then.model,
            )
        )
