"""The four datasets that InstructionBench's videos come from: which file of their own layouts a question means.

    YouCook2     raw_videos/<training|validation|testing>/<recipe>/<YouTube id>.mp4|.mkv|.webm
    HiREST       videos/<YouTube id>.mp4
    Ego4D        v2/full_scale/<video uid>.mp4, v2/video_540ss/<video uid>.mp4, v2/clips/<clip uid>.mp4
    Ego-Exo4D    takes/<take>/frame_aligned_videos/<camera>.mp4, .../downscaled/448/<camera>.mp4; takes.json

What belongs here: names of datasets, and their files at any depth of a release folder. What does not: questions and
rows (`builder.py`), and placing files (`chalkbench.benchmarks.media`).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from chalkbench.benchmarks.fields import name_of, stem_of
from chalkbench.benchmarks.media import VIDEO_SUFFIXES
from chalkbench.benchmarks.release import Malformed, ReleaseFiles, read_json
from chalkbench.errors import ChalkbenchError

EGOEXO4D = "EgoExo4D"
# How the name of a dataset (the paper's Table 2) begins, letters and digits only: `Ego4D Goal-Step`, `youcook2_videos`
_NAMES = {
    "YouCook2": ("youcook",),
    "HiREST": ("hirest",),
    "Ego4D": ("ego4d", "goalstep"),
    EGOEXO4D: ("egoexo",),
}
# folders that only this dataset has
_FOLDERS = {
    "YouCook2": ("rawvideos",),
    "HiREST": (),
    "Ego4D": ("fullscale", "video540ss", "video540"),
    EGOEXO4D: ("takes", "framealignedvideos"),
}
_SHRUNK = re.compile(r"downscaled|540|clips", re.IGNORECASE)  # folders of smaller or cut files: the others come first
_EGO = re.compile(r"aria\d*_214-1", re.IGNORECASE)  # Ego-Exo4D: the colour camera of the glasses
_ADDRESS = re.compile(r"(?:[?&]v=|youtu\.be/|/(?:embed|shorts|v)/)([\w-]{11})(?![\w-])", re.ASCII)
_INNER = ("frame_aligned_videos", "frame_aligned_videos/downscaled/448")


def dataset_of(name: str) -> str:
    """The dataset's own spelling. Raises Malformed for a name that is none of the four."""
    plain = _plain(name)
    for dataset, names in _NAMES.items():
        if plain.startswith(names):
            return dataset
    raise Malformed(f"dataset: {name!r} is not known; known are {', '.join(_NAMES)}")


@dataclass(frozen=True)
class Wanted:
    """A source video. dataset: its own spelling. name: id or take. camera: of a take; "" = the glasses' colour one."""

    dataset: str
    name: str
    camera: str = ""

    @property
    def id(self) -> str:
        """Unique over the datasets: two of them may hold the same YouTube video, each in its own form."""
        return "/".join(part for part in (_plain(self.dataset), self.name, self.camera) if part)


def wanted(dataset: str, video: str, camera: str = "") -> Wanted:
    """The source video that a record addresses.

    dataset: its name; "" if the path in `video` says it. video: an id, a file's name, a path or (YouTube) an address;
    of Ego-Exo4D a take, also `<take>/<camera>`. Raises Malformed.
    """
    address = _ADDRESS.search(video)
    parts = [
        part for part in PurePosixPath(name_of(address[1] if address else video)).parts if part not in (".", "..")
    ]
    if not parts or ("//" in video and not address):
        raise Malformed(f"video: {video!r} is no id of a video")
    known = dataset_of(dataset) if dataset.strip() else _dataset_in(parts[:-1])
    if not known:
        raise Malformed(f"dataset: is missing, and {video!r} does not tell; known are {', '.join(_NAMES)}")
    *folders, last = parts
    last = stem_of(last)
    if known != EGOEXO4D:
        return Wanted(known, last)
    roots = [place for place, folder in enumerate(folders) if _plain(folder).startswith(("takes", *_NAMES[EGOEXO4D]))]
    inner = folders[roots[-1] + 1 :] if roots else folders
    if inner and inner[0] not in ("frame_aligned_videos", "videos"):  # <take>/…/<camera>
        return Wanted(known, inner[0], stem_of(camera.strip()) or last)
    return Wanted(known, last, stem_of(camera.strip()))


