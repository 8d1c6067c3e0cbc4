"""The two novels in the pictures: written for them, and fixed, so that every run paints the same."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Novel:
    """Titles of its chapters in order, and the texts of those that are shown."""

    title: str
    language: str
    chapters: tuple[str, ...]
    texts: dict[int, str]
    """Number of the chapter → its text."""


_FORTY_POLES = """\
# Forty Poles

Old Anselm had walked the line before her, and before Anselm his uncle, who had gone up one February with a new coil \
on his back and come down in May. Nobody in the village told the story that way. They said that the uncle had kept \
bees.

“You count them aloud,” Anselm said on her first day. “Every pole, up and back. Not because you will forget a pole. \
Because one day the number will not come out, and you will want to have been listening.”

So she counted. The first ten stood among the orchards, silver and dry, with swallows on them. From eleven to \
twenty-six the line ran through the beech wood, where Anselm had cut the numbers into the nearest trees as well, in \
case the poles were ever stolen. “Who would steal a pole?” she asked, and Anselm looked at her as one looks at a \
child who has asked why the dead are buried.

Above the wood there was only stone. By the end of that summer she could tell with her eyes shut where on the \
mountain she was, for every pole had its own note; by the end of the next, Anselm no longer went with her, but sat \
at the window of the lamp room with his bad leg on a chair and the receiver in his lap, and listened to her climb.

On the last dry day of September she came down and told him that there were forty-one.
"""

_THE_WIRE = """\
# What the Wire Said

The line came down in the night between the thirty-first pole and the thirty-second, and by morning the wind had \
drifted the break so deep that Ilse crossed it twice before her boot struck copper.

She knelt and dug with her hands. It is a strange thing to hold the end of a wire that has carried other people’s \
news for nineteen years: births, mostly, and the price of timber, and once, in the spring of the flood, a single word \
repeated until the battery failed. She scraped it bright, clipped the test set to it and put the receiver to her ear, \
expecting nothing. There was nothing above her now but the closed hotel and the pass.

Somebody was sending.

"""

GENERATED = """\
Not a fault, and not the wind playing on the slack. A hand: slow, a little heavy on the dashes, the way her father \
had sent when he was tired. She did not touch the key. She crouched in the lee of the drift with the receiver \
freezing to her cheek, let the message come round again, and wrote it down on the inside of her glove, because there \
was nowhere else to write. *Ilse. Do not mend it. They are using it to count us.*

Up at the hotel a shutter swung open, and stayed open. Nobody had slept there since October. She looked at the knife, \
and at the wire, and for the first time in her life she wished that the"""
"""What streams in behind the third chapter."""

STOPPED_AT = "and at the wire,"
"""Where a crash has cut it short in another picture."""

WINTER_LINE = Novel(
    title="The Winter Line",
    language="en",
    chapters=("The Last Train Up", "Forty Poles", "What the Wire Said", "The Lamp Room", "A Guest in March", "Thaw"),
    texts={2: _FORTY_POLES, 3: _THE_WIRE},
)

THE_CALM_ONE = "他没有慌。"
"""The paragraph that has the focus."""

_A_QUARTER_PAST_THREE = f"""\
# 三点一刻

钟停在三点一刻的那天，巷子里没有人听见。陈师傅照旧六点起床，烧水，把昨夜拆开的擒纵轮一枚一枚摆回绒布上，等到第一壶茶喝完，\
才觉得屋里少了什么。

少的是声音。墙上十七口钟，都不走了。

{THE_CALM_ONE}修了四十年的钟，他知道一口钟停了是毛病，十七口钟一起停了，是有人来过。他把窗子推开一条缝，雨气漫进来，带着河泥\
和桂花的味道。对面药铺的招牌还在滴水，掌柜的女儿蹲在檐下数铜钱，数到一半，抬起头来看他。

“陈伯，”她说，“昨晚那位客人，后来拿到表了吗？”

“哪位客人？”

“打黑伞的那位。他在您门口站了半个时辰，手里捧着一块怀表，像捧着一只快要死的鸟。”

陈师傅转过身去。柜台上果然有一块怀表，表盖朝下，压着一张裁得极齐的纸。纸上只写了一个时间，没有日期，也没有名字。

他伸手去拿，又缩了回来。表壳是热的。
"""

CLOCKMAKER = Novel(
    title="南门外的钟匠",
    language="zh",
    chapters=("桂花巷", "三点一刻", "打黑伞的客人", "借来的发条", "河水退去以后"),
    texts={2: _A_QUARTER_PAST_THREE},
)
