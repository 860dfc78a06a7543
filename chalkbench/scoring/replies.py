"""Replies as models write them: taken down to the text that is meant as the answer.

What belongs here: removal of reasoning, of chat-template tokens and of mark-up, and the folding of look-alike
characters. What does not: what the text says (`declarations.py`, `options.py`).

Nothing here changes a stored reply: callers keep the raw text and read the result of these functions.
"""

import re
import unicodedata

# Names of the tags that reasoning models wrap their thoughts in. Any closing tag of the family ends a lone opening
# one.
_FAMILY = (
    "think(?:ing)?(?:_?process)?|thoughts?|reason(?:ing)?(?:_?(?:content|steps?))?|reflect(?:ion)?|analysis|scratch_?pad"
    "|rationale|(?:chain_?of_?|inner_?)(?:thought|monologue)|cot|deliberation"
)
_TAG = re.compile(
    rf"""
    [<◁] \s* \|? (?P<close>/?) \s* \|? (?:\w{{1,12}}:)? (?P<name>{_FAMILY})
      (?:\s[^<>◁▷]{{0,80}})? \|? \s* (?P<empty>/?) [>▷]
  | \[ \s* (?P<close2>/?) (?P<name2>think(?:ing)?) \]
  | <\|? (?:(?P<open3>begin|start)|end) [_▁] (?:of[_▁])? (?P<name3>thought|thinking|think|reasoning) \|?>
  | <(?:(?P<open4>unused94)|unused95)> (?:thought\b)?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ENDS_IN_ANSWER = re.compile(r"<answer>[^<>]{1,500}</answer>\s*\Z", re.IGNORECASE)

_CHANNEL = re.compile(
    r"(?:<\|start\|>\s*assistant\s*)?<\|channel\|?>\s*(?P<name>[a-z]+)[^<>\n]{0,60}(?:<\|message\|>|\n"
    r"|(?=<channel\|>))"
)
_CHANNEL_END = re.compile(r"<\|(?:end|return|start|call)\|>|<channel\|>")
# The same once a decoder has dropped the special tokens: "analysisThe slide ...assistantfinalB".
_BARE_CHANNEL = re.compile(r"(?:assistant\s*)?(?:analysis|commentary)(?=[A-Z\n])")
_BARE_FINAL = re.compile(
    r"assistant\s{0,3}final\s?|^[ \t]*final[ \t]*:?[ \t]*$|(?<=[.!?])\s{0,3}final(?=[A-Z(*])", re.MULTILINE
)
_SECTIONS = re.compile(r"\A\s*here is my thought process:?.*?here is my response:?", re.IGNORECASE | re.DOTALL)
_SECTION = re.compile(r"\s*here is my thought process", re.IGNORECASE)

_TURN_END = re.compile(
    r"<\|(?:im_end|endoftext|eot_id|end|return|eom_id|eos|end_of_text|end_of_turn|user|im_start)\|>|</s>|<eos>"
    r"|<end_of_turn>|<pad>|<[|｜]end[_▁]of[_▁]sentence[|｜]>"
)
_TURN_ENDS = re.compile(rf"(?:\s*(?:{_TURN_END.pattern})(?!\s*assistant))*")
_TURN_START = re.compile(
    r"\s*(?:<\|im_start\|>\s*assistant\b|<\|start_header_id\|>\s*assistant\s*<\|end_header_id\|>"
    r"|<start_of_turn>\s*model\b"
    r"|<\|assistant\|>|<s>|<bos>|\[/INST\]|(?:assistant|model|gpt|ai|chatbot)\s*:)\s*",
    re.IGNORECASE,
)


def strip_reasoning(reply: str) -> tuple[str, bool]:
    """The reply without its reasoning and without chat-template tokens, and whether it was cut off while reasoning.

    Read are `<think>` and its cousins (`<thinking>`, `<reasoning>`, `<reflection>`, `[THINK]`, `◁think▷`,
    `<|begin_of_thought|>` and others), with attributes, in any case, nested; channels (`analysis` … `final`), with
    their special tokens or without; and "Here is my thought process: … Here is my response: …".
    A closing tag without an opening one ends reasoning that began with the reply. An opening one without a closing
    one means that the reply was cut off: the text before it is returned, and True. Only a complete `<answer>` tag at
    the very end of such a reply shows that it was not.
    """
    text, cut = _without_channels(reply)
    if not cut and any(mark in text for mark in "<[◁") and _TAG.search(text):
        text, cut = _without_tags(text)
    return _turn(text), cut


def _without_channels(text: str) -> tuple[str, bool]:
    if "<|channel" in text:
        kept, cut, at = [], False, 0
        for channel in _CHANNEL.finditer(text):
            if channel.start() < at:
                continue
            kept.append(text[at : channel.start()])
            end = _CHANNEL_END.search(text, channel.end())
            at = end.end() if end else len(text)
            if channel["name"] == "final":
                kept, cut = [text[channel.end() : end.start() if end else at]], False
                break
            cut = end is None
        else:
            kept.append(text[at:])
        return "".join(kept), cut
    if _BARE_CHANNEL.match(text):
        final = [match.end() for match in _BARE_FINAL.finditer(text)]
        return (text[final[-1] :], False) if final else ("", True)
    if _SECTION.match(text):
        sections = _SECTIONS.match(text)
        return (text[sections.end() :], False) if sections else ("", True)
    return text, False


def _without_tags(text: str) -> tuple[str, bool]:
    kept: list[str] = []
    inside: list[str] = []
    at = 0
    for tag in _TAG.finditer(text):
        if tag["empty"]:
            continue
        name = (tag["name"] or tag["name2"] or tag["name3"] or "unused").lower()
        opens = not (tag["close"] or tag["close2"]) if tag["name"] or tag["name2"] else tag["open3"] or tag["open4"]
        if opens and not inside:
            kept.append(text[at : tag.start()])
            inside = [name]
        elif opens:
            # The same name again is talk about the tag, not a level of its own.
            inside += [name] if name not in inside else []
        elif not inside:
            kept, at = [], tag.end()
        else:
            del inside[inside.index(name) if name in inside else -1 :]
            at = tag.end()
    if not inside:
        return "".join([*kept, text[at:]]), False
    answer = _ENDS_IN_ANSWER.search(text, max(at, len(text) - 600))
    return (answer[0], False) if answer else ("".join(kept), True)


def _turn(text: str) -> str:
    """The first turn alone: without the template's opening, and without what a run-on model wrote after its end."""
    if "<" in text:
        text = text[_TURN_ENDS.match(text).end() :]
    start = _TURN_START.match(text)
    text = text[start.end() :] if start else text
    end = _TURN_END.search(text) if "<" in text else None
    return text[: end.start()].strip() if end else text.strip()


# Characters that look like others, folded to those. Full-width forms, circled and mathematical letters go to ASCII.
_FOLD: dict[int, str | None] = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFF01, 0xFF5F)}
_FOLD |= {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0x1D400, 0x1D7FF + 1)}
_FOLD |= {
    first + i: f"({chr(65 + i)})"
    for first in (0x24B6, 0x24D0, 0x249C, 0x1F110, 0x1F130, 0x1F150, 0x1F170)
    for i in range(26)
}
_FOLD |= {ord(c): '"' for c in "“”„‟«»「」『』《》〈〉〝〞＂"} | {ord(c): "'" for c in "‘’‚‛`´′ʼ＇"}
_FOLD |= {ord(c): "[" for c in "【〔［〖"} | {ord(c): "]" for c in "】〕］〗"}
_FOLD |= {ord(c): " - " for c in "—―–"} | {ord(c): "-" for c in "‐‑‒−﹣－"}
_FOLD |= {
    ord(c): None
    for c in "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    "\ufe0e\ufe0f\xad"
}
_FOLD |= {ord(c): " " for c in "\xa0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000\u2028\u2029"}
_FOLD |= {
    ord("。"): ".",
    ord("．"): ".",
    ord("｡"): ".",
    ord("…"): "...",
    ord("؟"): "?",
    ord("،"): ",",
    ord("؛"): ";",
    ord("∶"): ":",
}
# Emoji and ornaments say nothing, but for ticks and crosses.
_FOLD |= {
    code: None
    for first, last in ((0x2600, 0x2780), (0x1F300, 0x1FB00))
    for code in range(first, last)
    if chr(code) not in "☑✓✔✅✗✘❌"
}
_FOLD |= {ord(c): "→" for c in "➔➙➛➜➝➞➡➤⇒⟶⟹"}
# A stand-alone Cyrillic or Greek letter that looks like a Latin one is one, where a label is expected.
_TWINS = dict(zip("АВСЕНІЈКМОРТХΑΒΕΗΙΚΜΝΟΡΤΥΖ", "ABCEHIJKMOPTXABEHIKMNOPTYZ", strict=True))
_TWIN = re.compile(rf"[{''.join(_TWINS)}](?<!\w.)(?=\W*$|\s*[).\]:;,])", re.MULTILINE)

