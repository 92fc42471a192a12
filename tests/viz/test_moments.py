"""The still picture of a moment: its numbers, path, badges and words."""

import base64
import io
import json
import xml.etree.ElementTree as ET

import nbformat
import numpy as np
import pytest
from matplotlib import font_manager
from PIL import Image, ImageFont

from azlearn.course.faulty_searches import WrongSign
from azlearn.course.notebooks import faults, source_hash
from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import MCTS, Recorder, puct, random_rollout, record_search, uct
from azlearn.viz import Explorer, colors, explore, show_board
from azlearn.viz.moment import moment, say, short
from azlearn.viz.replaying import path_to
from azlearn.viz.tree_layout import MAX_LEVELS, arrange
from azlearn.viz.tree_picture import draw
from tests.viz.netlike import netlike
from tests.viz.page import path_labels

GAME = ConnectFour()
START = GAME.from_moves("44443")
PATH, BLUE = colors.LIGHT_THEME["path"], colors.LIGHT["N"]


def recording(search=MCTS, simulations=120, select=None, **options):
    recorder = Recorder()
    mcts = search(GAME, select or uct(1.0), random_rollout(), recorder=recorder, **options)
    mcts.run(START, simulations, 5)
    return recorder.recording()


@pytest.fixture(scope="module")
def recorded():
    return recording()


def written(explorer, max_nodes=40):
    """All texts of the SVG."""
    return [e.text for e in ET.fromstring(explorer.to_svg(max_nodes)).iter() if e.text]


def a_deep_row(record, value):
    steps, parent = record["steps"], record["nodes"]["parent"]

    def depth(node):
        return 1 + depth(parent[node]) if node else 0

    return next(
        row
        for row in range(60, 120)
        if steps["value"][row] == value and depth(steps["leaf"][row]) > 2
    )


def test_the_opening_picture_is_calm_until_somebody_moves(recorded):
    explorer = Explorer(recorded)
    calm = explorer.to_svg()
    assert PATH not in calm
    assert "Simulation" not in explorer.describe()
    explorer.selected = 3
    assert explorer.to_svg() == calm
    explorer.phase = "select"
    assert PATH in explorer.to_svg()
    for asked in ({"step": 120}, {"phase": "backup"}):
        assert PATH in Explorer(recorded, **asked).to_svg()


@pytest.mark.parametrize("search", [MCTS, WrongSign])
@pytest.mark.parametrize("value", [1, -1])
def test_badges_tell_a_right_sign_from_a_wrong_one(search, value):
    """The move into the leaf gains −value for its mover; a search without the flip adds value."""
    explorer = Explorer(recording(search))
    row = a_deep_row(explorer.record, value)
    explorer.step = row + 1
    depth = len(path_labels(explorer, explorer.record["steps"]["leaf"][row]))
    up = [value if search is WrongSign else -value * (-1) ** k for k in range(depth)]
    texts = ["W+1" if w > 0 else "W−1" for w in up]
    shown = [text for text in written(explorer) if text.startswith("W")]
    assert sorted(shown) == sorted(texts)
    told = say(explorer.record, explorer._moment())
    moves = path_labels(explorer, explorer.record["steps"]["leaf"][row])[::-1]
    at_leaf = explorer.record["nodes"]["to_play"][explorer.record["steps"]["leaf"][row]]
    who = ["first", "second"][at_leaf]
    leaf = f"{value:+d} for the {who} player, to move there".replace("-", "−")
    listed = ", ".join(f"move {m} {w}" for m, w in zip(moves, texts, strict=True))
    assert told == f"Simulation {row + 1} of 120, backup: from the leaf ({leaf}) up, {listed}."


@pytest.mark.parametrize("phase", ["select", "expand", "evaluate", "backup"])
def test_numbers_are_those_of_a_shorter_search(recorded, phase):
    """Until its backup, simulation 90 sees the tree of 89; the same seed searches it again."""
    done = 90 if phase == "backup" else 89
    shorter = recording(simulations=done)
    now = moment(recorded.to_dict(), 90, phase)
    edges = [(shorter.nodes[parent], action) for parent, action in shorter.parents[1:]]
    size = len(shorter.nodes)
    assert now.visits[1:size] == [n.visit_counts[a] for n, a in edges]
    assert now.values[1:size] == [n.value_sum[a] for n, a in edges]
    counted = written(Explorer(recorded, step=90, phase=phase))
    assert str(done) in counted
    assert {str(n) for n in shorter.nodes[0].visit_counts if n} <= set(counted)


def test_select_shows_the_rules_own_scores(recorded):
    root = recording(simulations=89).nodes[0]
    scores = uct(1.0)(root)
    now = moment(recorded.to_dict(), 90, "select")
    parents, actions = zip(*recorded.parents, strict=True)
    badges = {actions[i]: badge.text for i, badge in now.badges.items() if parents[i] == 0}
    best = max(root.legal_actions, key=scores.__getitem__)
    for action in root.legal_actions:
        mark = "✓" if action == best else ""
        assert badges[action] == mark + short(scores[action], plus=False)
    assert "✓" + short(scores[best], plus=False) in written(
        Explorer(recorded, step=90, phase="select")
    )
    assert f"follows move {best + 1} with the score {scores[best]:.2f}" in say(
        recorded.to_dict(), now
    )


