"""The still picture of a search: its numbers, colours and words."""

import base64
import json
import re
import xml.etree.ElementTree as ET

import nbformat
import numpy as np
import pytest
from matplotlib import font_manager
from PIL import ImageFont

from azlearn.games import ConnectFour
from azlearn.search import MCTS, puct, record_search, uct
from azlearn.viz import Explorer, colors, show_board, tree_picture
from azlearn.viz.formatting import signed
from azlearn.viz.replaying import path_to, replay
from azlearn.viz.tree_layout import MAX_LEVELS, arrange
from azlearn.viz.tree_picture import draw
from tests.viz.netlike import netlike
from tests.viz.page import recorded
from tools.notebooks import faults, source_hash

GAME = ConnectFour()
START = GAME.from_moves("44443")


@pytest.fixture(scope="module", name="recorded")
def of_a_search():
    return recorded()


def written(explorer, max_nodes=40):
    """All texts of the SVG."""
    return [e.text for e in ET.fromstring(explorer.to_svg(max_nodes)).iter() if e.text]


def test_the_picture_is_of_the_finished_tree_whatever_step_is_shown(recorded):
    visits = [n for n in recorded.tree.root.visit_counts if n]
    explorer = Explorer(recorded)
    picture, words = explorer.to_svg(), explorer.describe()
    assert {str(n) for n in [*visits, 120]} <= set(written(explorer))
    root = recorded.nodes[0]
    best = root.best_action()
    told = f"{best + 1} with {root.visit_counts[best]} visits and Q {signed(root.q_values[best])}"
    assert f"with {len(recorded.nodes)} nodes" in words
    assert told in words
    for asked in ({"step": 3}, {"step": 90, "phase": "select"}, {"selected": 3}):
        other = Explorer(recorded, **asked)
        assert (other.to_svg(), other.describe()) == (picture, words)
    data, _ = explorer._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    html = data["text/html"]
    assert "run the cell for the explorer" in html.split("<figcaption")[1]
    svg = base64.b64decode(html.split("base64,")[1].split('"')[0]).decode()
    assert f"<title>{words}</title>" in svg
    assert "<svg" not in html  # inline SVG does not survive in an untrusted notebook
    assert data["image/svg+xml"] == svg  # for readers that strip pictures from HTML
    assert sum(len(str(part)) for part in data.values()) < 60_000


def test_nothing_is_drawn_deeper_than_there_is_room():
    deep = recorded(select=uct(0.05), moves="", simulations=700)
    record = deep.to_dict()
    parent = record["nodes"]["parent"]
    assert max(len(path_to(record, leaf)) for leaf in record["steps"]["leaf"]) > MAX_LEVELS + 1
    plan = arrange(record, 40)
    assert len({spot.y for spot in plan.spots()}) <= MAX_LEVELS + 1
    assert len([spot for spot in plan.spots() if spot.node >= 0]) <= 40
    for spot in plan.spots():
        for kid in spot.kids:
            assert kid.node < 0 or parent[kid.node] == spot.node


def test_edges_are_as_wide_as_their_visits():
    searched = record_search(GAME, START, puct(1.5), netlike, 100, 0)
    svg = ET.fromstring(Explorer(searched).to_svg())
    edges = [e for e in svg.iter() if e.tag.endswith("path") and "C" in e.get("d", "")]
    widest = max(float(e.get("stroke-width")) for e in edges)
    visits = searched.nodes[0].visit_counts
    assert widest == pytest.approx(9 * (max(visits) / sum(visits)) ** 0.5, abs=0.06)


def test_at_a_tie_the_star_is_the_move_that_is_played():
    """Of moves with as many visits a player takes the one with the higher Q, then the first."""
    own = recorded()
    record, root = json.loads(json.dumps(own.to_dict())), own.tree.root
    size = len(record["nodes"]["parent"])
    first = [i for i, parent in enumerate(record["nodes"]["parent"]) if parent == 0]
    record["steps"] = {"simulation": [], "leaf": [], "value": [], "change": None}
    for values in ([3, 8, 8, 1], [5, 5, 5, 5], [-9, -4, -3, -9]):
        visits, sums = np.zeros(size, int), np.zeros(size)
        for node, value in zip(first, values, strict=False):
            visits[node], sums[node] = 10, value
            action = record["nodes"]["action"][node]
            root.visit_counts[action], root.value_sum[action] = 10, value
        for action in set(range(7)) - {record["nodes"]["action"][i] for i in first[:4]}:
            root.visit_counts[action] = 0
        record["totals"] = {"visit_counts": visits.tolist(), "value_sum": sums.tolist()}
        (starred,) = arrange(record).principal
        assert record["nodes"]["action"][starred] == root.best_action()