_MARKUP = re.compile(r"[*_`$\\<~#>+•‣◦·]")
_LATEX_TEXT = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt|normal)?|math(?:rm|bf|it|sf|cal|bb|tt)|operatorname|emph|underline"
    r"|boldsymbol|bm|mbox|fbox|large|Large)"
    r"\s{0,3}\{([^{}]{0,2000})\}"
)
_LATEX_SPACE = re.compile(r"\\(?:[()\[\]{},;:! ]|q?quad\b|displaystyle\b|left\b|right\b|rm\b|bf\b|,)")
_NEWLINE = re.compile(r"\\n(?=[A-Z(*\\\s]|$)")
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~|<(s|del|strike)>[^<>\n]{1,200}</\1>", re.IGNORECASE)
_HTML = re.compile(
    r"</?\s?(?:b|i|em|strong|u|p|br|span|div|code|pre|center|font|h\d|li|ul|ol|sup|sub|output|response"
    r"|solution|final|conclusion|summary"
    r"|\|?(?:begin|end)_of_(?:solution|answer|response|box)\|?)(?:\s[^<>]{0,100})?/?>",
    re.IGNORECASE,
)
_LINE_TAGS = dict.fromkeys(("br", "p>", "/p", "li"), "\n")
# One letter inside paired marks is meant as a label: keep that it was marked.
# Next to it may stand a character of a script that has no spaces (答案是**B**。).
_MARKED_LETTER = re.compile(
    r"(?P<mark>[*_`$])(?<![A-Za-z0-9*_`$].)(?P=mark){0,2}\s?[(\[]?(?P<letter>[A-Za-z])[)\]]?(?P<after>[.:]?)\s?"
    r"(?P=mark){1,3}(?![A-Za-z0-9*_`$])"
)
_TAGGED_LETTER = re.compile(
    r"<(?P<tag>b|strong|em|i|u|code)>\s?[(\[]?(?P<letter>[A-Za-z])[)\]]?(?P<after>[.:]?)\s?</(?P=tag)>"
)
_FENCE = re.compile(r"```[\w+-]*[ \t]*$", re.MULTILINE)
_LINE_MARKS = re.compile(r"^[ \t]*(?:(?:#{1,6}|>+|[*+•‣◦·])[ \t]+)+", re.MULTILINE)
_MARKS = re.compile(r"[*_`$]+")