def test_select_shows_the_scores_that_the_readers_rule_gave():
    def countdown(node):
        return [7.0 - action - 10 * n for action, n in enumerate(node.visit_counts)]

    record = recording(select=countdown, simulations=9).to_dict()
    texts = [badge.text for badge in moment(record, 2, "select").badges.values()]
    assert sorted(texts) == ["−3.0", "✓6.0"]


def test_a_new_node_is_a_ghost_then_new_then_has_a_value(recorded):
    record = recorded.to_dict()
    row = next(
        r for r in range(50, 120)
        if record["nodes"]["outcome"][record["steps"]["leaf"][r]] is None
    )  # fmt: skip
    leaf, size = record["steps"]["leaf"][row], len(recording(simulations=row).nodes)
    for phase, badge in (("expand", "new"), ("evaluate", "value ")):
        now = moment(record, row + 1, phase)
        assert now.badges[leaf].text.startswith(badge)
        assert leaf in now.lit
        assert len(now.there) == size + 1
    now = moment(record, row + 1, "select")
    assert now.ghosts == {leaf}
    assert leaf not in now.lit
    explorer = Explorer(recorded, step=row + 1, phase="select")
    assert f"with {size} nodes" in explorer.describe()


def test_all_children_at_once_join_together():
    """From 5197 in tic-tac-toe five moves are open; the second simulation opens four below one."""
    game = TicTacToe()
    search = (uct(1.0), random_rollout(), 2, 1)
    made = record_search(game, game.from_moves("5197"), *search, expand="all")
    record = made.to_dict()
    texts = [badge.text for badge in moment(record, 6, "expand").badges.values()]
    assert texts == ["new"] * 4
    assert "all 4 moves of the position join" in say(record, moment(record, 6, "expand"))
    scores = [badge.text for badge in moment(record, 6, "select").badges.values()]
    assert len(scores) == 5
    assert sum("✓" in text for text in scores) == 1
    assert moment(record, 8, "select").phase == "evaluate"  # a later child shares the first's


def test_the_first_moments(recorded):
    explorer = Explorer(recorded, step=0)
    assert explorer.describe() == (
        "Before the search: the root alone. Search tree on Connect Four with 1 node."
    )
    assert len([t for t in written(explorer) if t == "root"]) == 1
    explorer.step, explorer.phase = 1, "select"
    assert "move 1, never tried before" in explorer.describe()
    with pytest.raises(ValueError, match="step must be 0 to 120, not 121"):
        moment(explorer.record, 121, "backup")


def test_the_saved_output_says_which_moment_it_is(recorded):
    for phase in ("select", "expand", "evaluate", "backup"):
        data, _ = Explorer(recorded, step=110, phase=phase)._repr_mimebundle_()
        start = f"Simulation 110 of 120, {phase}: "
        assert f'alt="{start}' in data["text/html"]
        caption = data["text/html"].split("<figcaption")[1]
        assert start in caption
        assert "thick line" in caption  # the colour of the path is not its only sign
        assert "run the cell for the explorer" in caption
        assert sum(len(str(part)) for part in data.values()) < 60_000


def test_a_path_deeper_than_the_picture_is_cut_at_its_end(recorded):
    explorer = Explorer(recorded, step=1 + a_deep_row(recorded.to_dict(), 1))
    _, _, _, plan = draw(explorer.record, 2, explorer._moment())
    assert [spot.node for spot in plan.spots() if spot.node >= 0] == explorer._moment().path[:2]


def test_a_deep_path_is_folded_not_cut():
    deep = recording(select=uct(0.05), simulations=700)
    record = deep.to_dict()
    steps, parent = record["steps"], record["nodes"]["parent"]
    path = max((path_to(record, leaf) for leaf in steps["leaf"]), key=len)
    row = next(r for r, leaf in enumerate(steps["leaf"]) if leaf == path[-1])
    assert len(path) - 1 > MAX_LEVELS
    explorer = Explorer(deep, step=row + 1, phase="backup")
    plan = arrange(record, 40, now=moment(record, row + 1, "backup"))
    (fold,) = [spot for spot in plan.spots() if spot.run]
    drawn = {spot.node for spot in plan.spots() if spot.node >= 0}
    assert set(path) == drawn & set(path) | set(fold.run)
    assert not drawn & set(fold.run)
    assert {0, path[1], path[-2], path[-1]} <= drawn
    assert len({spot.y for spot in plan.spots()}) == MAX_LEVELS + 1
    texts = written(explorer)
    assert f"⋮ {len(fold.run)} moves" in texts
    badges = [text for text in texts if text in ("W+1", "W−1", "W+0")]
    assert len(badges) == len(path) - 1 - len(fold.run)
    for spot in plan.spots():
        for kid in spot.kids:
            if kid.node >= 0 and spot.node >= 0:
                assert parent[kid.node] == spot.node


