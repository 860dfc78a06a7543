import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chalkbench.scoring.key_terms import Text, alternatives, found_terms, fraction_found
from chalkbench.scoring.term_text import BREAK, tokens


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("EIGENVALUES and eigen-vectors of Matrices", ["eigenvalue", "Eigenvector", "matrix"]),
        ("the vertices, indices, analyses and hypotheses", ["vertex", "index", "analysis", "hypothesis"]),
        (
            "bases, gases, biases, lenses, classes, batteries",
            ["basis", "base", "gas", "bias", "lens", "class", "battery"],
        ),
        (
            "spectra, radii, criteria, formulae and a phenomenon",
            ["spectrum", "radius", "criterion", "formula", "phenomena"],
        ),
        ("back propagation in a dataset; kmeans; an X-ray", ["backpropagation", "data set", "k-means", "xray"]),
        ("a 3 × 3 convolution in ResNet-50, 1,000 samples", ["3x3 convolution", "ResNet50", "1000 samples"]),
        ("Newton's laws, Bayes’ theorem, Bayes's rule", ["Newton law", "Bayes theorem", "Bayes rule", "Newton's law"]),
        ("the Schrödinger equation, a Poincare map", ["Schrodinger equation", "Poincaré map"]),
        ("in $O(n\\log n)$, with $E = mc^{2}$ and $x_i$", ["O(n log n)", "E=mc²", "E=mc^2", "x_{i}"]),
        ("$\\frac{a}{b}$ and $\\mathbf{W}$, \\textbf{gradient} descent", ["a/b", "W", "gradient descent"]),
        ("$\\lambda$-calculus, an α-helix", ["lambda calculus", "λ calculus", "alpha helix", "\\alpha helix"]),
        (
            "**Gradient** *descent*, `learning_rate`, H<sub>2</sub>O",
            ["gradient descent", "learning rate", "H2O", "H₂O"],
        ),
        ("U.S. law", ["US law"]),
        (
            "Convolutional neural networks. Also SVMs.",
            ["Convolutional Neural Network (CNN)", "Support Vector Machine (SVM)"],
        ),
    ],
)
def test_case_hyphens_plural_and_latex_do_not_matter(text, terms):
    assert dict(zip(terms, found_terms(text, terms), strict=True)) == dict.fromkeys(terms, True)


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("overfitting", "fitting"),
        ("dynamic programming", "dynamics"),
        ("the neural. Network layer", "neural network"),
        ("gradient, descent", "gradient descent"),
        ("in C++ and C#", "C"),
        ("it is an and of or", "IT"),
        ("it is an and of or", "AND gate"),
        ("a set", "A"),
        ("a set R", "r"),
        ("A search", "A* search"),
        ("it goes on", "O(n)"),
        ("Lösung", "Losüng"),
        ("", "term"),
        ("a text", ""),
        ("a text.", "..."),
    ],
)
def test_what_only_looks_like_a_term_is_none(text, term):
    assert found_terms(text, [term]) == [False]


def test_a_name_that_is_a_common_word_counts_in_its_own_case():
    assert found_terms("An AND gate in IT, the set R, in C++ and C#.", ["AND", "IT", "R", "C++", "C#"]) == [True] * 5


