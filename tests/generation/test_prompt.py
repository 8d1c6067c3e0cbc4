"""The prompt: the chapter is the open assistant turn, the instruction stands last."""

from __future__ import annotations

from writer.generation.prompt import chapter_prompt


def test_the_chapter_so_far_is_the_open_turn() -> None:
    prompt = chapter_prompt(
        manuscript_title="Salt", chapter_title="One", language="en", text="It was", instruction="rain"
    )
    assert [m.role for m in prompt.messages] == ["system", "user"]
    assert prompt.prefill == "It was"
    assert prompt.messages[-1].content.endswith("rain")
    assert "English" in prompt.messages[0].content


def test_a_base_model_gets_a_heading_to_begin_with() -> None:
    empty = chapter_prompt(manuscript_title="盐", chapter_title="第一章", language="zh", text="")
    assert empty.plain == "# 第一章\n\n"
    assert "Chinese" in empty.messages[0].content
