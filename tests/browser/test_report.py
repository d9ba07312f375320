"""The report in a real browser: every view, by mouse and keyboard, without a script, in print, with any text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mtassay
from mtassay.data import Scores, TestSet, load, load_judgements
from mtassay.sample import human_scores_path, sample_path

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, ConsoleMessage, Page

    from mtassay.verbs.report import ReportResult

METRICS = ("bleu", "chrf", "ter")
SYSTEM_COLUMN, FIRST_SCORE = 0, 1


@pytest.fixture(scope="module")
def result() -> ReportResult:
    texts = load(sample_path())
    judged = load_judgements(human_scores_path(), testset=texts)
    assert isinstance(judged, Scores)
    return mtassay.report(texts, metrics=METRICS, judgements=judged, gold="z", command="mtassay report")


@pytest.fixture(scope="module")
def path(result: ReportResult, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    result.report(path)
    return path


def opened(page: Page, path: Path) -> Page:
    """The page, after a check that it asks for nothing else and that its policy forbids nothing it needs."""
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(_text(message)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    assert asked == [path.as_uri()]
    assert not said
    return page


def _text(message: ConsoleMessage) -> str:
    return message.text


@pytest.fixture
def report(page: Page, path: Path) -> Page:
    return opened(page, path)


def column(page: Page, selector: str, number: int) -> list[str]:
    """Texts of a column of a table."""
    return [text.strip() for text in page.locator(f"{selector} tbody tr td:nth-child({number + 1})").all_inner_texts()]


def test_every_section_is_there_and_linked(report: Page) -> None:
    links = report.locator("nav a")
    names = [str(link.get_attribute("href")) for link in links.all()]
    assert names == [
        f"#{name}"
        for name in (
            *("summary", "scores", "significance", "clusters", "differences", "segments", "ngrams", "errors"),
            *("humans", "metaeval", "reproduce"),
        )
    ]
    assert all(report.locator(f"section{name} h2").count() == 1 for name in names)
    assert "is significantly better than every other system" in report.locator("#summary").inner_text()
    assert "$ mtassay report" in report.locator("#reproduce").inner_text()


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing(browser: Browser, path: Path, axe: Callable[[Page], None], scheme: Any, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
    page = opened(context.new_page(), path)
    for details in page.locator("details").all():
        details.evaluate("one => { one.open = true; }")
    axe(page)
    for tabs in page.locator("[role=tablist]").all():
        tabs.locator("[role=tab]").last.click()
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    context.close()


def test_light_and_dark_can_be_chosen(report: Page) -> None:
    def lightness() -> float:
        colour = str(report.evaluate("getComputedStyle(document.body).backgroundColor"))
        return sum(map(float, re.findall(r"\d+", colour)[:3]))

    light = lightness()
    report.get_by_role("button", name="Dark").click()
    dark = lightness()
    assert dark < 200 < 600 < light
    report.get_by_role("button", name="Light").click()
    assert lightness() == light


def test_columns_are_sorted_both_ways(report: Page, result: ReportResult) -> None:
    report.locator("#scores th button", has_text="TER ↓").click()
    header = report.locator("#scores th", has_text="TER ↓")
    assert header.get_attribute("aria-sort") == "descending"
    worst_first = [float(text) for text in column(report, "#scores", 3)]
    assert worst_first == sorted(worst_first, reverse=True)
    report.locator("#scores th button", has_text="TER ↓").click()
    assert header.get_attribute("aria-sort") == "ascending"
    assert [float(text) for text in column(report, "#scores", 3)] == worst_first[::-1]
    report.locator("#scores th button", has_text="system").click()
    report.locator("#scores th button", has_text="system").click()
    assert column(report, "#scores", 0) == sorted(result.systems)


def test_tabs_obey_the_arrow_keys(report: Page) -> None:
    tabs = report.locator("#significance [role=tab]")
    assert tabs.all_inner_texts() == ["BLEU", "chrF2", "TER"]
    tabs.first.focus()
    report.keyboard.press("ArrowRight")
    assert tabs.nth(1).get_attribute("aria-selected") == "true"
    shown = report.locator("#significance .tab:not([hidden])")
    assert shown.count() == 1
    assert shown.inner_text().startswith("chrF2, approximate randomisation")
    report.keyboard.press("ArrowLeft")
    report.keyboard.press("ArrowLeft")
    assert tabs.nth(2).get_attribute("aria-selected") == "true"


def test_the_keyboard_reaches_everything(report: Page) -> None:
    report.keyboard.press("Tab")
    assert report.evaluate("document.activeElement.textContent") == "Skip to the contents"
    reached = set()
    for _ in range(200):
        report.keyboard.press("Tab")
        reached.add(report.evaluate("document.activeElement.tagName + (document.activeElement.className || '')"))
    assert {"BUTTON", "BUTTONlink", "SELECT", "INPUT", "SUMMARY", "DIVtable", "DIVchart"} <= reached


def choose(page: Page, **choices: str) -> None:
    """Choose systems and metric by their labels."""
    for label, value in choices.items():
        page.locator("#controls label", has_text=f"{label} system" if label != "Metric" else label).locator(
            "select"
        ).select_option(label=value)


def test_buckets_of_any_pair_have_the_numbers_of_analyse(report: Page, result: ReportResult) -> None:
    choose(report, First="dune", Second="borealis", Metric="chrF2")
    report.locator("#differences [role=tab]", has_text="length").first.click()
    assert result.analysed is not None
    view = next(view for view in result.analysed.to_dict()["segments"] if view["view"] == "length")
    rows = report.locator(".buckets[data-view=length] tbody tr")
    assert rows.count() == len(view["buckets"])
    for row, bucket in zip(rows.all(), view["buckets"], strict=True):
        cells = [text.strip() for text in row.locator("td").all_inner_texts()]
        [of_metric] = [of for of in bucket["metrics"] if of["name"] == "chrF2"]
        scores = {one["system"]: one["score"] for one in of_metric["systems"]}
        [pair] = [of for of in of_metric["pairs"] if set(of["systems"]) == {"dune", "borealis"}]
        assert cells[:4] == [
            bucket["bucket"],
            str(len(bucket["segments"])),
            f"{scores['dune']:.1f}",
            f"{scores['borealis']:.1f}",
        ]
        assert cells[4] == f"{scores['dune'] - scores['borealis']:+.1f}"
        assert float(cells[5]) == pytest.approx(pair["p_adjusted"], rel=0.05)


def test_a_bucket_opens_its_segments(report: Page, result: ReportResult) -> None:
    assert result.analysed is not None
    view = next(view for view in result.analysed.to_dict()["words"] if view["view"] == "frequency")
    bucket = view["buckets"][1]
    report.locator(".buckets[data-view=frequency] button", has_text=bucket["bucket"]).first.click()
    found = report.locator("#found")
    assert f"{len(bucket['segments'])} of 64 segments" in found.inner_text()
    while report.locator(".more").count():
        report.locator(".more").click()
    shown = [int(text.split()[1]) for text in report.locator("#segments-of-pair .example b").all_inner_texts()]
    assert sorted(shown) == bucket["segments"]
    report.get_by_role("button", name="show all").click()
    assert "64 of 64 segments" in found.inner_text()


def test_segments_are_filtered_by_words_and_by_the_better_system(report: Page, result: ReportResult) -> None:
    report.locator(".filters input").fill("LUNCH")
    texts = report.locator("#segments-of-pair .example").all_inner_texts()
    assert texts
    assert all("lunch" in text.lower() for text in texts)
    report.locator(".filters input").fill("")
    assert result.analysed is not None
    second = result.analysed.pair
    assert second is not None
    report.locator(".filters select").first.select_option(label=second[1])
    bleu = result.scored.segment_scores()[:, :, 0]
    first, other = (bleu[result.systems.index(name)] for name in second)
    assert f"{int((other > first).sum())} of 64 segments" in report.locator("#found").inner_text()
    assert report.locator("#segments-of-pair .example span").first.inner_text().startswith("BLEU -")


def test_segments_have_the_scores_of_single_segments(report: Page, result: ReportResult) -> None:
    choose(report, First="ember", Second="fjord")
    example = report.locator("#segments-of-pair .example").first
    segment = int(example.locator("b").inner_text().split()[1]) - 1
    scores = result.scored.segment_scores()
    for place, system in enumerate(("ember", "fjord")):
        of_segment = scores[result.systems.index(system), segment]
        shown = " · ".join(
            f"{name} {value:.1f}" for name, value in zip(("BLEU", "chrF2", "TER ↓"), of_segment, strict=True)
        )
        assert example.locator("small").nth(place).inner_text().startswith(shown)
        assert "human z" in example.locator("small").nth(place).inner_text()


def test_a_dot_of_the_chart_opens_its_segment(report: Page) -> None:
    chart = report.locator(".scatter svg")
    chart.scroll_into_view_if_needed()
    place = report.evaluate(
        """() => {
          const dot = document.querySelector(".scatter path.first").getAttribute("d").slice(1).split(/[ h]/);
          const box = document.querySelector(".scatter svg").getBoundingClientRect();
          return [box.left + dot[0] * box.width / 400, box.top + dot[1] * box.width / 400];
        }"""
    )
    report.mouse.click(*place)
    assert "1 of 64 segments" in report.locator("#found").inner_text()
    assert report.locator("#segments-of-pair .example").count() == 1


def test_an_ngram_opens_its_segments(report: Page, result: ReportResult) -> None:
    assert result.analysed is not None
    ngrams = result.analysed.ngrams
    assert ngrams is not None
    first = ngrams.differences["matched"][0][0]
    report.locator("#ngrams button.link").first.click()
    assert f"{len(first.segments)} of 64 segments" in report.locator("#found").inner_text()


def test_two_systems_of_the_scores_open_side_by_side(report: Page) -> None:
    report.locator("#scores button.link", has_text="ember").click()
    assert "ember is the first system" in report.locator("#scores [role=status]").inner_text()
    report.locator("#scores button.link", has_text="atlas").click()
    chosen = [
        field.evaluate("one => one.selectedOptions[0].text") for field in report.locator("#controls select").all()
    ]
    assert chosen == ["ember", "atlas", "BLEU"]


def test_the_report_is_read_without_a_script(browser: Browser, path: Path, result: ReportResult) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    for name in ("summary", "scores", "significance", "clusters", "differences", "segments", "ngrams", "errors"):
        assert page.locator(f"#{name}").inner_text().strip(), name
    assert all(tab.is_visible() for tab in page.locator(".tab").all())
    assert result.analysed is not None
    examples = result.analysed.examples
    assert examples is not None
    assert page.locator("#segments .example").count() == len(examples.first) + len(examples.second)
    assert page.locator("#controls").is_hidden()
    assert column(page, "#scores", SYSTEM_COLUMN) == [result.systems[s] for s in result.scored.ranked]
    context.close()


def test_the_report_prints(report: Page) -> None:
    report.emulate_media(media="print")
    assert report.locator("nav").is_hidden()
    assert report.locator("#tools").is_hidden()
    assert report.pdf()[:5] == b"%PDF-"


NAMES = ("<script>alert(1)</script>", "a&b \"quoted\" 'too'", "نظام", "系统", "x" * 150)
TEXTS = (
    "<img src=x onerror=alert(1)> & </script><script>alert(2)</script>",
    "اختبار قصير من اليمين إلى اليسار (مع أقواس)",
    "这是一个没有空格的测试句子",
    "👩‍👩‍👧 emoji 🇺🇳 and e\u0301 combining",
    "very" * 3000,
    "\u202egnorw eht yaw dnuora",
)


@pytest.fixture(scope="module")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Any text and any name."""
    systems = {name: [*TEXTS[n % 3 :], *TEXTS[: n % 3]] for n, name in enumerate(NAMES)}
    texts = TestSet([TEXTS], systems, sources=TEXTS[::-1], name="<b>&amp;\"'</b>", language_pair="ar-zh")
    path = tmp_path_factory.mktemp("nasty") / "report.html"
    mtassay.report(texts, metrics=["chrf"], resamples=50, command="mtassay report '<i>'").report(path)
    return path


