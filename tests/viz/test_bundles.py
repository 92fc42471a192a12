"""JS modules joined in one file: no name twice, imports from above, numbers as in Python."""

import json
import math
import re

import numpy as np
import pytest

from azlearn.course import clinic
from azlearn.viz import assets
from azlearn.viz.numerals import badge, lead, num, signed
from azlearn.viz.replaying import line_at, victor_at

BUNDLES = {"explorer": assets.EXPLORER, "compare": assets.COMPARE, "play": assets.PLAY}
EXPORT = re.compile(r"^export (?:const|let|class|function) (\w+)", re.MULTILINE)
TOP_LEVEL = re.compile(r"^(?:export )?(?:const|let|class|function) (\w+)", re.MULTILINE)
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+\.js)";', re.MULTILINE)


def source(name):
    return (assets.STATIC / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("bundle", BUNDLES)
def test_no_name_is_given_twice(bundle):
    """A clash is an error of syntax, and leaves the page blank. The last file has no scope."""
    *files, last = BUNDLES[bundle]
    given = [(name, file) for file in files for name in EXPORT.findall(source(file))]
    given += [(name, last) for name in TOP_LEVEL.findall(source(last))]
    names = [name for name, _ in given]
    assert len(names) > 10
    assert not [pair for pair in given if names.count(pair[0]) > 1]


@pytest.mark.parametrize("bundle", BUNDLES)
def test_every_import_is_exported_by_a_file_before(bundle):
    files = BUNDLES[bundle]
    for k, file in enumerate(files):
        for names, origin in IMPORT.findall(source(file)):
            assert origin in files[:k], (file, origin)
            missing = {name.strip() for name in names.split(",")} - set(
                EXPORT.findall(source(origin))
            )
            assert not missing, (file, origin, missing)


@pytest.fixture(scope="module")
def in_browser(browser):
    """A function: evaluates an expression where the names of some of the files are known."""
    page = browser.new_page()
    page.set_content("<p>numbers</p>")
    page.add_script_tag(content=assets.module(("paint.js", "replay.js")))
    yield page.evaluate
    page.close()


def test_numbers_are_written_alike_in_both_languages(in_browser):
    rng = np.random.default_rng(0)
    values = [k / 8 for k in range(-20, 21)] + [k / 200 for k in range(-250, 251)]
    values += [1e-9, -1e-9, 0.004999, 0.005, -0.005, 9.995, 10.0, -10.0, 99.995, 1234.5, 1e6]
    values += [math.inf, -math.inf, math.nan, 2.675, 1.005, -0.285]
    values += rng.normal(0, 3, 400).tolist()
    mine = [[*(num(v, d) for d in range(5)), signed(v), lead(v), badge(v)] for v in values]
    row = "v => [...[0, 1, 2, 3, 4].map(d => num(v, d)), signed(v), lead(v), badge(v)]"
    theirs = in_browser(f"all => all.map({row})", values)
    assert [pair for pair in zip(values, mine, theirs, strict=True) if pair[1] != pair[2]] == []


def test_halves_are_rounded_away_from_zero():
    assert (num(0.125), num(-0.125), signed(-0.125)) == ("0.13", "−0.13", "−0.13")
    assert (num(-0.001), signed(0.001), signed(0.75)) == ("0.00", "0.00", "+0.75")


def test_a_small_lead_keeps_the_decimals_that_tell_it():
    assert [lead(x) for x in (0.0089, 0.0512, 0.1186, -0.25, 0.0, math.inf)] == [
        "+0.0089", "+0.051", "+0.12", "−0.25", "0.00", "∞",
    ]  # fmt: skip
    assert [badge(x) for x in (1.0, -1.0, 0.667, 0.0)] == ["+1", "−1", "+0.67", "0"]


def test_what_a_backup_adds_is_written_with_its_sign(in_browser):
    values = [1.0, -0.5, -0.125, 0.0, math.nan]
    expected = ["+1", "−0.50", "−0.13", "0", "NaN"]
    assert in_browser("all => all.map(badge)", values) == expected


@pytest.mark.parametrize("letter", ["B", "D"])
def test_both_languages_see_the_same_ends_and_lines(in_browser, letter):
    """B plays on below finished games: there the line is older than the last move."""
    record = clinic.case(letter).recording.to_dict()
    nodes = record["nodes"]
    size = range(len(nodes["parent"]))
    mine = [[line_at(record, i), victor_at(record, i)] for i in size]
    theirs = in_browser(
        "text => { const r = new Replay(JSON.parse(text));"
        " return r.parent.map((_, i) => [r.line(i), r.victor(i)]); }",
        json.dumps(record),
    )
    assert theirs == mine
    assert all(line for (line, victor) in mine if victor in (0, 1))
    old = [i for i in size if mine[i][0] and nodes["cell"][i] not in mine[i][0]]
    assert bool(old) == (letter == "B")


def test_a_finished_game_without_a_line_is_a_draw():
    record = {"nodes": {"outcome": [0, None, 1, -1], "to_play": [1, 1, 1, 1]}}
    assert [victor_at(record, i) for i in range(4)] == [-1, None, 1, 0]


def bare_rules(sheet):
    """{"azl-row": "display: flex; …"} of the rules whose selector is one class."""
    css = re.sub(r"/\*.*?\*/", "", source(sheet), flags=re.S)
    found = re.findall(r"(?:^|\})\s*\.(azl-[\w-]+)\s*\{([^}]*)(?=\})", css)
    return {name: " ".join(rule.split()) for name, rule in found}


def test_a_class_of_the_play_table_is_no_class_of_the_explorer():
    """Both stand on one page, where each one's style sheet holds for the other as well."""
    table = bare_rules("play.css")
    assert len(table) > 10
    for sheet in ("explorer.css", "tree.css", "knobs.css", "compare.css"):
        shared = table.keys() & bare_rules(sheet).keys()
        assert {name for name in shared if table[name] != bare_rules(sheet)[name]} <= {"azl"}, sheet
