"""Every error a writer may see. Each carries one plain sentence that ends in the next step.

    WriterError
    ├── ConfigError
    ├── ManuscriptError
    │   ├── NotAManuscript · ManuscriptLocked · ForeignOwner
    │   └── ChapterUnreadable · ChapterChangedOnDisk · SaveFailed
    ├── EngineError
    │   ├── EngineStartFailed · ModelUnusable · EngineBusy
    │   ├── EngineDied (the text so far is safe; start again and resume) ── EngineSilent
    │   ├── ModelRepeats
    │   └── RequestRefused ── PromptTooLong
    ├── ExchangeError
    └── StorageError
        ├── StateFull · StateReadOnly · StateLocked · StateDamaged · StateTooNew
        └── BatchOutOfOrder · NotResumable

Foreign exceptions are translated once, at the door of the room that owns the dependency.
"""

from __future__ import annotations


class WriterError(Exception):
    """Base of all. `str(error)` is the sentence for the screen; `detail` goes to the log only."""

    def __init__(self, sentence: str, *, detail: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.detail = detail


class ConfigError(WriterError):
    """A settings file cannot be read, or a value in it is wrong."""


class ManuscriptError(WriterError):
    """Something is wrong with the manuscript's folder."""


class NotAManuscript(ManuscriptError):
    """The folder is missing, or has no writer.toml."""


class ManuscriptLocked(ManuscriptError):
    """Another window writes in this manuscript."""


class ForeignOwner(ManuscriptError):
    """The folder belongs to another user."""


class ChapterUnreadable(ManuscriptError):
    """A chapter cannot be read or is not UTF-8."""


class ChapterChangedOnDisk(ManuscriptError):
    """Another program changed the chapter since we read it."""


class SaveFailed(ManuscriptError):
    """A chapter could not be written; the old file is whole."""


class EngineError(WriterError):
    """The engine cannot do what was asked."""


class EngineStartFailed(EngineError):
    """The engine did not become ready."""


class ModelUnusable(EngineStartFailed):
    """The model folder is missing, incomplete or refused."""


class EngineBusy(EngineError):
    """Another engine holds the machine."""


class EngineDied(EngineError):
    """The engine stopped or fell silent in the middle of a stream. The saved text is complete."""


class EngineSilent(EngineDied):
    """No token came for too long. The engine may still live: only a token would prove it."""


class ModelRepeats(EngineError):
    """The model has begun to repeat itself and was stopped. The saved text is complete."""


class RequestRefused(EngineError):
    """The engine answered with a client error (4xx)."""


class PromptTooLong(RequestRefused):
    """The prompt does not fit the model's window."""


class ExchangeError(WriterError):
    """A book could not be exported or imported; nothing of it has been made or changed."""


class StorageError(WriterError):
    """The state database cannot do what was asked."""


class StateFull(StorageError):
    """No space, or an I/O error: nothing was written, and a retry may succeed."""


class StateReadOnly(StorageError):
    """The state folder cannot be written."""


class StateLocked(StorageError):
    """Another process holds the state database."""


class StateDamaged(StorageError):
    """The database is corrupt, or its checksums do not hold."""


class StateTooNew(StorageError):
    """The database was written by a newer version of writer."""


class BatchOutOfOrder(StorageError):
    """A batch leaves a gap, repeats another with other content, or rewinds shown text."""


class NotResumable(StorageError):
    """This generation cannot go on (finished, failed, or made with another tokenizer)."""