@pytest.fixture
def strange(page: Page, nasty: Path) -> Page:
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    return opened(page, nasty)


def test_any_text_is_shown_as_text(strange: Page, axe: Callable[[Page], None]) -> None:
    assert strange.title().startswith("<b>&amp;\"'</b>")
    # The data and the script are the only ones, and nothing that a text names became an element.
    assert strange.locator("script").count() == 2
    assert strange.locator("main :is(img, b b, i)").count() == 0
    assert set(column(strange, "#scores", SYSTEM_COLUMN)) == set(NAMES)
    for text in TEXTS:
        assert strange.locator("#segments-of-pair bdi", has_text=text).count()
    axe(strange)


def test_texts_have_their_own_direction_and_language(strange: Page) -> None:
    source = strange.locator("#segments-of-pair bdi[lang=ar]", has_text="اختبار").first
    assert source.get_attribute("dir") == "auto"
    assert source.evaluate("one => getComputedStyle(one).direction") == "rtl"
    target = strange.locator("#segments-of-pair bdi[lang=zh]", has_text="这是").first
    assert target.evaluate("one => getComputedStyle(one).direction") == "ltr"


def test_long_lines_do_not_widen_the_page(browser: Browser, nasty: Path) -> None:
    for width in (1280, 390):
        context = browser.new_context(viewport={"width": width, "height": 800})
        page = opened(context.new_page(), nasty)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        context.close()


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["score", "compare", "rank", "analyse", "power", "humans", "metaeval", "diff"])
def test_the_page_of_a_verb_is_a_part_of_the_report(
    verb: str, page: Page, axe: Callable[[Page], None], tmp_path: Path
) -> None:
    texts = load(sample_path())
    judged = load_judgements(human_scores_path(), testset=texts)
    assert isinstance(judged, Scores)
    calls: dict[str, Callable[[], Any]] = {
        "score": lambda: mtassay.score(texts),
        "compare": lambda: mtassay.compare(texts, resamples=100),
        "rank": lambda: mtassay.rank(texts, resamples=100),
        "analyse": lambda: mtassay.analyse(texts, resamples=50),
        "power": lambda: mtassay.power(texts, pair=["dune", "ember"], trials=20, resamples=40),
        "humans": lambda: mtassay.humans(judged, resamples=50),
        "metaeval": lambda: mtassay.metaeval(texts, judgements=judged, resamples=50),
        "diff": lambda: mtassay.diff(texts),
    }
    calls[verb]().report(tmp_path / "page.html")
    axe(opened(page, tmp_path / "page.html"))
    if verb == "analyse":
        assert page.locator("#segments-of-pair .example").count()


