"""InstructionBench as a dataset: a release in the neutral layout, with the media of its four source datasets.

Source: the paper (arXiv 2504.05040). The Hub has `sunwhw/InstructionBench`, whose files and fields are not known.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from chalkbench.benchmarks.field_map import Question
from chalkbench.benchmarks.fields import answer_of, options_of
from chalkbench.benchmarks.instructionbench.sources import EGOEXO4D, SourceFiles, wanted
from chalkbench.benchmarks.media import place
from chalkbench.benchmarks.neutral import COMMON_FIELDS, NeutralBuilder, letters
from chalkbench.benchmarks.release import Malformed, ReleaseConfig, as_text

CHOICE, OPEN, TRAIN = "multiple_choice", "open_ended", "train"
OPTIONS = 5  # Figure 3
_TRAINING = ("train", "training")


class InstructionBench(NeutralBuilder):
    """InstructionBench: questions on the steps and objects of how-to videos."""

    BENCHMARK = "instructionbench"
    BUILDER_CONFIGS: ClassVar = [
        ReleaseConfig(name=CHOICE, expected=5_000, description="five options"),  # Figure 3
        ReleaseConfig(name=OPEN, description="the same kinds of questions, open-ended"),
        ReleaseConfig(name=TRAIN, split="train", description="open-ended pairs as chats, for fine-tuning"),
    ]
    DEFAULT_CONFIG_NAME = CHOICE
    FIELDS = COMMON_FIELDS | {"dataset", "camera", "split"}
    NEEDED = frozenset({"id", "question", "video"})
    SUBTASKS: ClassVar = {"coarse": ("FSP", "PSR", "ISR", "SS", "SSR"), "fine": ("OES", "OAR", "OIR")}  # Table 1
    NAMES: ClassVar = {
        "coarse grained": "coarse",
        "coarsed grained": "coarse",  # the paper's own slip
        "coarse grained task": "coarse",
        "event level": "coarse",
        "CG": "coarse",
        "fine grained": "fine",
        "fine grained task": "fine",
        "object level": "fine",
        "FG": "fine",
        "future step prediction": "FSP",
        "past step recall": "PSR",
        "intermediate steps recognition": "ISR",
        "intermediate step recognition": "ISR",
        "step sequencing": "SS",
        "specific step recognition": "SSR",
        "object existence in steps": "OES",
        "object attribute recognition": "OAR",
        "object interaction recognition": "OIR",
    }
    # The only split of 5,000 that gives every printed percentage of Table 4
    COUNTS: ClassVar = {
        "FSP": 1_776,
        "PSR": 1_104,
        "ISR": 244,
        "SS": 65,
        "SSR": 321,
        "OES": 548,
        "OAR": 263,
        "OIR": 679,
    }

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if self.config.name != CHOICE:
            self.COUNTS = {}  # type: ignore[misc]  # how many open-ended ones there are is not known

    @classmethod
    def config_of(cls, fields: Mapping[str, Any]) -> str:
        """By `split`, else by whether there are options."""
        if _is_training(fields):
            return TRAIN
        return CHOICE if fields.get("options") else OPEN

    @classmethod
    def place_in(cls, fields: Mapping[str, Any]) -> tuple[str, str]:
        """As elsewhere; a training pair may be of no known kind."""
        if _is_training(fields) and not any(as_text(fields, name, required=False) for name in ("task", "subtask")):
            return "", ""
        return super().place_in(fields)

    def fields_of(self, record: Question) -> dict[str, Any]:
        """As elsewhere; what stands in the file of the training pairs is one."""
        fields = super().fields_of(record)
        return fields | ({"split": "train"} if self.config.name == TRAIN else {})

    def video(self, fields: dict[str, Any]) -> tuple[str, str]:
        """(id, path in the layout) of the source video; which files it may be is left in `sources`."""
        video = self._wanted(fields)
        path = place(video.id)
        if path not in self.sources:
            self.sources[path] = self._source_files.names(video)
            cameras = self._source_files.cameras(video) if video.dataset == EGOEXO4D and not video.camera else []
            if cameras and not any("214-1" in name for name in cameras):
                self.remarks.add(
                    f"a take has no file of its glasses' colour camera; {cameras[0]} is shown", video.name
                )
        return video.id, path

    def _wanted(self, fields: Mapping[str, Any]) -> Any:
        return wanted(
            as_text(fields, "dataset", required=False),
            as_text(fields, "video"),
            as_text(fields, "camera", required=False),
        )

    @cached_property
    def _source_files(self) -> SourceFiles:
        return SourceFiles.of(self.files)

    def values(self, fields: dict[str, Any]) -> dict[str, Any]:
        """The common columns; `domain` is the source dataset. Open-ended: no options; training pairs: a chat."""
        if self.config.name != CHOICE:
            _, answer = answer_of(fields.get("answer"), options_of(fields.get("options")))
            fields |= {"options": None, "answer": answer}
        row = super().values(fields) | {"domain": self._wanted(fields).dataset}
        if row["clip_end"] is not None and row["clip_end"] <= (row["clip_start"] or 0.0):
            raise Malformed(f"clip_end: {row['clip_end']} s is not after clip_start {row['clip_start'] or 0.0} s")
        if self.config.name == CHOICE:
            if not row["options"]:
                raise Malformed("options: is missing")
            if len(row["options"]) != OPTIONS:
                self.remarks.add(f"a question has not {OPTIONS} options", row["id"])
            return row
        if not row["answer"].strip():
            raise Malformed("answer: is missing")
        return row | ({"messages": messages(row["question"], row["answer"])} if self.config.name == TRAIN else {})


BUILDER = InstructionBench


def messages(question: str, answer: str) -> list[dict[str, Any]]:
    """A training pair as a chat; its part of type `video` is the row's video."""
    asked = [{"type": "video", "text": ""}, {"type": "text", "text": question}]
    return [
        {"role": "user", "content": asked},
        {"role": "assistant", "content": [{"type": "text", "text": answer}]},
    ]


def _is_training(fields: Mapping[str, Any]) -> bool:
    return letters(str(fields.get("split") or "")) in _TRAINING
