"""The order of questions: those of one video together, conversations in turn.

What belongs here: which questions follow each other, so that little is decoded twice. What does not: asking them
(`base.py`).
"""

from collections.abc import Hashable, Sequence
from typing import Any

from chalkbench.models.material import bounds, frames_key, sound_key
from chalkbench.models.request import Request


def grouped(requests: Sequence[Request]) -> list[Request]:
    """The same requests with those of one video together, and within it those that see or hear the same.

    Groups stand in the order of their first request. A conversation stays in the group of its first turn, and the
    turns follow each other: all first ones, then all second ones, so that they can be asked in batches.
    """
    numbers: dict[Hashable, int] = {}
    sessions = sessions_of(requests)

    def place(request: Request) -> tuple[int, ...]:
        media = request.video or tuple(clip.path for clip in request.clips)
        parts = (media, bounds(request), frames_key(request), sound_key(request))
        return tuple(numbers.setdefault(parts[: end + 1], len(numbers)) for end in range(len(parts)))

    def key(index: int) -> tuple[Any, ...]:
        request = requests[index]
        first = sessions[talk_of(request)][0] if request.session else request
        return place(first), request.turn if request.session else 0, place(request), index

    return [requests[index] for index in sorted(range(len(requests)), key=key)]


def talk_of(request: Request) -> tuple[str, str]:
    """What names a conversation: a session is one of its task's."""
    return request.task, request.session


def sessions_of(requests: Sequence[Request]) -> dict[tuple[str, str], list[Request]]:
    """The requests of each conversation, by their turns."""
    found: dict[tuple[str, str], list[Request]] = {}
    for request in requests:
        if request.session:
            found.setdefault(talk_of(request), []).append(request)
    return {talk: sorted(turns, key=lambda request: request.turn) for talk, turns in found.items()}