def test_large_numbers_of_visits_stay_clear_of_the_move(recorded):
    record = json.loads(json.dumps(recorded.to_dict()))
    visits, values = (column.tolist() for column in replay(record))
    font = ImageFont.truetype(font_manager.findfont("DejaVu Sans:bold"), 110)
    for factor, some in ((1, "120"), (42, "5040"), (999, "120k"), (10**5, "12M")):
        record["totals"] = {
            "visit_counts": [n * factor for n in visits],
            "value_sum": [w * factor for w in values],
        }
        record["steps"] = {"simulation": [], "leaf": [], "value": [], "change": None}
        texts = [(*text, *style) for style, all in draw(record, 30).texts.items() for text in all]
        labels = [(x, y, t, s) for x, y, t, s, _, anchor, _ in texts if anchor == "start"]
        counts = {(y, x): (t, s) for x, y, t, s, _, anchor, _ in texts if anchor == "end"}
        assert some in [t for t, _ in counts.values()]
        assert len(labels) == len(counts) >= 20
        for x, y, text, size in labels:
            right = min(other for row, other in counts if row == y and other > x)
            number, small = counts[y, right]
            end = x + font.getlength(text) * size / 110
            assert end + 1.5 <= right - font.getlength(number) * small / 110 * 0.93, (text, number)


def test_a_file_holds_no_nan(recorded):
    bad = np.inf
    record = json.loads(json.dumps(recorded.to_dict()))
    record["steps"]["change"] = [[1.0] * 20 for _ in record["steps"]["leaf"]]
    record["steps"]["change"][3][0] = bad
    record["nodes"]["prior"] = [[np.nan] * 7 for _ in record["nodes"]["parent"]]
    page = Explorer(record, step=4).to_html()

    def refuse(name):
        raise AssertionError(f"{name} is no JSON")

    state = json.loads(page.split('id="state">')[1].split("</script>")[0], parse_constant=refuse)
    assert state["record"]["steps"]["change"][3][0] is None
    assert state["record"]["steps"]["change"][4][0] == 1.0
    assert state["record"]["nodes"]["prior"][0] == [None] * 7


def test_a_backup_of_nan_is_drawn():
    class Broken(MCTS):
        def backup(self, path, leaf, value):
            super().backup(path, leaf, value)
            path[0][0].value_sum[path[0][1]] = float("nan")

    explorer = Explorer(recorded(Broken, simulations=30))
    assert "–" in written(explorer)
    assert "visits and Q –" in explorer.describe()


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


@pytest.mark.parametrize("follow", [False, True])
def test_a_drawing_is_plain_or_follows_the_theme_of_its_page(recorded, follow):
    svg = tree_picture.to_svg(recorded.to_dict(), 20, "A tree", follow=follow)
    used = set(re.findall(r"#[0-9a-f]{6}", svg))
    dark = colors.DARK_THEME
    assert ET.fromstring(svg).tag.endswith("svg")
    assert colors.LIGHT_THEME["first"] in used
    assert ({dark["bg"], dark["first"], dark["second"]} <= used) == follow
    assert ("prefers-color-scheme: dark" in svg) == follow
    values = re.findall(r"--c\d+: (#[0-9a-f]{6});", svg)
    assert len(values) % 2 == 0  # each colour once for the day, once for the night


def test_a_board_follows_the_theme_and_its_numbers_stay_readable():
    shares = np.arange(7) / 21
    svg = show_board(GAME, START, heat=shares).svg
    day, night = re.search(r"svg \{ (.*?) \} @media.*?svg \{ (.*?) \}", svg).groups()
    found = re.findall(
        r'fill="var\((--c\d+), #\w+\)"/><text [^>]*fill="var\((--c\d+), #\w+\)">\d+%', svg
    )
    assert len(found) == 7
    for style in (day, night):
        value = dict(re.findall(r"(--c\d+): (#[0-9a-f]{6});", style))
        for ground, ink in found:
            assert colors.contrast(value[ground], value[ink]) >= 4.5