def _unmarked(mark: re.Match[str]) -> str:
    """Nothing, unless the marks stand between two characters of an expression (2*3, a_b)."""
    text, start, end = mark.string, mark.start(), mark.end()
    inside = (
        start > 0 and end < len(text) and (text[start - 1].isalnum() or text[start - 1] == ")") and text[end].isalnum()
    )
    return mark[0] if inside and mark[0][0] in "*_" else ""


def fold(text: str) -> str:
    """The text with full-width, circled and otherwise look-alike characters as plain ones; length may change."""
    if text.isascii():
        return text
    return _TWIN.sub(lambda twin: _TWINS[twin[0]], text.translate(_FOLD))


def plain(text: str) -> str:
    """Folded text without Markdown, HTML and LaTeX mark-up; a single letter that was marked up becomes `(X)`.

    Struck-out text is dropped, since its writer took it back.
    """
    if not _MARKUP.search(text):
        return text
    if "\\" in text:
        for _ in range(3):  # as deep as \boxed{\textbf{\text{B}}} goes
            text, found = _LATEX_TEXT.subn(lambda part: f"({part[1]})" if len(part[1].strip()) == 1 else part[1], text)
            if not found:
                break
        text = _NEWLINE.sub("\n", _LATEX_SPACE.sub(" ", text))
    if "~~" in text or "</" in text:
        text = _STRUCK.sub(" ", text)
    if "```" in text:
        text = _FENCE.sub("", text)
    text = _MARKED_LETTER.sub(r"(\g<letter>)\g<after>", text)
    if "<" in text:
        text = _TAGGED_LETTER.sub(r"(\g<letter>)\g<after>", text)
        # Without a closing tag, <B> is a bracketed label.
        lone = "</" not in text
        text = _HTML.sub(
            lambda tag: tag[0] if lone and len(tag[0]) == 3 else _LINE_TAGS.get(tag[0][1:3].lower(), ""), text
        )
    if any(mark in text for mark in ("#", ">", "* ", "+ ", "•", "‣", "◦", "·")):
        text = _LINE_MARKS.sub("", text)
    return _MARKS.sub(_unmarked, text)
