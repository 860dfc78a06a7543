"""VIRA-Bench as a dataset: a release in the neutral layout. The official one is announced, and not found yet.

Source: the paper (arXiv 2610.29428).
"""

from typing import Any, ClassVar

from chalkbench.benchmarks.neutral import NeutralBuilder
from chalkbench.benchmarks.release import Malformed, ReleaseConfig


class ViraBench(NeutralBuilder):
    """VIRA-Bench: four-option questions on short clips of one-to-one online tutoring."""

    BENCHMARK = "vira_bench"
    BUILDER_CONFIGS: ClassVar = [ReleaseConfig(name="default", expected=1_322, description="all questions")]
    DEFAULT_CONFIG_NAME = "default"
    # Section 3.2 and Table 2
    SUBTASKS: ClassVar = {"OEG": ("AI", "BE", "CR"), "ICR": ("SR", "CA", "CF"), "SRM": ("SC", "OP")}
    NAMES: ClassVar = {  # the paper does not spell out SC and OP
        "observable evidence grounding": "OEG",
        "interaction contingency reasoning": "ICR",
        "support response modeling": "SRM",
        "support response modelling": "SRM",
        "action identification": "AI",
        "behavior extraction": "BE",
        "behaviour extraction": "BE",
        "content recognition": "CR",
        "sequence recognition": "SR",
        "causal attribution": "CA",
        "causal attribution plausibility": "CA",
        "contingent feedback": "CF",
        "contingent feedback recognition": "CF",
    }
    # The only split of the stated totals (OEG 497, ICR 529, SRM 296) that gives every printed percentage of Table 2
    COUNTS: ClassVar = {"AI": 215, "BE": 188, "CR": 94, "SR": 250, "CA": 82, "CF": 197, "SC": 136, "OP": 160}

    def values(self, fields: dict[str, Any]) -> dict[str, Any]:
        """The common columns; every question has four options (section 3.5)."""
        row = super().values(fields)
        if not row["options"]:
            raise Malformed("options: is missing")
        if len(row["options"]) != 4:
            self.remarks.add("a question has not four options", row["id"])
        return row


BUILDER = ViraBench