def test_one_system(page: Page, axe: Callable[[Page], None], tmp_path: Path) -> None:
    texts = load(sample_path()).select(systems=["atlas"])
    mtassay.report(texts, metrics=METRICS).report(tmp_path / "page.html")
    opened(page, tmp_path / "page.html")
    axe(page)
    assert page.locator(".scatter").count() == 0
    page.locator(".buckets button.link").first.click()
    assert page.locator("#segments-of-pair .example").count()


def test_a_choice_keeps_the_focus(report: Page) -> None:
    """What is drawn anew does not take the keyboard away."""
    order = report.locator(".filters select").last
    order.focus()
    order.select_option(label="segment number")
    assert report.evaluate("document.activeElement.tagName") == "SELECT"
    assert report.locator("#segments-of-pair .example b").first.inner_text() == "segment 1"
    report.locator(".more").focus()
    report.keyboard.press("Enter")
    assert report.evaluate("document.activeElement.querySelector('b').textContent") == "segment 7"


@pytest.mark.slow
def test_a_large_report(page: Page, tmp_path: Path, axe: Callable[[Page], None]) -> None:
    """31 systems × 3000 segments: less than 5 MB, and the first view within a second."""
    rng = np.random.default_rng(1)
    words = np.array([f"word{n}" for n in range(5000)])
    ids = rng.zipf(1.3, size=(3000, 25)) % 5000
    references = [" ".join(words[row]) for row in ids]
    systems = {}
    for system in range(31):
        noise = np.where(rng.random(ids.shape) < 0.2 + system / 60, rng.integers(0, 5000, ids.shape), ids)
        systems[f"system-{system}"] = [" ".join(words[row]) for row in noise]
    texts = TestSet([references], systems, sources=references)
    path = tmp_path / "report.html"
    mtassay.report(texts, threads=0).report(path)
    assert path.stat().st_size < 5_000_000
    opened(page, path)
    painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    assert painted < 1000
    axe(page)
    page.locator(".buckets button.link").nth(1).click()
    assert page.locator("#segments-of-pair .example").count()
    choose(page, First="system-30", Second="system-12")
    assert page.locator("#segments-of-pair .example dt.first").first.inner_text() == "system-30"


