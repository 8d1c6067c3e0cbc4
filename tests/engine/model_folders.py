"""Small model folders without weights: a real template's form, and a tokenizer with its special tokens, made here."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

TEMPLATES = Path(__file__).parent / "templates"
SCRIPTS = (
    "The keeper walked down to the harbour, and the rain began again. She said nothing. “Who lit the lamp?”\n\n"
    "第三章\n\n雨下了一夜。老船长站在灯塔下，想着那封没有寄出的信。她说：“回来吧。”\n\n"
    "บทที่สาม\n\nฝนตกทั้งคืน กัปตันเฒ่ายืนอยู่ใต้ประภาคาร คิดถึงจดหมายที่ไม่เคยส่ง\n\n"
    "🌊🌊 👩‍👩‍👧 came home 🕯️ naïve café … — and 🇳🇴 was gone.\n\n"
)


@dataclass(frozen=True)
class Family:
    """What belongs to one template: its special tokens, and what opens and ends a prompt."""

    bos: str
    eos: str
    special: tuple[str, ...]
    header: str  # of an answer
    metaspace: bool = False  # a tokenizer in the manner of SentencePiece, which puts a space before a text
    plain: tuple[str, ...] = ()  # added tokens that show their text


_IM = ("<|im_start|>", "<|im_end|>", "<|endoftext|>")
_THINK = ("<think>", "</think>")
FAMILIES = {
    "smollm2": Family("<|im_start|>", "<|im_end|>", _IM, "<|im_start|>assistant\n"),
    "chatml": Family("<|endoftext|>", "<|im_end|>", _IM, "<|im_start|>assistant\n"),
    "llama3": Family(
        "<|begin_of_text|>",
        "<|eot_id|>",
        ("<|begin_of_text|>", "<|eot_id|>", "<|start_header_id|>", "<|end_header_id|>"),
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
    ),
    "mistral": Family("<s>", "</s>", ("<s>", "</s>", "[INST]", "[/INST]"), "[/INST]", metaspace=True),
    "gemma": Family("<bos>", "<eos>", ("<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>"), "<start_of_turn>model\n"),
    "qwen3": Family("", "<|im_end|>", _IM, "<|im_start|>assistant\n", plain=_THINK),
    "qwen3_thinking": Family("", "<|im_end|>", _IM, "<|im_start|>assistant\n", plain=_THINK),
    "r1": Family(
        "<｜begin▁of▁sentence｜>",
        "<｜end▁of▁sentence｜>",
        ("<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>"),
        "<｜Assistant｜>",
        plain=_THINK,
    ),
    "harmony": Family(
        "<|startoftext|>",
        "<|return|>",
        ("<|startoftext|>", "<|return|>", "<|start|>", "<|end|>", "<|message|>", "<|channel|>"),
        "<|start|>assistant",
    ),
}


def model_folder(folder: Path, name: str, template: str | None = None) -> Path:
    """Tokenizer, its settings, and the template of that name (or the one given; "" is none)."""
    family = FAMILIES[name]
    folder.mkdir(parents=True, exist_ok=True)
    _tokenizer(family).save(str(folder / "tokenizer.json"))
    tokens = {"bos_token": family.bos, "eos_token": family.eos}
    (folder / "tokenizer_config.json").write_text(json.dumps({key: value for key, value in tokens.items() if value}))
    source = (TEMPLATES / f"{name}.jinja").read_text(encoding="utf-8") if template is None else template
    if source:
        (folder / "chat_template.jinja").write_text(source, encoding="utf-8")
    return folder


def _tokenizer(family: Family) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(byte_fallback=family.metaspace, unk_token="<unk>" if family.metaspace else None))
    if family.metaspace:
        tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
        decoding = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
        tokenizer.decoder = decoders.Sequence(decoding)
        alphabet = [f"<0x{value:02X}>" for value in range(256)]
        trainer = trainers.BpeTrainer(vocab_size=700, special_tokens=["<unk>", *alphabet], limit_alphabet=120)
    else:
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
        trainer = trainers.BpeTrainer(vocab_size=700, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([SCRIPTS], trainer)
    tokenizer.add_special_tokens([AddedToken(each, special=True, normalized=False) for each in family.special])
    tokenizer.add_tokens([AddedToken(each, normalized=False) for each in family.plain])
    if family.bos:
        bos = tokenizer.token_to_id(family.bos)
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{family.bos} $A", special_tokens=[(family.bos, bos)]
        )
    return tokenizer
