"""Where the tree's nodes stand: sizes by room, order, no overlaps, nothing that is not there."""

import functools
import itertools
import json
import pathlib

import pytest

from azlearn.games import ConnectFour, DotsAndBoxes, Hex, Othello, TicTacToe
from azlearn.search import puct, random_rollout, record_search, uct
from azlearn.viz import explore
from tests.viz.netlike import netlike
from tests.viz.nim import Nim

GAME = ConnectFour()
OTHERS = {"othello": Othello(), "hex": Hex(), "dots": DotsAndBoxes(), "no board": Nim()}
# Sheets: of a widget of 920x600, of one of 1300x760, and of one of two side by side.
SMALL, LARGE, PANE = (604, 464), (928, 624), (290, 280)
PHASES = ("select", "expand", "evaluate", "backup")
PLAN = (pathlib.Path(__file__).parent / "plan.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def plan(in_browser):
    """A function: the layout of a moment of a named record, as the page would make it."""
    in_browser(f"() => {{ {PLAN} Object.assign(window, {{ plan, records }}); }}")
    known = set()

    def planned(name, step, phase="backup", sheet=SMALL, given=None, **more):
        if name not in known:
            text = json.dumps(given or record(name))
            in_browser("([name, text]) => { records[name] = JSON.parse(text); }", [name, text])
            known.add(name)
        return in_browser("args => plan(args)", [name, step, phase, list(sheet), more])

    return planned


@functools.cache
def record(name):
    if name in OTHERS:
        game = OTHERS[name]
        return record_search(game, game.initial_state(), uct(1.0), random_rollout(), 100).to_dict()
    start = GAME.from_moves("44443")
    return {
        "usual": lambda: explore(GAME, start, num_simulations=400, seed=0).record,
        "deep": lambda: explore(GAME, select=uct(0.1), num_simulations=800, seed=1).record,
        "priors": lambda: record_search(GAME, start, puct(1.5), netlike, 200, 0).to_dict(),
        "crosses": lambda: explore(TicTacToe(), num_simulations=200, seed=0).record,
        "all": lambda: explore(TicTacToe(), num_simulations=40, expand="all").record,
    }[name]()


def nodes(layout):
    return [v for v in layout["list"] if v["kind"] == "node"]


NAMES = ("usual", "deep", "priors", "crosses", "all", *OTHERS)


def every(plan, name, phases=PHASES, sheets=(SMALL, LARGE)):
    """Layouts of moments early, in the middle and late."""
    rows = len(record(name)["steps"]["leaf"])
    for step in sorted({*range(1, min(rows, 8)), *range(8, rows, max(1, rows // 6)), rows}):
        for phase, sheet in itertools.product(phases, sheets):
            yield plan(name, step, phase, sheet), (name, step, phase, sheet)


def test_a_small_tree_has_large_boards(plan):
    """At 920x600: 8 pixels a stone at the least while every node has its board."""
    for layout, where in every(plan, "usual", sheets=[SMALL]):
        if layout["mode"] == "full":
            assert layout["stone"] >= 8, where
            assert {v["form"] for v in nodes(layout)} == {"board"}
    for step, least in ((0, 30), (2, 22), (5, 13), (20, 8)):
        layout = plan("usual", step)
        assert layout["mode"] == "full"
        assert layout["stone"] >= least, step
        assert layout["drawn"] >= min(layout["of"], 10)


def test_where_boards_would_be_too_small_the_path_alone_keeps_them(plan):
    layout = plan("usual", 384, sheet=LARGE)
    assert layout["mode"] == "focus"
    assert layout["stone"] >= 8
    assert {v["form"] for v in nodes(layout) if v["id"] in layout["path"]} == {"wide"}
    assert {v["form"] for v in nodes(layout) if v["id"] not in layout["path"]} == {"card"}
    assert layout["stone"] <= plan("usual", 20, sheet=LARGE)["stone"]


@pytest.mark.parametrize("name", NAMES)
def test_everything_has_its_place_and_nothing_is_there_before_its_time(plan, name):
    """In select the node that is about to join is a dashed place, and is not counted."""
    parent = record(name)["nodes"]["parent"]
    for layout, where in every(plan, name):
        boxes = [
            (v["x"] - v["w"] / 2, v["x"] + v["w"] / 2, v["y"], v["y"] + v["h"])
            for v in layout["list"]
        ]
        for a, b in itertools.combinations(boxes, 2):
            apart = a[1] <= b[0] + 0.01 or b[1] <= a[0] + 0.01 or a[3] <= b[2] or b[3] <= a[2]
            assert apart, where
        wide, high = (side / layout["scale"] for side in where[-1])
        assert min(a[0] for a in boxes) >= 0, where
        assert max(a[1] for a in boxes) <= wide, where
        assert max(a[3] for a in boxes) + 18 <= high, where  # what hangs below a card has its room
        assert layout["scale"] == 1, where
        drawn, rows = nodes(layout), {}
        for v in sorted(drawn, key=lambda v: v["x"]):  # children stand in the order of their moves
            rows.setdefault(v["up"], []).append(v["action"])
        assert all(row == sorted(row) for row in rows.values()), where
        joins = [v for v in drawn if v["id"] and v["born"] == layout["now"]]
        assert all(v["born"] <= layout["now"] for v in drawn if v["id"]), where
        assert [v["unborn"] for v in joins] == [where[2] == "select"] * len(joins), where
        assert layout["drawn"] == len(drawn) - len(joins) * (where[2] == "select"), where
        assert layout["drawn"] <= layout["of"] <= len(parent), where


def test_nothing_moves_between_the_phases_of_a_simulation(plan):
    for step in (3, 40, 209, 384):
        seen = [plan("usual", step, phase) for phase in PHASES]
        places = [{v["id"]: (v["x"], v["y"]) for v in nodes(layout)} for layout in seen]
        assert all(place == places[0] for place in places), step


def test_nothing_moves_for_a_node_that_is_drawn_already(plan):
    before = plan("usual", 209)
    for node in nodes(before):
        after = plan("usual", 209, selected=node["id"])
        assert after["list"] == before["list"], node
    missing = next(i for i in range(1, 200) if i not in {v["id"] for v in nodes(before)})
    assert missing in {v["id"] for v in nodes(plan("usual", 209, selected=missing))}


def test_a_long_path_leaves_out_its_upper_levels_and_says_how_many(plan):
    steps = record("deep")["steps"]
    folds = 0
    for row in range(0, 800, 23):
        layout = plan("deep", row + 1, sheet=SMALL)
        tops = [v["levels"] for v in layout["list"] if v["kind"] == "top"]
        folded = [i for v in layout["list"] if v["kind"] == "fold" for i in v["ids"]]
        on_path = [v["id"] for v in nodes(layout) if v["id"] in layout["path"]]
        assert sum(tops) + len(folded) + len(on_path) == len(layout["path"]), row
        assert steps["leaf"][row] in on_path
        assert set(folded) <= set(layout["path"])
        folds += bool(tops)
    assert folds > 3


def test_a_run_without_a_choice_is_one_fold(plan):
    """A line of eleven moves in which each node has one child: too high for the sheet."""
    size, given = 12, json.loads(json.dumps(record("usual")))
    given["nodes"] = dict.fromkeys(given["nodes"]) | {
        "parent": [-1, *range(size - 1)],
        "action": [0] * size,
        "to_play": [i % 2 for i in range(size)],
        "cell": [-1, *range(size - 1)],
        "outcome": [None] * size,
        "legal": [[0]] * size,
        "highlights": [[] for _ in range(size)],
    }
    leaf = list(range(1, size))
    given["steps"] = dict.fromkeys(given["steps"]) | {
        "leaf": leaf,
        "simulation": leaf,
        "value": [1] * len(leaf),
    }
    layout = plan("line", len(leaf), given=given)
    (fold,) = (v for v in layout["list"] if v["kind"] == "fold")
    assert len(fold["ids"]) >= 5
    assert layout["stone"] >= 8
    assert not [v for v in layout["list"] if v["kind"] == "top"]


@pytest.mark.parametrize("name", NAMES)
def test_a_narrow_pane_still_shows_the_leaf_at_a_size_to_read(plan, name):
    for layout, where in every(plan, name, phases=["backup"], sheets=[PANE]):
        assert layout["path"][-1] in {v["id"] for v in nodes(layout)}, where
        assert layout["scale"] > 0.85, where


def test_leads_stand_beside_the_chosen_moves(plan):
    for layout, where in every(plan, "usual", phases=["select"], sheets=[LARGE]):
        drawn = {v["id"] for v in nodes(layout)}
        leads = {v["id"]: v["lead"] for v in nodes(layout) if v["lead"] is not None}
        assert set(leads) == drawn & set(layout["path"][1:]), where
        assert all(lead == "inf" or lead >= -1e-12 for lead in leads.values()), where
