"""The HTML page: whole in one file, well formed, harmless whatever the data hold, and usable in a real browser."""

import base64
import hashlib
import html
import json
import re
import shutil
import subprocess
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine (Debian: chromium)")
VOID = {"meta", "input", "br", "img", "link", "hr"}


class Page(HTMLParser):
    """Elements with their attributes, and whether every one that is opened is closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found, self.open, self.texts = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.texts.append(data)


@pytest.fixture(scope="module")
def page(results, sample_data, tmp_path_factory) -> Path:
    """The page of all results, with the questions."""
    from chalkbench.report.command import Format, write

    path = tmp_path_factory.mktemp("page") / "report.html"
    write([results], format=Format.HTML, output=path, data=[sample_data], published=True, items=1000)
    return path


@pytest.fixture(scope="module")
def parsed(page) -> Page:
    return Page(page.read_text())


def held(page: Path) -> dict:
    """What the page's script reads."""
    return json.loads(re.search(r'<script id="data"[^>]*>(.*?)</script>', page.read_text(), flags=re.DOTALL)[1])


def test_the_page_is_well_formed_and_its_ids_are_unique(parsed):
    ids = Counter(attributes["id"] for _, attributes in parsed.found if "id" in attributes)
    assert ids and set(ids.values()) == {1}
    named = {attributes[name] for _, attributes in parsed.found for name in ("aria-labelledby",) if name in attributes}
    assert named <= set(ids)
    hrefs = {attributes["href"] for tag, attributes in parsed.found if tag == "a"}
    assert hrefs and all(href.startswith("#") and href[1:] in ids for href in hrefs)


def test_nothing_is_fetched(page, parsed):
    for tag, attributes in parsed.found:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form")
        assert not {"src", "srcset", "action", "background", "poster", "style_src"} & set(attributes)
        for name in ("href", "xlink:href"):
            assert attributes.get(name, "#").startswith("#")
    assert not re.search(r"@import|url\((?!#)", page.read_text())
    policy = next(one["content"] for tag, one in parsed.found if "http-equiv" in one)
    assert policy.startswith("default-src 'none';")


def test_the_only_script_that_may_run_is_the_page_s_own(page, parsed):
    scripts = [attributes for tag, attributes in parsed.found if tag == "script"]
    assert scripts == [{"id": "data", "type": "application/json"}, {}]
    own = re.findall(r"<script>(.*?)</script>", page.read_text(), flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(own[0].encode()).digest()).decode()
    assert len(own) == 1 and f"script-src 'sha256-{digest}'" in page.read_text()
    assert not any(name.startswith("on") for _, attributes in parsed.found for name in attributes)


def test_text_from_data_stays_text(page, parsed):
    text = page.read_text()
    assert "<img" not in text and "<i>" not in text and "onerror=" not in re.sub(r"<script.*?</script>", "", text)
    assert "<i>M & $x_1$|\\evil%`</i>" in html.unescape(text)
    replies = [reply["text"] for item in held(page)["items"] for reply in item["replies"]]
    assert any("</script><img src=x" in reply for reply in replies)


def test_tables_show_the_numbers_of_the_results(parsed, entries):
    shown = set(map(str.strip, parsed.texts))
    for folder in ("one", "two", "hostile"):
        for task, entry in entries(folder).items():
            result = entry["result"]
            value = result["official"]["value"]
            assert f"{100 * value / result['top']:.2f}" in shown, task


def test_the_best_are_bold_and_no_published_row_is(page, made):
    text = page.read_text()
    best = sum(cell.best for table in made().values() for row in table.own for cell in row.cells.values())
    overall = sum(
        row.cells["overall"].best for table in made().values() for row in table.own if "overall" in row.cells
    )
    assert text.count('<td class="best"><strong>') == best + overall  # the overview shows them again
    for body in re.findall(r'<tbody class="papers".*?</tbody>', text, flags=re.DOTALL):
        assert "<strong>" not in body and "paper, Table" in body.replace("paper, text", "paper, Table")


def test_pictures_are_xml_with_names_and_take_the_page_s_colours(page):
    text = page.read_text()
    pictures = re.findall(r"<svg class=\"chart\".*?</svg>", text, flags=re.DOTALL)
    titles = re.findall(r"<figcaption><strong>(.*?)\.</strong>", text)
    assert len(pictures) == len(titles)
    assert {"Scores", "Evidence", "Chosen labels", "How replies were read"} <= set(titles)
    for picture in pictures:
        root = ElementTree.fromstring(picture)
        assert "".join(root.itertext()).strip()
        assert "var(--ink)" in picture and not re.search(r"#0[1-9a-f]0[0-9a-f]{3}", picture)


def test_items_hold_question_options_gold_and_every_row_s_reply(page, results):
    data = held(page)
    rows = [row["name"] for row in data["rows"]]
    item = next(item for item in data["items"] if item["benchmark"] == "vira_bench")
    assert item["question"] and item["options"][item["gold"]] == item["answer"]
    lines = (results / "one" / "answers" / "vira_bench.jsonl").read_text().splitlines()
    answer = next(line for line in map(json.loads, lines) if line["id"] == item["id"])
    reply = next(reply for reply in item["replies"] if rows[reply["row"]] == "random:1")
    assert (reply["text"], reply["label"]) == (answer["answer"], answer["choice"])
    assert reply["place"] == answer["released_choice"]
    assert reply["right"] == (answer["value"] == 1) == (reply["place"] == item["gold"])


