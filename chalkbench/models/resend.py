"""Replies which say that no video arrived: a fault of the way to the model, not an answer.

VIRA-Bench sends such questions again, up to 3 times (appendix E, response parsing and scoring). It prints no rule for
telling them; the patterns are ours.
"""

import re

_VIDEO = r"(?:video|clip|footage|recording|frames?|images?)"
_GONE = r"(?:provided|attached|received|uploaded|included|supplied|available|accessible|visible|found|given|present)"
_NO_VIDEO = re.compile(
    rf"\b(?:no|without (?:a|the|any)) {_VIDEO}s? (?:was|were|is|are|has been|have been)? ?{_GONE}"
    rf"|\b{_VIDEO}s? (?:was|were|is|are|has|have|did|does|could)(?:n['’]t| not)(?: be| been)? "
    rf"(?:{_GONE}|load|loaded|arrive)"
    rf"|\b(?:can(?:not|['’]t)|could(?: not|n['’]t)|(?:do|did) not|(?:do|did)n['’]t|unable to|not able to) "
    rf"(?:actually |directly )?(?:see|view|watch|access|open|find|receive|have(?: access to)?|load|play) "
    rf"(?:the |any |a |your |that |this )?(?:attached |uploaded )?{_VIDEO}\b"
    rf"|\bplease (?:upload|provide|attach|share|send|re-?upload) (?:the |a |your )?{_VIDEO}\b",
    re.IGNORECASE,
)


def says_no_video(reply: str) -> bool:
    """Whether a reply says that the model got no video.

    >>> says_no_video("I'm sorry, but I cannot see the video. Please upload it again.")
    True
    >>> says_no_video("The teacher does not see the video at first. Answer: B")
    False
    """
    return bool(_NO_VIDEO.search(reply))
