"""Worked examples of rewriting, for models that only continue text. Pure, our own words.

Two of each kind, in English and in Chinese: with one, small models copy it; a third costs tokens and adds little.
"""

from __future__ import annotations

from dataclasses import dataclass

END = "###"
"""What stands behind each example, so that the model's answer ends with it too."""


@dataclass(frozen=True, slots=True)
class Example:
    """A passage before and after; `name` heads the latter."""

    name: str
    before: str
    after: str


_EN_NAMES = {"rewrite": "Rewritten", "shorten": "Shortened", "expand": "Expanded"}
_EN = {
    "rewrite": (
        (
            "The road was very long and it was also very dusty and Anna was tired of walking on it.",
            "The road ran on, white with dust, and Anna had long ago had enough of it.",
        ),
        (
            "He looked at the letter. He was afraid. He did not want to open it.",
            "He looked at the letter as one looks at a dog that may bite, and left it closed.",
        ),
    ),
    "shorten": (
        (
            "The old woman, who had lived in the house by the mill for as long as anyone in the village could "
            "remember, opened the door very slowly, and for a good while she said nothing at all.",
            "The old woman from the house by the mill opened the door and for a while said nothing.",
        ),
        (
            "There was, as far as he was able to tell in the poor light, nobody in the garden, and so he went "
            "back up the stairs, one after the other, and lay down again on his bed.",
            "He saw nobody in the dark garden, went back upstairs and lay down.",
        ),
    ),
    "expand": (
        (
            "The train was late. She waited.",
            "The train was late. The hands of the station clock crept past the hour, and one by one the lamps along "
            "the platform came on. She sat on her suitcase, her collar turned up, and waited.",
        ),
        (
            "They ate in silence.",
            "They ate in silence. Spoons scraped on tin, the fire settled, and once the dog under the table sighed in "
            "its sleep; nobody looked up.",
        ),
    ),
}
_ZH_NAMES = {"rewrite": "改写", "shorten": "缩写", "expand": "扩写"}
_ZH = {
    "rewrite": (
        ("路很长，也很多灰，安娜走得很累。", "路一直往前伸，白茫茫全是灰，安娜早就走够了。"),
        ("他看着信，他很害怕，他不想打开它。", "他望着那封信，像望着一条会咬人的狗，迟迟没有拆开。"),
    ),
    "shorten": (
        (
            "那位从村里人记事起就一直住在磨坊旁边那间屋子里的老太太非常缓慢地打开了门，好一会儿什么话也没有说。",
            "磨坊边的老太太打开门，半晌没有说话。",
        ),
        (
            "在昏暗的光线里，就他所能看到的，花园里没有人，于是他又一级一级走上楼梯，重新躺回床上。",
            "花园里没有人，他上楼躺下了。",
        ),
    ),
    "expand": (
        (
            "火车晚点了。她等着。",
            "火车晚点了。站台的钟早已过了整点，灯一盏一盏亮起来。她坐在箱子上，竖起衣领，静静地等着。",
        ),
        ("他们默默地吃饭。", "他们默默地吃饭。勺子刮着铁碗，火堆塌下去一点，桌下的狗在梦里叹了口气，谁也没有抬头。"),
    ),
}


def examples(kind: str, text: str) -> tuple[Example, ...]:
    """Examples of this kind in the language of the text; none if there are none in it."""
    wide = sum("\u4e00" <= character <= "\u9fff" for character in text)
    kana = any("\u3041" <= character <= "\u30ff" for character in text)
    if kana or (not wide and not text.isascii() and _is_foreign(text)):
        return ()
    names, pairs = (_ZH_NAMES, _ZH) if wide * 3 > len(text) else (_EN_NAMES, _EN)
    return tuple(Example(names[kind], before, after) for before, after in pairs.get(kind, ()))


def _is_foreign(text: str) -> bool:
    """Whether the letters are mostly of a script that English does not use."""
    letters = [character for character in text if character.isalpha()]
    return 2 * sum(character > "\u024f" for character in letters) > len(letters)
