"""Facts that the writing thread reports, in the past tense. Plain values: any front end can take them."""

from __future__ import annotations

from dataclasses import dataclass, field

from writer.config import Settings
from writer.engine.base import EngineFacts, EngineStatus
from writer.generation.model import StopCause
from writer.generation.plan import Plan
from writer.runtime.alternatives_found import Alternatives
from writer.runtime.chapter_events import ArrangeRefused as ArrangeRefused
from writer.runtime.chapter_events import ChapterMerged as ChapterMerged
from writer.runtime.chapter_events import ChaptersArranged as ChaptersArranged
from writer.runtime.chapter_events import ChapterSaved as ChapterSaved
from writer.runtime.chapter_events import SaveRefused as SaveRefused
from writer.runtime.recalling import ThoughtFound as ThoughtFound
from writer.runtime.rewriting import PassageLost as PassageLost
from writer.runtime.rewriting import PassageRecalled as PassageRecalled
from writer.runtime.rewriting import PassageRewritten as PassageRewritten
from writer.runtime.summary_events import SummaryStopped as SummaryStopped
from writer.runtime.summary_events import SummaryWritten as SummaryWritten
from writer.runtime.takes import Take
from writer.runtime.tracing import GenerationTold as GenerationTold
from writer.runtime.tracing import OriginsFound as OriginsFound


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that was interrupted and can go on. The chapter file already holds all of its text."""

    generation: str
    chapter: str
    cause: StopCause | None
    truncated: bool  # stopped at its token limit
    stopped_at: float  # UTC seconds
    words: int
    tokens: int
    last_sentence: str
    start: int  # characters: where the generated text begins in the chapter, as saved
    end: int  # where the next token's text belongs
    intact: bool  # chapter[start:end] is exactly the generated text
    note: str = ""  # one sentence if recovery had something to say ("chapter was changed by another program…")
    characters: int = -1  # of the generation's whole text, all of which the chapter file holds; -1: end - start
    role: str = "text"  # others stand beside the chapter: start and end are the place that they are meant for
    parent: str = ""
    parent_tokens: int = 0
    thinking: bool = False  # it stands inside its thought


@dataclass(frozen=True, slots=True)
class DeskOpened:
    """The state is open and recovered. Chapters may be read now."""

    offers: tuple[Offer, ...]
    engine: EngineStatus
    notes: tuple[str, ...] = ()  # sentences from recovery (missing -wal, salvage, …)
    asides: tuple[Offer, ...] = ()  # texts beside the chapters that can go on


@dataclass(frozen=True, slots=True)
class EngineProgressed:
    """The engine starts, is ready, or has failed. May be dropped when the screen is slow."""

    status: EngineStatus


@dataclass(frozen=True, slots=True)
class EngineAttached:
    """An engine is ready for requests."""

    facts: EngineFacts
    warm: bool  # it was already running


@dataclass(frozen=True, slots=True)
class PromptPlanned:
    """What will be sent to write on in this chapter, and what of it is left out. Told before anything is sent."""

    chapter: str
    plan: Plan


@dataclass(frozen=True, slots=True)
class PromptShown:
    """What would be sent for this chapter now; nothing was. Without a plan, `why` says what is missing."""

    chapter: str
    plan: Plan | None
    request: str = field(default="", repr=False)  # as the model reads it
    tokens: int = 0  # of the request
    cached: int = 0  # tokens of its beginning that the engine has read last, in whole blocks of its prefix cache
    why: str = ""


@dataclass(frozen=True, slots=True)
class GenerationStarted:
    """A segment begins. `cached_tokens` is the engine's own count for the prompt of this segment."""

    generation: str
    chapter: str
    prompt_tokens: int  # of this segment: stored prompt + tokens kept
    cached_tokens: int
    resumed_from: int  # generated tokens already saved
    start: int  # characters: where the generation's text begins in the chapter
    end: int  # where its next text belongs
    seconds: float  # what the probe took
    thinking: bool = False  # it is inside its thought


