import numpy as np
import pytest
import torch
from PIL import Image, ImageDraw, ImageFont

from chalkbench.errors import ChalkbenchError
from chalkbench.media import ocr


def slide(*lines, ball=None, ink="black", paper="white", size=48, shape=(1280, 720)) -> torch.Tensor:
    """A drawn frame, uint8 (3, H, W); `ball`: where a disc is."""
    image = Image.new("RGB", shape, paper)
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        draw.text((80, 60 + 2 * size * number), line, font=ImageFont.load_default(size), fill=ink)
    if ball is not None:
        draw.ellipse([ball, 560, ball + 70, 630], fill="red")
    return torch.from_numpy(np.array(image)).permute(2, 0, 1)


def read(*frames) -> list[int]:
    return ocr.frames_to_read(torch.stack(frames))


def engines():
    """Every engine of this machine; rapidocr comes with the test extra."""
    names = ["rapidocr"]
    return [*names, "tesseract"] if ocr.find_engine().name == "tesseract" else names


def test_a_slide_that_stays_is_read_once():
    assert read(*[slide("Mass: 47 grams")] * 5) == [0]


def test_each_slide_is_read():
    assert read(slide("Mass: 47 grams"), slide("Mass: 47 grams"), slide("Length: 12 metres"), slide("The end")) == [
        0,
        2,
        3,
    ]


def test_moving_figure_is_nothing_new():
    assert read(*[slide("Mass: 47 grams", ball=x) for x in range(80, 1180, 100)]) == [0]


@pytest.mark.parametrize("size", [20, 28, 40, 64])
@pytest.mark.parametrize(("ink", "paper"), [("black", "white"), ("#666666", "white"), ("#cccccc", "#222222")])
def test_slide_that_grows_line_by_line_is_read_when_it_is_whole(size, ink, paper):
    title, line = "A heavy sample", "Its mass is 47 grams"
    first = slide(title, size=size, ink=ink, paper=paper)
    second = slide(title, line, size=size, ink=ink, paper=paper)
    assert read(first, first, second, second) == [2]


def test_line_that_is_wiped_away_was_read_before():
    full, wiped = slide("Title", "The mass is 47 grams"), slide("Title")
    assert read(full, full, wiped, wiped) == [0]


def test_no_frames_and_one_frame():
    assert ocr.frames_to_read(torch.zeros(0, 3, 90, 160, dtype=torch.uint8)) == []
    assert read(slide("Mass")) == [0]


@pytest.mark.parametrize("shape", [(241, 321), (7, 5), (1920, 1080), (90, 700)])
def test_any_size_can_be_compared(shape):
    black, white = slide(paper="black", shape=shape), slide(shape=shape)
    assert read(black, black, white) == [2]  # another picture; a blank one loses nothing


def test_slides_that_sparse_frames_show_once_are_all_read():
    texts = ["The mass of the sample", "A wire of 12 metres", "The period of the bob", "Homework for Thursday"]
    assert read(*(slide(text) for text in texts)) == [0, 1, 2, 3]


@pytest.mark.parametrize("name", engines())
def test_engine_reads_a_slide_in_order(name):
    engine = ocr.find_engine(name)
    assert engine.name == name
    assert engine.read(slide("Mass: 47 grams", "Length: 12.5 metres")) == ["Mass: 47 grams", "Length: 12.5 metres"]


@pytest.mark.parametrize("name", engines())
def test_engine_finds_nothing_on_an_empty_frame(name):
    assert ocr.find_engine(name).read(torch.full((3, 180, 320), 128, dtype=torch.uint8)) == []


def test_small_letters_are_read():
    assert "47" in " ".join(ocr.find_engine().read(slide("The mass is 47 grams", size=16, shape=(640, 360))))


def test_slides_come_with_their_positions_and_without_specks():
    class Engine:
        def read(self, frame):
            return ["| °", "Mass: 47 g", "_", "7"]

    assert list(ocr.read_slides(torch.stack([slide("Mass: 47 g")] * 2), Engine())) == [(0, ["Mass: 47 g", "7"])]


def test_without_the_program_rapidocr_is_used(monkeypatch):
    monkeypatch.setattr(ocr.shutil, "which", lambda program: None)
    assert ocr.find_engine().name == "rapidocr"
    with pytest.raises(ChalkbenchError, match="tesseract-ocr"):
        ocr.find_engine("tesseract")


def test_unknown_engine_is_named():
    with pytest.raises(ValueError, match=r"'easyocr'.*rapidocr"):
        ocr.find_engine("easyocr")


def test_frame_that_takes_the_program_too_long_holds_no_text(monkeypatch):
    if ocr.find_engine().name != "tesseract":
        pytest.skip("tesseract is not installed")
    engine = ocr.Tesseract()
    monkeypatch.setattr(ocr, "PAGE_SECONDS", 1e-3)
    assert engine.read(slide("Mass")) == []
