"""A model that repeats itself is stopped at a known token, and no ordinary text is taken for such a loop."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.decoders import ByteLevel as ByteLevelDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer

from writer.generation.loops import CYCLE, SAME, SPAN, LoopWatch
from writer.generation.model import Delta

ENGLISH = """the sea was late and the lamp went out before anyone had said what the letter meant to her father who
stood at the window counting boats as he had done each evening since the storm took the long pier away from them"""
CHINESE = "海水漫过石阶，灯塔在雾中亮了一下又暗了。她把信折好，放进抽屉里，没有再看第二眼。父亲站在窗前数着归来的船只"


def table(rows: int, cells: int) -> str:
    head = "|" + " name |" * cells + "\n|" + " --- |" * cells + "\n"
    return head + "".join("|" + "".join(f" {(r * c) % 7} |" for c in range(cells)) + "\n" for r in range(rows))


SAMPLES = {
    "prose": " ".join([ENGLISH] * 6),
    "Chinese prose": CHINESE * 8,
    "a list": "".join(f"- item {n}: {word}\n" for n, word in enumerate(ENGLISH.split() * 3)),
    "a list to tick off": "- [ ] to do\n- [ ] to buy\n- [x] done\n" * 10,
    "a table": table(40, 5),
    "a table of noughts": table(1, 6) + "| 0 | 0 | 0 | 0 | 0 | 0 |\n" * 20,
    "an empty form": "| name | date | sign |\n| --- | --- | --- |\n" + "|  |  |  |\n" * 25,
    "laughter": "“Ha ha ha ha ha ha ha ha ha!” he went. " * 4 + "哈哈哈哈哈哈哈哈哈哈哈哈！" * 3,
    "a refrain": "Row, row, row your boat, gently down the stream.\n" * 12,
    "All work and no play": "All work and no play makes Jack a dull boy.\n" * 60,
    "rules": ("A\n" + "-" * 78 + "\n" + "=" * 78 + "\n" + "* * *\n") * 8,
    "contents": "".join(f"Chapter {n} {'.' * 50} {n * 11}\n" for n in range(1, 30)),
    "figures": "".join(f"{n}.{n * 37 % 1000:03} " for n in range(300)) + "1" + "0" * 30,
}


def learned() -> Tokenizer:
    """A tokenizer of the usual kind, made from these very samples: bytes, joined by frequency."""
    made = Tokenizer(BPE())
    made.pre_tokenizer = ByteLevel(add_prefix_space=False)
    made.decoder = ByteLevelDecoder()
    made.train_from_iterator(SAMPLES.values(), BpeTrainer(vocab_size=700, show_progress=False))
    return made


TOKENIZER = learned()


def kept(token_ids: list[int], batch: int = 7) -> tuple[int, bool]:
    """How many tokens are let through, and whether it was called a loop."""
    watch, count = LoopWatch(), 0
    for at in range(0, len(token_ids), batch):
        ids = tuple(token_ids[at : at + batch])
        ends = tuple(range(1, len(ids) + 1))
        count += len(watch.clip(Delta(ids, "x" * len(ids), ends)).token_ids)
        if watch.looping:
            break
    return count, watch.looping


@pytest.mark.parametrize("name", SAMPLES)
def test_ordinary_text_is_no_loop(name: str) -> None:
    assert not kept(TOKENIZER.encode(SAMPLES[name]).ids)[1]


WORDS = st.sampled_from(
    [*ENGLISH.split(), *CHINESE, "——", "…", "哈", "ha", "0", "17", "|", "-", "- [ ]", "\n", "\n\n", "*"]
)


LINES = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)


@settings(max_examples=200)
@given(st.lists(LINES, min_size=1, max_size=25, unique=True), st.integers(1, 6))
def test_text_of_any_kind_is_no_loop(lines: list[str], times: int) -> None:
    """Lines of words, signs and cells, each of them said up to six times in a row."""
    text = "\n".join(line for line in lines for _ in range(times))
    assert not kept(TOKENIZER.encode(text).ids)[1]


@given(st.lists(st.integers(0, 50), max_size=300), st.integers(0, 50), st.integers(1, 40))
def test_one_token_for_ever_is_stopped_after_48(before: list[int], token: int, batch: int) -> None:
    if kept(before)[1]:
        return
    already = next((n for n, earlier in enumerate(reversed(before)) if earlier != token), len(before))
    assert kept(before + [token] * 500, batch) == (len(before) - already + SAME, True)


@given(st.lists(st.integers(0, 9), min_size=2, max_size=CYCLE), st.integers(1, 40))
def test_a_few_tokens_over_and_over_are_stopped_within_200(cycle: list[int], batch: int) -> None:
    count, looping = kept(list(range(100, 160)) + cycle * 200, batch)
    assert looping
    assert count <= 60 + SPAN


@given(st.lists(st.integers(0, 3), min_size=SAME, max_size=600))
def test_it_is_what_it_says(ids: list[int]) -> None:
    """Against the definition, counted the slow way."""

    def looped(seen: list[int]) -> bool:
        same = len(seen) >= SAME and len(set(seen[-SAME:])) == 1
        return same or any(
            len(seen) >= SPAN and all(a == b for a, b in zip(seen[-SPAN:-p], seen[p - SPAN :], strict=True))
            for p in range(2, CYCLE + 1)
        )

    first = next((n for n in range(len(ids) + 1) if looped(ids[:n])), None)
    assert kept(ids) == ((first, True) if first else (len(ids), False))


def test_the_text_before_the_loop_is_kept_to_the_character() -> None:
    delta = Delta((1, *[0] * 60), "So" + "!" * 60, (2, *range(3, 63)), "stop")
    clipped = LoopWatch().clip(delta)
    assert clipped == Delta((1, *[0] * SAME), "So" + "!" * SAME, (2, *range(3, 3 + SAME)))
