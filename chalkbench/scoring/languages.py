"""The words of declarations, by their part in the grammar and by language: regular expressions over lower-case text.

What belongs here: vocabulary. What does not: how the parts go together (`declarations.py`). To teach the parser a
language, add its words to each table; nothing else knows languages. All expressions are bounded in length, so that
reading takes time in proportion to the reply. Alternatives begin with a letter where they can: `re` then skips
through text that holds none of these letters.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

# Letters after or before which a Latin letter is part of a word. Scripts without spaces are not among them.
WORD = r"A-Za-z0-9_À-ɏͰ-ӿ"


def any_of(table: dict[str, str]) -> str:
    """One alternation of all languages."""
    return "|".join(table.values())


def _alternatives(pattern: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, char in enumerate(pattern):
        depth += (char == "(") - (char == ")")
        if char == "|" and not depth:
            parts.append(pattern[start:at])
            start = at + 1
    return [*parts, pattern[start:]]


class Place(NamedTuple):
    """Where a wording stands: its text, its own end, and the end of what may follow it."""

    start: int
    words: str
    end: int


class Form:
    """A wording, searched in lower-case text; a plain ASCII text only for the words that it can hold."""

    def __init__(self, words: str, after: str = "") -> None:
        """words: an alternation that must end where a word ends (in scripts without spaces: anywhere); after: what
        may follow and belongs to it.
        """
        self._full = re.compile(rf"(?:{words})(?:(?<=[\u2e80-\uffff])|(?![{WORD}]))")
        ascii_words = "|".join(part for part in _alternatives(words) if part.isascii())
        self._first = re.compile(rf"(?:{ascii_words})(?![{WORD}])")
        # Led by a character that is no letter: `re` then looks at the beginnings of words alone.
        self._ascii = re.compile(rf"[^a-z0-9_']((?:{ascii_words})(?![{WORD}]))")
        self._after = re.compile(after) if after else None

    def finditer(self, low: str, start: int = 0) -> Iterator[Place]:
        """All places of the wording from `start` on that do not begin inside a word."""
        if low.isascii():
            if start == 0 and (first := self._first.match(low)):
                yield self._place(low, *first.span())
            for match in self._ascii.finditer(low, max(start - 1, 0)):
                yield self._place(low, *match.span(1))
            return
        for match in self._full.finditer(low, start):
            at = match.start()
            before = low[at - 1] if at else " "
            if low[at] > "\u2e7f" or not (before in "'_" or (before.isalnum() and before < "\u2e80")):
                yield self._place(low, *match.span())

    def _place(self, low: str, start: int, end: int) -> Place:
        after = self._after.match(low, end) if self._after else None
        return Place(start, low[start:end], after.end() if after else end)


# "answer": what the declared label is called.
ANSWER = {
    # Also mistyped: "anwser", "asnwer", "answr", "anser".
    "en": r"answers?|a[nsw]{2,4}[ew]{0,2}r|andwer|ans|solution|verdict|final",
    "de": r"antwort|lösung",
    "fr": r"réponse|reponse",
    "es": r"respuesta",
    "pt": r"resposta|gabarito",
    "it": r"risposta",
    "nl": r"antwoord",
    "pl": r"odpowiedź",
    "tr": r"cevap|yanıt",
    "id": r"jawaban(?:nya)?",
    "vi": r"đáp án|câu trả lời",
    "ru": r"ответом|ответ",
    "uk": r"відповідь",
    "ar": r"الإجابة|الاجابة|إجابة|اجابة|الجواب|جواب",
    "hi": r"उत्तर|जवाब",
    "th": r"คำตอบ",
    "zh": r"答案|正解|回答|正[确確]的",
    "ja": r"答え|解答",
    "ko": r"정답|답변|답",
}
# Weaker names of it, which are also what the options are called: "the correct option is B".
CHOICE = {
    "en": r"option|choice|selection|guess|prediction|pick|conclusion|response|letter|statement|one",
    "de": r"auswahl|wahl",
    "fr": r"choix|proposition",
    "es": r"opción|opcion|alternativa|elección|letra",
    "pt": r"opção|opcao|escolha",
    "it": r"opzione|scelta",
    "ru": r"вариант(?: ответа)?",
    "ar": r"الخيار|خيار|الاختيار|اختيار",
    "id": r"pilihan",
    "tr": r"seçenek|şık",
    "zh": r"选项|選項|结论|結論",
    "ja": r"選択肢|結論",
    "ko": r"선택지|보기",
}
# What stands before a label and adds nothing to it: "option B", "la letra B".
LABEL_NOUN = {
    "en": r"options?|choices?|letters?|answers?|alternative|item",
    "de": r"antwort|buchstabe",
    "fr": r"réponse|lettre|proposition",
    "es": r"opción|opcion|letra|alternativa|respuesta|inciso",
    "pt": r"opção|opcao|resposta",
    "it": r"opzione|lettera|risposta",
    "ru": r"вариант|буква|ответ",
    "ar": r"الخيار|خيار|الحرف|حرف",
    "id": r"pilihan",
    "tr": r"seçenek",
    "vi": r"đáp án|phương án|lựa chọn",
    "zh": r"选项|選項",
    "ja": r"選択肢",
    "ko": r"선택지|보기",
}
ARTICLES = r"the|an?|la|le|l'|el|il|lo|os?|as?|die|der|das|het|de"
# Adjectives that turn the noun into something else: "the wrong answer is A", "my first answer was A".
OTHER_ANSWER = (
    r"wrong|incorrect|false|bad|worst|poor|other|another|second|2nd|second[- ]best|alternative"
    r"|alternate|first|initial|previous"
    r"|earlier|original|former|old|student's|students'|user's|model's|his|her|their|tempting"
    r"|distracting|least \w+|less \w+|not an?|not the"
    r"|not|no|eliminated|invalid|inkorrekte|falsche|mauvaise|incorrecta|incorreta|errada|sbagliata"
    r"|неправильный|неверный|错误的?|錯誤的?|よくある"
)

# "is": links the noun, or a pronoun, to the label.
LINK = {
    "en": (
        r"(?:is|was|are|be|being|remains|becomes|seems(?: to be)?|appears(?: to be)?|has to be|must be"
        r"|should be|would be|will be)(?!n't| not\b)"
    ),
    "de": r"ist|lautet|wäre",
    "fr": r"est|serait",
    "es": r"es|sería|seria",
    "pt": r"é",
    "it": r"è|sarebbe",
    "nl": r"is",
    "pl": r"to|jest",
    "id": r"adalah|ialah",
    "vi": r"là",
    "ru": r"это|будет|является|-",
    "ar": r"هي|هو",
    "th": r"คือ",
}
# Particles between noun and label in languages that write them together.
PARTICLES = r"(?:[应應]该?|[该當当]|就|[为為]|是|即|[选選][择擇]?|乃|は|が|の|も|として|은|는|이|가|คือ|[项項])"
# "it is": a pronoun as subject.
_IS = (
    r"(?:'s|(?:'d| would| must| should| has to| will| can only| ought to)(?: most likely| probably| \w+ly)? be"
    r"| is| was| seems to be| appears to be)(?!n't| not\b)"
)
_POINTS = r" (?:clearly )?(?:points? to|corresponds to|leads (?:us )?to|indicates)"
PRONOUN = (
    r"it looks like|looks like|it seems like|it sounds like|it's got to be|it has got to be|"
    r"evidence (?:clearly |strongly )?(?:supports?|favou?rs?)|"
    rf"everything{_POINTS}|evidence{_POINTS}|this{_POINTS}|that{_POINTS}|which{_POINTS}|it{_POINTS}|"
    rf"it{_IS}|that{_IS}|this{_IS}|which{_IS}|c'est|ce serait|es ist|das ist|das wäre|se trata de"
    rf"|es(?= la )|é(?= a )|è(?= la )|это|здесь|dit is|het is"
    r"|to jest|esto es|isso é|是(?<![不非].)"
)
_MAY_BE = r" (?:could|might|may|can)(?: well| possibly| perhaps| also| \w+ly)? be"
MAYBE_PRONOUN = (
    rf"it(?:{_MAY_BE}|(?:'s| is) (?:probably|possibly|likely))|that{_MAY_BE}|this{_MAY_BE}"
    rf"|which{_MAY_BE}|answer{_MAY_BE}|option{_MAY_BE}|choice{_MAY_BE}|could be|might be|may be"
    r"|probably|possibly|likely|perhaps|maybe|presumably|arguably|vielleicht|wahrscheinlich|peut-être"
    r"|probablement|quizás|probablemente"
    r"|talvez|provavelmente|forse|probabilmente|возможно|вероятно|ربما|可能是|也许是|大概是|たぶん|おそらく|아마도?"
)
SURELY = (
    r"definitely|certainly|clearly|obviously|undoubtedly|surely|must be|has to be|had to be|gotta be"
    r"|got to be|should be|can only be|evidently"
)

# "I choose": what the writer does.
CHOOSE = {
    "en": r"choose|pick|select|go(?:ing)? (?:ahead )?with|went with|opt(?:ing|ed)? for|vot(?:e|ing)(?: for)?"
    r"|settl(?:e|ing) (?:on|for)"
    r"|lean(?:ing)? (?:towards?|to)|choosing|picking|selecting|chosen?|picked|selected|mark|circle|say"
    r"|guess|bet on|stick(?:ing)? with"
    r"|favou?r|conclude(?: with)?|submit|recommend|argue for|prefer|believe|think|answer(?: with)?"
    r"|respond with|reply with|enter|write|take|decide on|decided on",
    "de": r"ich wähle|ich nehme|ich entscheide mich für|ich denke|ich würde(?: sagen)?",
    "fr": r"je choisis|je dirais|j'opte pour|je pense(?: que c'est)?|je sélectionne",
    "es": r"elijo|escojo|selecciono|me quedo con|yo diría|diría|creo que es|opto por|marco",
    "pt": r"escolho|seleciono|eu diria|fico com|acho que é",
    "it": r"scelgo|direi|seleziono",
    "nl": r"ik kies",
    "pl": r"wybieram",
    "id": r"saya (?:memilih|pilih)",
    "vi": r"tôi chọn|chọn",
    "ru": r"(?:я )?выбираю|я думаю(?:,? что это)?|считаю(?:,? что это)?",
    "ar": r"أختار|اختار|اخترت",
    "zh": r"选{0}|選{0}".format(r"(?<![不勿别備备候待可误誤非未排多单複复首].)[择擇]?(?![项項择擇])(?:了|的是|出)?"),
    "ja": r"選択は",
}
# Before an English verb of choosing: the writer as subject, or nothing (an imperative).
CHOOSER = (
    r"(?:(?<!\w)(?:i|we)(?:'d|'ll|'m|'ve|'re)?(?: (?:would|will|must|should|can|am|are|do|have|had"
    r"|need|want|going|now|also|just|then|to|therefore"
    r"|thus|rather|still|only|finally|hence|personally|inclined|\w+ly)){0,5}"
    r"|(?:^|[.,;:!?\n(]|(?<!\w)(?:so|therefore|thus|hence|and|then|please|finally|let's|let me|must"
    r"|should|safely|to))) ?$"
)

# "so": draws the conclusion; the label must end its clause.
SO = (
    r"so|therefore|thus|hence|ergo|consequently|accordingly|leav(?:es|ing)(?: us)?(?: with)?(?: only"
    r"| just)?|only|which leaves|left with|means|this gives|which gives|that gives|giving|we get"
    r"|we got|i get|i got"
    r"|daher|deshalb|donc|por (?:lo )?tanto|portanto|quindi|dunque|поэтому|значит"
    r"|因此|所以|故|よって|したがって|따라서|그러므로|لذلك|إذن"
)
# "no, wait": the writer corrects what stands before.
CORRECTION = (
    r"no|nope|wait|actually|rather|correction|edit(?=:)|scratch that|strike that|i meant?|make that"
    r"|sorry(?:,? i meant?)?"
    r"|but(?<!all but)(?<!thing but)(?<!one but)|instead|oops|on second thought|nein|non|doch|不对|不,|いや"
    r"|нет"
)

# After a label: it is right.
_HOW = (
    r"(?: (?:also|clearly|obviously|definitely|most|certainly|likely|probably|therefore|thus|indeed"
    r"|actually|the|only|then|here|simply|surely"
    r"|more|very|quite|by far|in fact|hence|still|an?|my|one|overall|undoubtedly|best|single|final)){0,5}"
)
RIGHT = {
    "en": (
        r"(?:'s| (?:is|was|are|seems?|looks?|appears?|sounds?|feels?|must|should|has to|would|will|remains"
        r"|proves)(?: to)?(?: be)?)"
    )
    + _HOW
    + r" ?"
    r"(?:(?<!more )(?:correct|accurate)|right(?! (?:above|below|next|before|after|there|on|at|in|under"
    r"|now|side|hand|here))|true|best(?!-)"
    r"|answer|choice|(?<=only )(?:option|one)|(?<=correct )option|(?<=right )option|(?<=best )option"
    r"|winner|way to go|(?:plausible|likely|probable|appropriate|suitable"
    r"|reasonable|fitting|consistent|logical|sensible|convincing)|my (?:final )?(?:answer|choice|pick)"
    r"|the one|preferable|better|it(?=[.!\n]|$))"
    r"(?![\w-])(?! (?:that the|to (?:a|some) (?:point|degree)))"
    r"| (?:best )?(?:fits|matches|makes (?:the )?most sense|works best|wins)\b| best (?:describes"
    r"|answers|captures|represents|explains|summari[sz]es|reflects)"
    r"| the (?:only )?(?:correct|right|best|most \w+) (?:answer|option|choice|one)\b| (?:must"
    r"|should) be (?:chosen|selected|picked)"
    r"| it is(?=[.!\n]|$)| remains(?=[.!\n]|$)| is (?:left|supported)\b| for sure| all the way"
    r"|[ -]{0,3}[(]?(?:✓|✔|✅|☑)|:? ?[(](?:correct|right|true)[)]",
    "de": r" (?:ist|wäre)(?: die| der| das)? (?:richtig|korrekt|beste|zutreffend)",
    "fr": r" (?:est|serait)(?: la| le)? (?:bonne|bon|correct|juste|exact|vrai|réponse)",
    "es": r" (?:es|sería|parece)(?: la| el)? (?:opción |respuesta |más )?(?:correct|adecuad|mejor|acertad|respuesta)",
    "pt": r" (?:é|seria)(?: a| o)? (?:opção |resposta |mais )?(?:corret|cert|adequad|melhor|resposta)",
    "it": r" (?:è|sarebbe)(?: la| il)? (?:risposta |opzione |più )?(?:corrett|giust|esatt|miglior)",
    "ru": r" (?:- )?(?:является )?(?:верн|правильн|подходит)",
    "ar": r" (?:هي |هو )?(?:الإجابة )?(?:ال)?صحيح",
    "zh": r" ?(?:[选選][项項]|[项項])?(?:[才就]?是|[为為])?(?:最|更|更加|唯一)?"
    r"(?:正[确確]|[对對](?:的|。|\.|$)|准确|恰当|最佳|合适|合適|符合|答案|合理)",
    "ja": r" ?(?:の選択肢)?(?:が(?:最も|一番)?(?:正解|正しい|正答|答え|適切|当てはまる|該当)"
    r"|(?:です|だ|である|でしょう)(?=[.!\s]|$)|を選)",
    "ko": r" ?번?(?:(?:이|가) (?:정답|답|맞|옳|가장)|(?:입니다|이다|예요|이에요)(?=[.!\s]|$)|(?:을|를) (?:선택|고))",
}
# After a label: it is wrong.
_NOT_SO = (
    r"not|n't|incorrect|inaccurate|wrong|false|invalid|eliminated|excluded|ruled out|out(?= |[.,;]|$)"
    r"|unlikely|implausible|irrelevant|unrelated|impossible"
    r"|(?:an? |the |both |all )?(?:\w+ )?(?:distractors?|traps?|red herrings?)|less |least |too |off "
    r"|never|unsupported|contradicted|misleading|nonsens"
)
WRONG = {
    "en": rf"(?: (?:is|was|are|were|seems?|looks?|sounds?|would be|can be|could be|must be|should be|appears?)"
    rf"(?: also| clearly| obviously| both| all| therefore| thus| definitely| simply| just| probably"
    rf"| likely| most| very| entirely| completely){{0,3}} ?(?:{_NOT_SO})"
    r"|'s (?:not|wrong|incorrect|out|false)|'re (?:not|wrong|incorrect|out|false)"
    r"| (?:isn't|wasn't|aren't|weren't|can't|cannot|could not|couldn't|doesn't|does not|don't|do not"
    r"|didn't|did not|won't|will not|wouldn't|fails?"
    r"|contradicts?|lacks?|misses|ignores|confuses|misstates|overstates|never|not (?:correct|right))\b"
    r"|[ -]{0,3}[(]?(?:✗|✘|❌|×)|:? ?[(](?:incorrect|wrong|false|no)\b| (?:incorrect|wrong|false)\b)",
    "de": r" (?:ist|sind|wäre) (?:nicht|falsch|inkorrekt|unzutreffend)",
    "fr": r" (?:est|sont) (?:faux|fausse|incorrect|erroné|pas)| n'est",
    "es": r" (?:es|son) (?:incorrect|fals|erróne)| no (?:es|son)",
    "pt": r" (?:é|são|está) (?:incorret|errad|fals)| não (?:é|são)",
    "it": r" (?:è|sono) (?:errat|sbagliat|fals|scorrett)| non (?:è|sono)",
    "ru": r" (?:- )?(?:неверн|неправильн|не подходит|ошибоч)| не ",
    "ar": r" (?:خطأ|خاطئ|غير صحيح|ليس)",
    "zh": r" ?(?:[选選][项項]|[项項])?(?:都|也|均|显然|顯然|明显|并|並|则)?"
    r"(?:是)?(?:不|[错錯]|有误|有誤|无关|無關|非|排除|被排除|误)",
    "ja": r" ?(?:では?な|じゃな|は(?:誤|間違|正しくな|不正解|違|不適切)|も(?:誤|間違|違)|でもな|を除)",
    "ko": r" ?번?(?:(?:이|가|은|는|도) (?:아니|아닙|틀|오답|잘못|정답이 아|맞지 않)|(?:을|를) 제외)",
}
# Before a label: it is denied, or stands only for comparison.
NOT = (
    r"not|n't|isn't|wasn't|aren't|neither|nor|never|cannot be|can't be|couldn't be|rather than"
    r"|instead of|eliminat(?:e[sd]?|ing)|exclud(?:e[sd]?|ing)|rul(?:e[sd]?|ing) out"
    r"|reject(?:s|ed|ing)?|discard(?:s|ed|ing)?|dismiss(?:es|ed|ing)?|unlike|except|other than"
    r"|apart from|besides|over|than|without|against|dropp?(?:ing|ed)?"
    r"|nicht|statt|außer|weder|ne|pas|plutôt que|sauf|no es|no|em vez de|não é|não|non è|non|invece di"
    r"|не|а не|кроме|ليس|ليست|وليس"
    r"|不是|并非|並非|而非|而不是|排除|不[选選]|除了|除|并不是"
)
# "not A but B".
BUT = (
    r"(?:,? ?(?:but|rather|instead)(?: rather| instead| it(?:'s| is))?|, it(?:'s| is)|,? ?sondern"
    r"|,? ?mais(?: plutôt)?|,? ?sino|,? ?mas(?: sim)?|,? ?ma|,? а|,? ?而是|,? ?بل|,? ?maar)"
)
# "A and B": the labels are declared together.
JOIN = (
    r"(?:,|/|&|\+|;|、)(?: ?(?:and/or|and|or|&|und|oder|et|ou|y|e|o|u|и|или|en))?"
    r"| (?:and/or|and|or|as well as|plus|und|oder|et|ou|y|e|o|u|и|или|و|أو|en|of|i|lub|dan|atau|và|hoặc|ve|veya|with) "
    r"|(?:和|或者?|[与與]|及|以及|跟|と|か|や|または|및|와|과|또는)"
)
JOIN_MORE = r"(?:also |maybe |possibly |perhaps |even |both |either |probably |potentially |the )?"

# A writer who gives no answer.
REFUSAL = (
    r"(?:cannot|can ?not|can't|could not|couldn't|unable to|not able to|impossible to|difficult to"
    r"|hard to|not possible to|no way to)(?: be)?(?: \w+ly| possible)? "
    r"(?:tell|determined?|say|see|answer(?:ed)?|identif\w+|know|decided?|concluded?|view|watch|access"
    r"|provide|find|select|choose|pick|confirm|verif\w+|assist|help|infer\w*|discern\w*)"
    r"|(?:do not|don't|did not|didn't) (?:know|have (?:enough|sufficient|access)|see (?:a|any"
    r"|the) (?:video|clip))|not (?:enough|sufficient) (?:information|context|evidence|detail)"
    r"|insufficient (?:information|context|evidence)|\bno idea\b|not (?:sure|certain)\b|unsure"
    r"|uncertain|i'm sorry|i am sorry|i apologi[sz]e|as an ai\b|without (?:the|seeing|watching|access)"
    r"|is not (?:shown|mentioned|specified|provided|stated|visible|clear)|isn't (?:shown|mentioned"
    r"|specified|clear)|no (?:video|clip|audio) (?:was|is|has)"
    r"|undetermined|undeterminable|indeterminate|unclear|无法|無法|不知道|不确定|不確定|不清楚"
    r"|わかりません|分かりません|わからない|判断できま|알 수 없|모르겠"
    r"|weiß (?:es )?nicht|nicht (?:bestimmen|erkennen|beantworten)|ne (?:sais|peux) pas|impossible de"
    r"|no (?:sé|puedo|se puede)|não (?:sei|posso|é possível)|non (?:so|posso|è possibile)"
    r"|не (?:знаю|могу|могу определить)|невозможно|لا أعرف|لا يمكن"
)
NO_VALUE = (
    r"(?:n/?a|none|null|nil|nan|unknown|undefined|unanswerable|\?+|-+|not (?:applicable|given"
    r"|available|answerable|specified)|no answer|未知|无|無|なし|없음)\W*(?:$|\n)"
)