def test_intervals_of_a_column_stand_below_each_other(report: Page) -> None:
    """Dots of one column can be compared only if their scales begin at the same place, whatever the texts are."""
    starts = """table => [...table.querySelectorAll("svg.span")].map(
        drawing => [drawing.closest("td").cellIndex, drawing.getBoundingClientRect().left])"""
    tables = [table.evaluate(starts) for table in report.locator("table:visible").all()]
    columns = [
        {round(left, 1) for column, left in found if column == wanted}
        for found in tables
        for wanted in {column for column, _ in found}
    ]
    assert len(columns) >= 4 + 5 + 1  # scores and intervals, error classes, rank ranges
    assert all(len(lefts) == 1 for lefts in columns)


def test_long_names_do_not_cut_tables_of_a_desktop(browser: Browser, tmp_path: Path) -> None:
    texts = load(sample_path())
    named = {f"{name}-unconstrained-primary.2755": outputs for name, outputs in texts.systems.items()}
    path = tmp_path / "report.html"
    mtassay.report(TestSet(texts.references, named), metrics=METRICS).report(path)
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.as_uri())
    for table in page.locator("table:visible", has=page.locator("svg.span")).all():
        assert table.evaluate("table => table.scrollWidth <= table.parentElement.clientWidth")
    page.close()