SCRIPTS = {
    "de": (
        "Die Funktionen, Lösungen und der Gradientenabstieg",
        ["Funktion", "Lösung", "Gradientenabstiegs"],
        ["Matrix"],
    ),
    "fr": ("Les réseaux de neurones et l’énergie cinétique", ["réseau de neurones", "énergie cinétique"], ["champ"]),
    "es": ("Las funciones y las redes neuronales", ["función", "red neuronal"], ["matriz"]),
    "ru": ("Метод градиентного спуска для матриц", ["градиентный спуск", "матрица"], ["регрессия"]),
    "el": ("Η παράγωγος και το ολοκλήρωμα", ["παράγωγος", "παραγωγος", "Ολοκλήρωμα"], ["πίνακας"]),
    "ar": (
        "ويُستخدم التَّعلُّم الآلي في الشبكات العصبية، وبالتدرج والمصفوفات مع استطالته",
        ["تعلم آلي", "التعلم الآلي", "شبكة عصبية", "تدرج", "مصفوفة", "استطالة"],
        ["انحدار"],
    ),
    "he": ("הרשת הנוירונית והמטריצה", ["רשת", "מטריצה"], ["גרדיאנט"]),
    "hi": ("तंत्रिका नेटवर्क और मशीन लर्निंग", ["तंत्रिका नेटवर्क", "मशीन लर्निंग"], ["प्रवणता"]),
    "zh": ("卷积神经网络（CNN）用BERT模型。行。列", ["神经网络", "CNN", "BERT", "卷积 神经网络"], ["行列", "回归"]),
    "ja": (
        "ニューラルネットワークとコンピューター・サイエンス、コンテストのセルロース。機械学習",
        ["ネットワーク", "コンピュータサイエンス", "コンピュータ", "機械学習"],
        ["テスト", "セル", "深層学習"],
    ),
    "ko": (
        "인공 신경망은 행렬식을 구하고, AI는 경사 하강법입니다",
        ["신경망", "인공신경망", "행렬식", "AI", "경사하강법"],
        ["행렬", "망", "회귀"],
    ),
    "th": ("โครงข่ายประสาทเทียมใช้การเรียนรู้ของเครื่อง", ["โครงข่ายประสาทเทียม", "การเรียนรู้ของเครื่อง"], ["เกรเดียนต์"]),
    "fa": ("شبکه‌های عصبی", ["شبکه عصبی"], ["یادگیری"]),
}


@pytest.mark.parametrize("language", SCRIPTS)
def test_terms_are_found_in_every_script_and_only_those(language):
    text, there, missing = SCRIPTS[language]
    found = dict(zip(there + missing, found_terms(text, there + missing, language=language), strict=True))
    assert found == dict.fromkeys(there, True) | dict.fromkeys(missing, False)


def test_an_abbreviation_counts_only_if_it_is_one():
    assert alternatives("Support vector machine (SVM)") == ["Support vector machine", "SVM"]
    assert alternatives("卷积神经网络（卷积网）") == ["卷积神经网络", "卷积网"]
    assert alternatives("f (x)") == ["f (x)"]
    assert alternatives("mean (average)") == ["mean (average)"]


def test_no_terms_have_no_fraction():
    assert fraction_found("a text", []) is None
    assert fraction_found("a text", ["text", "word"]) == 0.5


def test_a_word_of_a_script_with_spaces_ends_where_another_script_begins():
    assert [token.text for token in tokens("用BERT模型, AI는 x²")] == [
        "用",
        "bert",
        "模",
        "型",
        BREAK,
        "ai",
        "는",
        "x2",
    ]


TERMS = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=12)


@given(TERMS, st.sampled_from(["{}", "The {} here.", "“{}”, then", "- {}\n- more", "**{}**", "({})"]))
@example("ß", "{}")
@example("İ", "{}")
@example("ｱｲ", "{}")
def test_a_term_is_found_where_it_stands_as_it_is(term, text):
    assert Text(text.format(term)).mentions(term)


@given(st.text(), st.text(max_size=20))
def test_any_text_can_be_looked_through(text, term):
    assert found_terms(text, [term])[0] in (True, False)


@given(st.lists(TERMS, min_size=1, max_size=5), st.text(st.characters(codec="utf-8", categories=["L", "N", "Zs"])))
def test_more_text_after_a_full_stop_takes_no_term_away(terms, more):
    text = ". ".join(terms)
    before, after = (found_terms(one, terms) for one in (text, f"{text}. {more}"))
    assert all(then for first, then in zip(before, after, strict=True) if first)
