"""Whether a judge can be trusted: it is asked about replies whose right verdict is known.

A judge is `trusted` if it agrees on at least 90 % of all cases, and on 80 % of the cases of every rule and of every
side (those that expect a yes, a no, an option, none, a high or a low grade); `with_care` at 80 % and 65 %; else
`not_trusted`. The bounds are our own choice: no paper prints any. A failure to answer counts as a disagreement, since
a score would lack that item.

What belongs here: asking, comparing, the report and its table. What does not: the cases and how a rule asks about them
(`calibration.py`), and asking itself (`judge.py`).
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chalkbench.calibration import RULES, Case, load_cases
from chalkbench.errors import ChalkbenchError
from chalkbench.scoring.outcome import wilson
from chalkbench.table import interval, percent

if TYPE_CHECKING:
    from chalkbench.judge import Judge, Reply

TRUSTED = "trusted"
WITH_CARE = "with_care"
NOT_TRUSTED = "not_trusted"
# (level, least agreement over all cases, least agreement of each part)
_LEVELS = ((TRUSTED, 0.90, 0.80), (WITH_CARE, 0.80, 0.65))
_SENTENCES = {
    TRUSTED: "This judge can be trusted with these rules.",
    WITH_CARE: "Use this judge with care: name it beside every score and compare with no other judge's scores.",
    NOT_TRUSTED: "Do not trust this judge: its verdicts differ too often from what is plainly right.",
}

AGREED = "agreed"
DIFFERS = "differs"
FAILED = "failed"


@dataclass(frozen=True)
class Checked:
    """What a judge said to a case. said: its verdict as read, "" if none. state: `agreed`, `differs` or `failed`."""

    case: Case
    state: str
    said: str = ""
    text: str = ""
    error: str = ""
    cut: bool = False


@dataclass(frozen=True)
class Share:
    """How many of `n` cases the judge agreed on, and on how many it gave no verdict."""

    n: int
    agreed: int
    failed: int = 0

    @property
    def agreement(self) -> float:
        """0..1, failures being disagreements; 0 of nothing."""
        return self.agreed / self.n if self.n else 0.0


@dataclass(frozen=True)
class Report:
    """How a judge did.

    judge: its id. set_hash: first 12 hex digits of the SHA-256 over the cases. total: over all cases.
    interval: Wilson 95 % of the agreement. by_rule, by_kind, by_side: {name: Share}; a side is what was expected
    ("yes", "no", "an option", "none", "a high grade", "a low grade"). level: `trusted`, `with_care` or `not_trusted`;
    levels: the same for each rule alone.
    checked: every case with what was said.
    """

    judge: str
    set_hash: str
    total: Share
    interval: tuple[float, float] | None
    by_rule: Mapping[str, Share]
    by_kind: Mapping[str, Share]
    by_side: Mapping[str, Share]
    level: str
    levels: Mapping[str, str]
    checked: tuple[Checked, ...]

    @property
    def n(self) -> int:
        """Number of cases."""
        return self.total.n

    @property
    def agreement(self) -> float:
        """Share of the cases on which the judge agreed, 0..1."""
        return self.total.agreement

    @property
    def failures(self) -> tuple[Checked, ...]:
        """The cases without a verdict."""
        return tuple(one for one in self.checked if one.state == FAILED)

    @property
    def disagreements(self) -> tuple[Checked, ...]:
        """The cases with another verdict than the known one."""
        return tuple(one for one in self.checked if one.state == DIFFERS)

    @property
    def sentence(self) -> str:
        """The level in words, with what to do about failures."""
        text = _SENTENCES[self.level]
        cut = sum(one.cut for one in self.failures)
        if cut:
            text += f" {cut} replies ended at their token limit: a judge that reasons needs a larger one."
        return text


def check(
    judge: "Judge", *, cases: Sequence[Case] | None = None, rules: Sequence[str] | None = None, progress: bool = True
) -> Report:
    """Asks a judge about all cases and compares.

    judge: of `chalkbench.judge.open_judge`. cases: the committed set if None. rules: those to ask; None = all.
    Raises ChalkbenchError for an unknown rule, and where the judge's cache cannot be written.
    """
    cases = load_cases(rules=rules) if cases is None else [case for case in cases if not rules or case.rule in rules]
    if not cases:
        raise ChalkbenchError("no cases to check a judge with")
    replies = judge.ask([RULES[case.rule].prompt(case) for case in cases], progress=progress)
    return report(judge.id, [_checked(case, reply) for case, reply in zip(cases, replies, strict=True)])


def _checked(case: Case, reply: "Reply") -> Checked:
    text = reply.text or ""
    said = None if reply.text is None else RULES[case.rule].read(text, case)
    if said is None:
        error = reply.error or "no verdict could be read"
        return Checked(case, FAILED, text=text, error=error, cut=reply.cut)
    if isinstance(case.expected, str):
        agreed = said == case.expected
    else:
        agreed = isinstance(said, float) and case.expected[0] <= said <= case.expected[1]
    shown = said if isinstance(said, str) else f"{said:g}"
    return Checked(case, AGREED if agreed else DIFFERS, said=shown, text=text, cut=reply.cut)


def report(judge: str, checked: Sequence[Checked]) -> Report:
    """The report over cases that were asked already."""
    total = _share(checked)
    by_rule = _by(checked, lambda one: one.case.rule)
    by_side = _by(checked, _side)
    bounds = wilson(total.agreed, total.n)
    return Report(
        judge=judge,
        set_hash=_hash(one.case for one in checked),
        total=total,
        interval=(bounds[0], bounds[1]) if bounds else None,
        by_rule=by_rule,
        by_kind=_by(checked, lambda one: one.case.kind),
        by_side=by_side,
        level=_level(total, [*by_rule.values(), *by_side.values()]),
        levels={
            rule: _level(part, list(_by([one for one in checked if one.case.rule == rule], _side).values()))
            for rule, part in by_rule.items()
        },
        checked=tuple(checked),
    )


def _side(one: Checked) -> str:
    return one.case.side


def _share(checked: Sequence[Checked]) -> Share:
    states = [one.state for one in checked]
    return Share(n=len(states), agreed=states.count(AGREED), failed=states.count(FAILED))


def _by(checked: Sequence[Checked], name: Callable[[Checked], str]) -> dict[str, Share]:
    names = dict.fromkeys(name(one) for one in checked)
    return {key: _share([one for one in checked if name(one) == key]) for key in names}


def _level(total: Share, parts: Sequence[Share]) -> str:
    for level, overall, each in _LEVELS:
        if total.agreement >= overall and all(part.agreement >= each for part in parts):
            return level
    return NOT_TRUSTED


def _hash(cases: Any) -> str:
    lines = sorted(json.dumps(vars(case), ensure_ascii=False, sort_keys=True) for case in cases)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def print_report(result: Report, console: Console) -> None:
    """Tables by rule and by kind, every case without agreement, the level in words, and what was asked."""
    table = Table(title=f"judge-check: {result.judge}", title_justify="left")
    for column in ("Rule", "Cases", "Agreed", "No verdict", "Agreement", "Level"):
        table.add_column(column, justify="left" if column in ("Rule", "Level") else "right")
    for rule, part in result.by_rule.items():
        table.add_row(*_row(rule, part), result.levels[rule])
    table.add_section()
    table.add_row(*_row("all", result.total), result.level)
    console.print(table)
    kinds = Table(title="by kind", title_justify="left")
    for column in ("Kind", "Cases", "Agreed", "No verdict", "Agreement"):
        kinds.add_column(column, justify="left" if column == "Kind" else "right")
    for kind, part in (*result.by_kind.items(), *((f"expects {side}", part) for side, part in result.by_side.items())):
        kinds.add_row(*_row(kind, part))
    console.print(kinds)
    for one in (*result.disagreements, *result.failures):
        console.print(Text(f"{one.case.id} ({one.case.kind}): {_said(one)}; {one.case.why}"), soft_wrap=True)
    bounds = interval(result.interval)
    text = f"Agreement {percent(result.agreement)} % of {result.n} cases (95 % interval {bounds}). {result.sentence}"
    console.print(Text(text), soft_wrap=True)
    console.print(Text(f"judge:{result.judge}|set:{result.set_hash}|n:{result.n}"), soft_wrap=True)


def _row(name: str, part: Share) -> list[str]:
    return [name, str(part.n), str(part.agreed), str(part.failed), percent(part.agreement)]


def _said(one: Checked) -> str:
    low_high = one.case.expected
    expected = low_high if isinstance(low_high, str) else f"{low_high[0]:g} to {low_high[1]:g}"
    return f"expected {expected}, " + (f"no verdict: {one.error}" if one.state == FAILED else f"said {one.said}")
