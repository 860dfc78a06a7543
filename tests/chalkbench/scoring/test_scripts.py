import pytest

from chalkbench.scoring.scripts import language_of, units


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Das KI-Modell", ["Das", "KI", "Modell"]),
        ("don't", ["don", "t"]),
        ("学习 AI模型", ["学", "习", "AI", "模", "型"]),
        ("ニューラル", list("ニューラル")),
        ("신경망은", list("신경망은")),
        ("الشبكة العصبية، نعم", ["الشبكة", "العصبية", "نعم"]),
        ("нейронная сеть!", ["нейронная", "сеть"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("ที่นี่", ["ที่", "นี่"]),
        ("", []),
        ("«…» — ", []),
    ],
)
def test_words_where_a_script_has_spaces_and_characters_where_not(text, found):
    assert units(text) == found


@pytest.mark.parametrize(("code", "language"), [("zh", "zh"), ("zh-Hans", "zh"), ("pt_BR", "pt"), (" DE ", "de")])
def test_a_code_is_read_without_region_and_script(code, language):
    assert language_of(code) == language


@pytest.mark.parametrize("code", ["", "Chinese", "z", "中文"])
def test_what_is_no_code_is_an_error_that_says_what_one_is(code):
    with pytest.raises(ValueError, match="expected an ISO 639-1 code"):
        language_of(code)