def test_the_flags_of_an_item_are_what_its_replies_say(page):
    data = held(page)
    for item in data["items"]:
        right = [reply["right"] for reply in item["replies"]]
        flags = set(item["flags"])
        assert ("wrong" in flags) == (False in right and True not in right)
        assert ("differs" in flags) == (False in right and True in right)
        assert ("unparsed" in flags) == any(reply["status"] == "unparsed" for reply in item["replies"])
    flags = Counter(flag for item in data["items"] for flag in item["flags"])
    assert set(flags) >= {"wrong", "differs", "unparsed"}


def test_what_taking_evidence_away_changes_has_a_flag(cli, results, tmp_path):
    shutil.copytree(results / "one", tmp_path / "one")
    path = tmp_path / "one" / "answers" / "instructionbench_blind.jsonl"
    first, *others = map(json.loads, path.read_text().splitlines())
    first["value"] = 1.0 - first["value"]
    path.write_text("\n".join(map(json.dumps, [first, *others])))
    assert cli("report", "one", "--output", "r.html")[0] == 0
    flagged = [item["id"] for item in held(tmp_path / "r.html")["items"] if "condition" in item["flags"]]
    assert flagged == [first["id"]]


def test_a_page_without_data_says_so_and_still_shows_the_replies(cli, results, tmp_path):
    assert cli("report", results / "two", "--output", "r.html")[0] == 0
    text = (tmp_path / "r.html").read_text()
    assert "--data LAYOUTS" in text
    items = held(tmp_path / "r.html")["items"]
    assert items and not any(item["question"] or item["options"] for item in items)
    assert all(reply["text"] for item in items for reply in item["replies"])


def test_the_number_of_items_is_bounded_and_said(cli, results, tmp_path):
    assert cli("report", results / "one", "--output", "r.html", "--items", "12")[0] == 0
    items = held(tmp_path / "r.html")["items"]
    assert len(items) == 12 and all(item["flags"] for item in items)
    assert len({(item["benchmark"], item["task"]) for item in items}) == 12  # the tasks take turns
    assert re.search(r"12 of \d+ questions are in this page", (tmp_path / "r.html").read_text())


def test_long_replies_are_cut(results, tmp_path, cli):
    shutil.copytree(results / "hostile", tmp_path / "long")
    path = tmp_path / "long" / "answers" / "vira_bench.jsonl"
    lines = [json.loads(line) | {"answer": "x" * 100_000} for line in path.read_text().splitlines()]
    path.write_text("\n".join(map(json.dumps, lines)))
    assert cli("report", "long", "--output", "r.html")[0] == 0
    assert (tmp_path / "r.html").stat().st_size < 400_000
    assert held(tmp_path / "r.html")["items"][0]["replies"][0]["text"].endswith("… (100000 characters)")


def chromium(*arguments: str, folder: Path) -> str:
    """What Chromium prints. Its profile is in the folder."""
    done = subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


PROBE = """<!doctype html><title>waiting</title><iframe src="report.html" style="width:WIDTHpx;height:900px"></iframe>
<script>
onload = () => {
  const page = frames[0].document, said = {};
  const choose = (id, value, event) => {
    page.getElementById(id).value = value;
    page.getElementById(id).dispatchEvent(new frames[0].Event(event));
    return page.getElementById("count").textContent;
  };
  said.title = page.title;
  said.overflow = page.documentElement.scrollWidth - page.documentElement.clientWidth;
  said.all = page.getElementById("count").textContent;
  said.unparsed = choose("by-flag", "unparsed", "change");
  const first = page.querySelector(".item");
  first.open = true;
  setTimeout(() => {
    said.reply = first.querySelector("blockquote").textContent;
    said.strangers = first.querySelectorAll("img, b, i").length;
    choose("by-flag", "", "change");
    said.task = choose("by-task", "vira_bench/default", "change");
    said.none = choose("by-text", "no such words", "input");
    const box = page.querySelector("[data-hides=lemon-papers]");
    box.click();
    said.hidden = page.getElementById("lemon-papers").offsetHeight;
    said.dark = frames[0].getComputedStyle(page.body).backgroundColor;
    document.title = "done";
    document.body.textContent = JSON.stringify(said);
  }, 200);
};
</script>"""


@needs_chromium
@pytest.mark.parametrize(("width", "dark"), [(390, True), (1280, False)])
def test_the_page_works_in_chromium_at_phone_and_desktop_width(page, tmp_path, width, dark):
    shutil.copy(page, tmp_path / "report.html")
    (tmp_path / "probe.html").write_text(PROBE.replace("WIDTH", str(width)))
    out = chromium(
        "--allow-file-access-from-files",
        "--virtual-time-budget=20000",
        f"--blink-settings=preferredColorScheme={0 if dark else 1}",
        "--dump-dom",
        (tmp_path / "probe.html").as_uri(),
        folder=tmp_path,
    )
    said = json.loads(html.unescape(re.search(r"<body>(.*?)</body>", out, flags=re.DOTALL)[1]))
    data = held(page)["items"]
    flags = Counter(flag for item in data for flag in item["flags"])
    assert said["title"] == "chalkbench: results"
    assert said["overflow"] <= 0
    assert said["all"].startswith(f"{len(data)} of {len(data)} questions")
    assert said["unparsed"].startswith(f"{flags['unparsed']} of {len(data)}")
    assert said["task"].startswith(f"{sum(item['benchmark'] == 'vira_bench' for item in data)} of")
    assert said["none"] == f"0 of {len(data)} questions"
    assert said["reply"] and said["strangers"] == 0
    assert said["hidden"] == 0
    red = int(re.search(r"\d+", said["dark"])[0])
    assert (red < 80) == dark


@needs_chromium
def test_nothing_in_the_page_breaks_its_own_policy(page, tmp_path):
    done = subprocess.run(
        [
            *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"),
            *("--enable-logging=stderr", "--virtual-time-budget=5000", "--dump-dom", page.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert done.returncode == 0 and console == []
    assert 'class="item"' in done.stdout