def test_a_still_picture_of_puct_has_its_scores_and_its_priors():
    puct_search = record_search(GAME, START, puct(1.5), netlike, 100, 0)
    record = puct_search.to_dict()
    now = moment(record, 100, "select")
    shorter = record_search(GAME, START, puct(1.5), netlike, 99, 0)
    truth = puct_search.select(shorter.nodes[0])
    texts = written(Explorer(puct_search, step=100, phase="select"))
    for node in [i for i, up in enumerate(record["nodes"]["parent"]) if up == 0]:
        score = truth[record["nodes"]["action"][node]]
        assert now.badges[node].text.lstrip("✓") == short(score, plus=False)
        assert now.badges[node].text in texts
    svg = ET.fromstring(Explorer(puct_search).to_svg())
    edges = [e for e in svg.iter() if e.tag.endswith("path") and "C" in e.get("d", "")]
    widths = sorted({float(e.get("stroke-width")) for e in edges})
    prior = max(shorter.nodes[0].prior)
    assert widths[-1] >= 9 * prior**0.5 - 0.1


def test_png_keeps_the_colours_that_mean_something(recorded):
    explorer = Explorer(recorded, step=1 + a_deep_row(recorded.to_dict(), 1))
    image = Image.open(io.BytesIO(explorer.to_png(20))).convert("RGB")
    seen = {"#" + "".join(f"{c:02x}" for c in color) for _, color in image.getcolors(1 << 20)}
    theme = colors.LIGHT_THEME
    assert {theme[k] for k in ("bg", "path", "ahead", "behind", "first", "second")} <= seen


def test_large_numbers_of_visits_stay_clear_of_the_move(recorded):
    record = json.loads(json.dumps(recorded.to_dict()))
    base = Explorer(recorded)._moment()
    font = ImageFont.truetype(font_manager.findfont("DejaVu Sans:bold"), 110)
    for factor, some in ((1, "120"), (42, "5040"), (999, "120k"), (10**5, "12M")):
        record["totals"] = {
            "visit_counts": [n * factor for n in base.visits],
            "value_sum": [w * factor for w in base.values],
        }
        record["steps"] = {"simulation": [], "leaf": [], "value": [], "change": None}
        marks, *_ = draw(record, 30)
        texts = [item[1:] for item in marks.items if item[0] == "text"]
        labels = [(x, y, t, s) for x, y, t, s, _, anchor, _ in texts if anchor == "start"]
        counts = {(y, x): (t, s) for x, y, t, s, color, *_ in texts if color == BLUE}
        assert some in [t for t, _ in counts.values()]
        assert len(labels) == len(counts) >= 20
        for x, y, text, size in labels:
            right = min(other for row, other in counts if row == y and other > x)
            number, small = counts[y, right]
            end = x + font.getlength(text) * size / 110
            assert end + 1.5 <= right - font.getlength(number) * small / 110 * 0.93, (text, number)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_file_holds_no_nan(recorded, bad):
    record = json.loads(json.dumps(recorded.to_dict()))
    record["steps"]["change"] = [[1.0] * 20 for _ in record["steps"]["leaf"]]
    record["steps"]["change"][3][0] = bad
    record["nodes"]["prior"] = [[bad] * 7 for _ in record["nodes"]["parent"]]
    page = Explorer(record, step=4).to_html()

    def refuse(name):
        raise AssertionError(f"{name} is no JSON")

    state = json.loads(page.split('id="state">')[1].split("</script>")[0], parse_constant=refuse)
    assert state["record"]["steps"]["change"][3][0] is None
    assert state["record"]["steps"]["change"][4][0] == 1.0
    assert state["record"]["nodes"]["prior"][0] == [None] * 7


def test_a_backup_of_nan_is_drawn(recorded):
    class Broken(MCTS):
        def backup(self, path, leaf, value):
            super().backup(path, leaf, value)
            path[0][0].value_sum[path[0][1]] = float("nan")

    explorer = Explorer(recording(Broken, simulations=30), step=9)
    assert "W+NaN" in written(explorer)
    assert "visits and Q –" in explorer.describe() or "visit and Q –" in explorer.describe()
    assert explorer.to_png().startswith(b"\x89PNG")


def test_a_board_is_kept_as_svg_for_readers_of_the_file(tmp_path):
    """A saved notebook keeps HTML with the words and, for those who strip it, the picture."""
    data = show_board(GAME, START).bundle()
    assert list(data) == ["text/html", "text/plain", "image/svg+xml"]
    assert ET.fromstring(data["image/svg+xml"]).tag.endswith("svg")
    source = "show_board(game, start)"
    output = nbformat.v4.new_output("display_data", data)
    cell = nbformat.v4.new_code_cell(source, outputs=[output], execution_count=1)
    cell.metadata["azlearn"] = {"source": source_hash(source)}
    path = tmp_path / "a.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    assert faults(path) == []
    assert nbformat.read(path, as_version=4).cells[0].outputs[0].data == data
    del output.data["text/html"]
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    (fault,) = faults(path)
    assert "without a text/html twin" in fault


def test_a_picture_with_png_keeps_no_second_copy():
    data = explore(GAME, num_simulations=20).to_picture().bundle()
    assert "image/svg+xml" not in data
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