@dataclass(frozen=True, slots=True)
class AsideBegun:
    """A text beside the chapter is begun; GenerationStarted, BatchCommitted and the others of its id follow.

    Their offsets count from 0: its text stands in no chapter.
    """

    tag: str  # of the order; "" where one goes on
    generation: str
    chapter: str
    role: str
    number: int  # from 1
    count: int  # that were ordered together


@dataclass(frozen=True, slots=True)
class BatchCommitted:
    """A batch is on disk. Never dropped, never reordered: `ordinal` counts up by one."""

    generation: str
    ordinal: int
    token_ids: tuple[int, ...]
    text: str
    tokens: int  # generated so far, in all
    thinking: bool = False  # it belongs to a thought, and shows nothing in the text
    thought: str = field(default="", repr=False)  # what the thought says more, to be shown apart


@dataclass(frozen=True, slots=True)
class CommitDelayed:
    """The disk refuses a commit. Nothing shown is lost; the same batch is tried again."""

    generation: str
    sentence: str


@dataclass(frozen=True, slots=True)
class CommitRecovered:
    """The delayed commit went through."""

    generation: str


@dataclass(frozen=True, slots=True)
class GenerationPaused:
    """Stopped by the author's key; the prefix cache is warm."""

    generation: str
    tokens: int
    chapter: str = ""  # told where its beginning may not have been


@dataclass(frozen=True, slots=True)
class GenerationInterrupted:
    """The engine stopped. The text is safe. `retrying` says that it is restarted and goes on by itself."""

    generation: str
    tokens: int
    sentence: str
    retrying: bool


@dataclass(frozen=True, slots=True)
class GenerationFinished:
    """A finish reason was seen: "stop" (the model ended), or "length" (the token limit: can go on)."""

    generation: str
    tokens: int
    reason: str


@dataclass(frozen=True, slots=True)
class GenerationFailed:
    """Nothing can be written now; `sentence` says why and what to do."""

    generation: str  # "" if none was begun
    tokens: int
    sentence: str
    chapter: str = ""  # told where its beginning may not have been
    tag: str = ""  # of an AsideOrder that was not begun


@dataclass(frozen=True, slots=True)
class TakesListed:
    """The texts of a chapter, in it and beside it, as a tree."""

    chapter: str
    takes: tuple[Take, ...]


@dataclass(frozen=True, slots=True)
class TakeChosen:
    """A text beside the chapter is the author's choice, and is sealed; those written with it are kept."""

    generation: str
    kept: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChoiceUndone:
    """A text that was chosen is out of the chapter again. It is kept."""

    generation: str


@dataclass(frozen=True, slots=True)
class Noted:
    """Something that the author should know, and need not act on."""

    sentence: str


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    """A settings file was changed: this holds now. `engine_too`: the engine goes on as it was until its next start."""

    settings: Settings
    engine_too: bool


@dataclass(frozen=True, slots=True)
class SettingsRefused:
    """A settings file was changed, and something in it is wrong: what held before goes on to hold."""

    sentence: str


@dataclass(frozen=True, slots=True)
class LeaveAsked:
    """Another window wants to write in this manuscript: save all, close the desk, and only read from then on."""

    process: int


Event = (
    DeskOpened
    | EngineProgressed
    | EngineAttached
    | PromptPlanned
    | PromptShown
    | GenerationStarted
    | AsideBegun
    | BatchCommitted
    | CommitDelayed
    | CommitRecovered
    | GenerationPaused
    | GenerationInterrupted
    | GenerationFinished
    | GenerationFailed
    | TakesListed
    | PassageRewritten
    | PassageRecalled
    | PassageLost
    | OriginsFound
    | Alternatives
    | GenerationTold
    | ThoughtFound
    | TakeChosen
    | ChoiceUndone
    | Noted
    | ChapterSaved
    | ChapterMerged
    | ChaptersArranged
    | ArrangeRefused
    | SettingsChanged
    | SettingsRefused
    | SummaryWritten
    | SummaryStopped
    | LeaveAsked
    | SaveRefused
)