@dataclass
class SourceFiles:
    """The videos below a release folder, by dataset. Paths are relative to it."""

    by_stem: dict[str, list[PurePosixPath]] = field(default_factory=lambda: defaultdict(list))
    by_take: dict[str, list[PurePosixPath]] = field(default_factory=lambda: defaultdict(list))
    take_of: Mapping[str, str] = field(default_factory=dict)  # {take uid: take}

    @classmethod
    def of(cls, files: ReleaseFiles) -> "SourceFiles":
        """Lists the videos; takes.json, where it is there, gives the takes of uids."""
        found = cls(take_of=_takes(files.named("takes.json")))
        for path in files.paths:
            if path.suffix.lower() in VIDEO_SUFFIXES:
                found._add(PurePosixPath(path.relative_to(files.root).as_posix()))
        return found

    def _add(self, path: PurePosixPath) -> None:
        self.by_stem[path.stem].append(path)
        for folder in set(path.parts[:-1]):
            self.by_take[folder].append(path)

    def names(self, video: Wanted) -> tuple[str, ...]:
        """Ends of paths of the file, the best first, as `media.place_media` takes them.

        Last come names that also fit where the files were not listed, in an archive.
        """
        there = self._of_take(video) if video.dataset == EGOEXO4D else []
        named = [path for path in self.by_stem.get(self._name(video), ()) if _may_be(path, video.dataset)]
        there += sorted(
            named, key=lambda path: (not _is_of(path, video.dataset), bool(_SHRUNK.search(str(path.parent))))
        )
        return tuple(dict.fromkeys([*(path.as_posix() for path in there), *self._unlisted(video)]))

    def cameras(self, video: Wanted) -> list[str]:
        """The cameras of a take whose files are there."""
        return sorted({path.stem for path in self.by_take.get(self._name(video), ())})

    def _name(self, video: Wanted) -> str:
        return self.take_of.get(video.name, video.name)

    def _of_take(self, video: Wanted) -> list[PurePosixPath]:
        """The camera's files, or those of the glasses' colour camera, or (no glasses there) of the first camera."""
        files = [path for path in self.by_take.get(self._name(video), ()) if _may_be(path, EGOEXO4D)]
        if video.camera:
            chosen = [path for path in files if path.stem == video.camera]
        else:
            ego = [path for path in files if _EGO.fullmatch(path.stem)]
            first = min((path.stem for path in ego or files), default="")
            chosen = [path for path in files if path.stem == first]
        return sorted(chosen, key=lambda path: bool(_SHRUNK.search(str(path.parent))))

    def _unlisted(self, video: Wanted) -> Iterator[str]:
        name = self._name(video)
        if video.dataset == EGOEXO4D and video.camera:
            yield from (f"{name}/{inner}/{video.camera}" for inner in _INNER)
            yield f"{name}/{video.camera}"
            return
        taken = {path.as_posix() for path in self.by_stem.get(name, ())}
        if not taken:  # a loose file of another dataset must not be taken for it
            yield name


def _takes(path: Path | None) -> dict[str, str]:
    """{take uid: take} of Ego-Exo4D's list of takes."""
    if path is None:
        return {}
    content = read_json(path)
    if not isinstance(content, list):
        raise ChalkbenchError(f"{path}: expected Ego-Exo4D's list of takes, found {type(content).__name__}.")
    takes = [take for take in content if isinstance(take, dict)]
    return {
        str(take["take_uid"]): str(take["take_name"]) for take in takes if {"take_uid", "take_name"} <= take.keys()
    }


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def _dataset_in(folders: Iterable[str]) -> str:
    """The dataset that folders tell: by its name, else by a folder that only it has; "" if none does."""
    nearest_first = [_plain(folder) for folder in folders][::-1]
    for folder in nearest_first:
        for dataset, names in _NAMES.items():
            if folder.startswith(names):
                return dataset
    for folder in nearest_first:
        for dataset, names in _FOLDERS.items():
            if folder in names:
                return dataset
    return ""


def _is_of(path: PurePosixPath, dataset: str) -> bool:
    return _dataset_in(path.parts[:-1]) == dataset


def _may_be(path: PurePosixPath, dataset: str) -> bool:
    return _dataset_in(path.parts[:-1]) in (dataset, "")
