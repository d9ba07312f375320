"""The tokenizer ``moses`` gives the tokens of Moses' own script.

Expected values: scripts/tokenizer/tokenizer.perl of github.com/moses-smt/mosesdecoder at commit 3445289 (2025), Perl
5.36, with ``-no-escape -l LANGUAGE -q``.
"""

from __future__ import annotations

import pytest

from mtassay.text import get_tokenizer

LINES = [
    (
        "en",
        "今天天气很好，我们去公园散步吧！价格是3.50元（约合0.5美元）。",
        "今天天气很好 ， 我们去公园散步吧 ！ 价格是3.50元 （ 约合0.5美元 ） 。",
    ),
    (
        "en",
        "他说：“2023年第1季度，GDP增长了4.5%。”——真的吗？",
        "他说 ： “ 2023年第1季度 ， GDP增长了4.5 % 。 ” — — 真的吗 ？",
    ),
    ("en", "𠀀𪛖 rare 龦 ideographs, ⾡ \u3000 ＡＢＣ１２３", "𠀀𪛖 rare 龦 ideographs , ⾡ ＡＢＣ１２３"),
    (
        "en",
        "東京は日本の首都です。人口は約1,400万人、面積は2,194km²だ。",
        "東京は日本の首都です 。 人口は約1,400万人 、 面積は2,194km ² だ 。",
    ),
    ("en", "「すみません」と彼女は言った…ｶﾀｶﾅも混ぜる。", "「 すみません 」 と彼女は言った … ｶﾀｶﾅも混ぜる 。"),
    (
        "en",
        "나는 어제 친구와 함께 3.5km를 걸었다. 정말 좋았어요!",
        "나는 어제 친구와 함께 3.5km를 걸었다 . 정말 좋았어요 !",
    ),
    ("en", "서울의 인구는 약 9,400,000명이다(2023년 기준).", "서울의 인구는 약 9,400,000명이다 ( 2023년 기준 ) ."),
    ("en", "«Bonjour», dit-il : 1 234,56 € !", "« Bonjour » , dit-il : 1 234,56 € !"),
    ("en", ".5 is less than 1. But 10-20, 3-D and 5.", ".5 is less than 1 . But 10-20 , 3-D and 5 ."),
    ("en", "naïve café — “quoted” ‘text’ №5 ½ ٣٫٥ १२३।", "naïve café — “ quoted ” ‘ text ’ № 5 ½ ٣ ٫ ٥ १२३ ।"),
    ("en", "", ""),
    ("en", " ", ""),
    ("en", ".", "."),
    (
        "en",
        "Mr. O'Neill's <b>U.S.</b> trip... cost $5,000 & more.",
        "Mr. O 'Neill 's < b > U.S. < / b > trip ... cost $ 5,000 & more .",
    ),
    ("en", "The meeting starts at 8 p.m.", "The meeting starts at 8 p.m ."),
    ("en", "See www.kpks.cz.", "See www.kpks.cz ."),
    ("en", "It was No. 5, Mr. Smith said at 5 p.m. yesterday.", "It was No. 5 , Mr. Smith said at 5 p.m. yesterday ."),
    ("en", 'He said "at 5 p.m."', 'He said " at 5 p.m. "'),
    ("en", "They came from the U.S. etc.", "They came from the U.S. etc ."),
    ("en", "Wait...", "Wait ..."),
    ("en", "I want to die.'", "I want to die . '"),
    ("en", "The price is 3.5.", "The price is 3.5 ."),
    ("en", "Beijing (北京) and 東京タワー, 서울.", "Beijing ( 北京 ) and 東京タワー , 서울 ."),
    ("de", "Das Spiel endete am 25.", "Das Spiel endete am 25 ."),
    ("de", "Er wohnt in der Yard St.", "Er wohnt in der Yard St ."),
    ("cs", "Navštivte www.kpks.cz.", "Navštivte www.kpks.cz ."),
    ("cs", "Nemám čas.", "Nemám čas ."),
    ("fr", "Il habite aux États-Unis, à l'est de N.Y.", "Il habite aux États-Unis , à l' est de N.Y ."),
    ("es", "Vive en los EE.UU.", "Vive en los EE.UU ."),
    ("ru", "Он заработал 20 млрд.", "Он заработал 20 млрд ."),
    (
        "fi",
        "Palkansaajajärjestöjen SAK:n ja YK:n johtajat, kello 12:30: EU:N kokous.",
        "Palkansaajajärjestöjen SAK:n ja YK:n johtajat , kello 12 : 30 : EU : N kokous .",
    ),
    ("sv", "USA:s president, klockan 12:30 i S:t Petersburg.", "USA:s president , klockan 12 : 30 i S:t Petersburg ."),
    ("ca", "L'ull de la col·legiala.", "L' ull de la col·legiala ."),
    ("ga", "d'ól sé 'sa teach'.", "d' ól sé ' sa teach ' ."),
    ("it", "l'aria dell'Italia, ecc.", "l' aria dell' Italia , ecc ."),
    ("zh", "你好，世界。Moses 很好！", "你好 ， 世界 。 Moses 很好 ！"),
]


@pytest.mark.parametrize(("language", "line", "expected"), LINES)
def test_tokens(language: str, line: str, expected: str) -> None:
    pytest.importorskip("sacremoses")
    assert get_tokenizer(f"moses-{language}")(line) == expected.split()


def test_corrections_are_part_of_the_signature() -> None:
    version = pytest.importorskip("sacremoses").__version__
    assert get_tokenizer("moses").signature == f"moses-{version}+1-en"
