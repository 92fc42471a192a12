"""JavaScript and CSS of several widgets on one page: numbers as in Python, no class twice."""

import math
import re

import numpy as np

from azlearn.viz import assets
from azlearn.viz.formatting import num, signed
from azlearn.viz.tree_picture import _visits
from tests.viz.conftest import in_browser

__all__ = ["in_browser"]  # for tests elsewhere


def source(name):
    return (assets.STATIC / name).read_text(encoding="utf-8")


def test_numbers_are_written_alike_in_both_languages(in_browser):
    rng = np.random.default_rng(0)
    values = [k / 8 for k in range(-20, 21)] + [k / 200 for k in range(-250, 251)]
    values += [1e-9, -1e-9, 0.004999, 0.005, -0.005, 9.995, 10.0, -10.0, 99.995, 1234.5, 1e6]
    values += [math.inf, -math.inf, math.nan, 2.675, 1.005, -0.285]
    values += rng.normal(0, 3, 400).tolist()
    mine = [[*(num(v, d) for d in range(5)), signed(v)] for v in values]
    row = "v => [...[0, 1, 2, 3, 4].map(d => num(v, d)), signed(v)]"
    theirs = in_browser(f"all => all.map({row})", values)
    assert [pair for pair in zip(values, mine, theirs, strict=True) if pair[1] != pair[2]] == []
    visits = [[n, 21] for n in (999, 9_949, 9_950, 12_345, 999_499, 999_500, 9_950_000, 2**31)]
    visits += [[n, 0] for n in range(1_000, 20_000, 50)] + [[n, 35] for n in (12_345, 123_456)]
    theirs = in_browser("all => all.map(([n, room]) => count(n, room))", visits)
    assert [_visits(*each) for each in visits] == theirs
    assert [_visits(n, 0) for n in (1_250, 2_250, 10_500, 12_500)] == ["1.3k", "2.3k", "11k", "13k"]
    # Halves are rounded away from zero; a small lead keeps the decimals that tell it.
    assert (num(0.125), num(-0.125), signed(-0.125)) == ("0.13", "−0.13", "−0.13")
    assert (num(-0.001), signed(0.001), signed(0.75)) == ("0.00", "0.00", "+0.75")
    leads = in_browser("all => all.map(lead)", [0.0089, 0.0512, 0.1186, -0.25, 0.0, math.inf])
    assert leads == ["+0.0089", "+0.051", "+0.12", "−0.25", "0.00", "∞"]
    badges = in_browser("all => all.map(badge)", [1.0, -0.5, -0.125, 0.0, math.nan])
    assert badges == ["+1", "−0.50", "−0.13", "0", "NaN"]


def bare_rules(sheet):
    """{"azl-row": "display: flex; …"} of the rules whose selector is one class."""
    css = re.sub(r"/\*.*?\*/", "", source(sheet), flags=re.S)
    found = re.findall(r"(?:^|\})\s*\.(azl-[\w-]+)\s*\{([^}]*)(?=\})", css)
    return {name: " ".join(rule.split()) for name, rule in found}


def test_a_class_of_the_play_table_is_no_class_of_the_explorer():
    """Both stand on one page, where each one's style sheet holds for the other as well."""
    table = bare_rules("play.css")
    assert len(table) > 10
    for sheet in ("explorer.css", "tree.css", "search_settings.css", "compare.css"):
        shared = table.keys() & bare_rules(sheet).keys()
        assert {name for name in shared if table[name] != bare_rules(sheet)[name]} <= {"azl"}, sheet


def test_the_bandit_shares_no_class_with_another_widget():
    """All of them can stand on one page, such as a chapter of the site."""

    def classes(*sheets):
        return {name for sheet in sheets for name in re.findall(r"\.(azl-[\w-]+)", source(sheet))}

    others = [path.name for path in assets.STATIC.glob("*.css") if path.name != "bandit.css"]
    assert len(others) > 3
    assert classes("bandit.css") & classes(*others) <= {"azl-sr"}
