"""Prompts made by asking an engine: each text is counted once, and a thought that its template opens is closed."""

from __future__ import annotations

from collections.abc import Sequence

from writer.engine.base import ChatMessage
from writer.engine.scripted import Script, ScriptedEngine, prefix_cache
from writer.generation.prompt import ChapterPrompt, chat
from writer.generation.wording import Known
from writer.runtime.engine_wording import EngineWording

PROMPT = ChapterPrompt(chat(["You write."], "Write.", "", ""), "The rain", "# One\n\nThe rain")


class Asked(ScriptedEngine):
    """The scripted engine; its template may end in an open thought, and it notes what it is asked to count."""

    def __init__(self, *, template: bool = True, header: str = "") -> None:
        super().__init__(Script(template=template), prefix_cache(Script()))
        self.header = header
        self.counted: list[str] = []

    async def render(self, messages: Sequence[ChatMessage]) -> tuple[int, ...] | None:
        rendered = await super().render(messages)
        return None if rendered is None else rendered + await super().tokenize(self.header)

    async def tokenize(self, text: str, *, special: bool = False) -> tuple[int, ...]:
        self.counted.append(text)
        return await super().tokenize(text, special=special)


async def said(engine: ScriptedEngine, ids: Sequence[int]) -> str:
    return (await engine.detokenize(ids)).rpartition("<assistant>\n")[2]


async def test_the_prefill_follows_the_rendered_talk() -> None:
    engine = Asked()
    wording = EngineWording(engine)
    assert await said(engine, await wording.ids(PROMPT)) == "The rain"
    assert await wording.note() == ""


async def test_a_thought_that_the_header_opens_is_closed_and_told() -> None:
    for opened in ("<think>\n", "[THINK]", "<seed:think>"):
        engine = Asked(header=opened)
        wording = EngineWording(engine)
        end = opened.strip().replace("<", "</").replace("[", "[/")
        assert await said(engine, await wording.ids(PROMPT)) == f"{opened}\n{end}\n\nThe rain"
        assert "without a thought" in await wording.note()


async def test_without_a_template_the_plain_text_is_sent_with_one_opening_id() -> None:
    engine = Asked(template=False)
    ids = await EngineWording(engine).ids(PROMPT)
    assert ids == await engine.tokenize("# One\n\nThe rain", special=True)


async def test_what_a_model_wrote_keeps_its_ids() -> None:
    engine = Asked()
    odd = await engine.tokenize("T") + await engine.tokenize("he rai") + await engine.tokenize("n")
    ids = await EngineWording(engine).ids(PROMPT, [Known("The rain", odd)])
    assert ids[-len(odd) :] == odd
    assert await said(engine, ids) == "The rain"


async def test_each_text_is_counted_once() -> None:
    engine = Asked()
    wording = EngineWording(engine)
    counts = await wording.counts(["The rain", "", "The rain", "sea"])
    assert list(counts) == [
        len(await ScriptedEngine.tokenize(engine, text)) for text in ("The rain", "", "The rain", "sea")
    ]
    assert list(await wording.counts(["sea"])) == list(counts[3:])
    assert sorted(engine.counted) == ["The rain", "sea"]


async def test_the_templates_own_tokens_are_known() -> None:
    assert 10 < await EngineWording(Asked()).overhead() < 120
