"""Still pictures: boards, trees, figures, and what a saved notebook keeps of them."""

import base64
import importlib
import inspect
import itertools
import json
import pkgutil
import re
import shutil
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib import font_manager
from PIL import ImageFont

import azlearn.viz
from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import MCTS, uct
from azlearn.viz import (
    Explorer,
    Picture,
    board_svg,
    colors,
    explore,
    show_board,
    tree_picture,
)
from azlearn.viz.formatting import signed
from azlearn.viz.replaying import replay
from azlearn.viz.tree_layout import GAP, MAX_LEVELS, arrange
from azlearn.viz.tree_picture import draw
from tests.viz.nim import Nim
from tests.viz.page import moves_to, recorded
from tests.viz.stand_ins import Tactics

GAME = ConnectFour()
START = GAME.from_moves("44443")
PATH, INK = colors.LIGHT_THEME["path"], colors.LIGHT_THEME["fg"]


def shapes(svg, tag):
    return ET.fromstring(svg).findall(f".//{{http://www.w3.org/2000/svg}}{tag}")


def test_no_public_name_hides_a_module():
    for module in pkgutil.iter_modules(azlearn.viz.__path__):
        importlib.import_module(f"azlearn.viz.{module.name}")
        assert inspect.ismodule(getattr(azlearn.viz, module.name)), module.name


def test_board_has_a_disc_or_a_square_for_every_stone():
    svg = board_svg(GAME, GAME.from_moves("4453"))
    look = {(e.get("stroke"), e.get("stroke-linecap")): e for e in shapes(svg, "path")}
    theme = colors.LIGHT_THEME
    for color, cap, count in (
        ("first", "round", 2),
        ("second", "square", 2),
        ("hole", "round", 38),
    ):
        assert look[theme[color], cap].get("d").count("M") == count  # stones of a kind share a path
    assert look[theme["second-rim"], "square"].get("d") == look[theme["second"], "square"].get("d")


def test_board_marks_the_last_move_and_the_winning_line():
    won = GAME.from_moves("1122334")
    assert board_svg(GAME, won).count(f'stroke="{PATH}"') == 4
    assert board_svg(GAME, GAME.from_moves("445"), last=4).count(f'stroke="{INK}"') == 1
    with pytest.raises(ValueError, match="No stone lies in column 1"):
        board_svg(GAME, GAME.from_moves("4"), last=0)


def test_heat_is_shown_where_the_move_lands():
    heat = np.zeros(7)
    heat[3] = 1.0
    svg = board_svg(GAME, GAME.from_moves("44"), heat=heat)
    texts = {e.text: e for e in shapes(svg, "text")}
    assert "100%" in texts
    assert float(texts["100%"].get("y")) == pytest.approx(20 + 3.5 * 38 + 4)  # third row from below
    with pytest.raises(ValueError, match=r"shape \(7,\), not \(3,\)"):
        board_svg(GAME, GAME.initial_state(), heat=[1, 2, 3])


def test_board_says_what_it_shows():
    picture = show_board(TicTacToe(), TicTacToe().from_moves("15"))
    assert "X to move" in picture.alt
    assert "X . .; . O .; . . ." in picture.alt
    data = picture.bundle()  # a saved notebook keeps the words, and for who strips HTML the drawing
    assert list(data) == ["text/html", "text/plain", "image/svg+xml"]
    assert f'alt="{picture.alt}"' in data["text/html"]
    assert ET.fromstring(data["image/svg+xml"]).tag.endswith("svg")


def test_a_game_with_cells_alone_has_its_board_drawn():
    """The same stones as Connect Four's; only the ring around the winning line is missing."""
    game, position = Tactics(), GAME.from_moves("4453")
    assert board_svg(game, position, alt="x", last=2) == board_svg(GAME, position, alt="x", last=2)
    assert "Rows from the top: " + ". . . . . . .; " * 4 in show_board(game, position).alt
    assert ". . . Y . . .; . . Y R R . .." in show_board(game, position).alt
    won = GAME.from_moves("1122334")
    assert "Red has won" in board_svg(game, won)
    assert PATH not in board_svg(game, won)


def test_picture_needs_words_and_escapes_them():
    with pytest.raises(ValueError, match="alternative text"):
        Picture(" ", svg="<svg/>")
    with pytest.raises(ValueError, match="svg or png"):
        Picture("nothing")
    html = Picture('a "b" <c>', svg="<svg/>", caption="<d>").html()
    assert 'alt="a &quot;b&quot; &lt;c&gt;"' in html
    assert "&lt;d&gt;" in html


def test_tree_picture_is_tidy_and_of_the_asked_size(explorer):
    """No two cards of a level overlap, parents stand above their children, siblings in the order
    of their moves; a deep tree ends where there is no more room."""
    deep = recorded(select=uct(0.05), moves="", simulations=700).to_dict()
    assert max(len(moves_to(deep, leaf)) for leaf in deep["steps"]["leaf"]) > MAX_LEVELS
    for record, wanted in ((explorer.record, 1), (explorer.record, 20), (deep, 40)):
        plan, levels = arrange(record, wanted), {}
        drawn = [spot.node for spot in plan.spots() if spot.node >= 0]
        assert len(drawn) == wanted or (record is deep and len(drawn) < wanted)
        for spot in plan.spots():
            levels.setdefault(round(spot.y), []).append(spot)
            below = [kid.node for kid in spot.kids if kid.node >= 0]
            assert {record["nodes"]["parent"][node] for node in below} <= {spot.node}
            moves = [record["nodes"]["action"][node] for node in below]
            assert moves == sorted(moves)
            if spot.kids:
                assert spot.x == pytest.approx((spot.kids[0].x + spot.kids[-1].x) / 2)
        assert len(levels) <= MAX_LEVELS + 1
        for spots in levels.values():
            spots.sort(key=lambda spot: spot.x)
            for left, right in itertools.pairwise(spots):
                assert right.x - right.width / 2 >= left.x + left.width / 2 + GAP - 1e-6
    with pytest.raises(ValueError, match="at least 1"):
        explorer.to_svg(0)


def test_graphviz_or_the_explorers_own_picture(explorer, monkeypatch, capsys):
    source = explorer.to_graphviz(12).source
    assert source.count("->") >= 11
    assert "N 300" in source
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert isinstance(explorer.to_graphviz(), Picture)
    assert "`dot` is not installed" in capsys.readouterr().out


def test_a_file_that_cannot_be_written_is_a_sentence(explorer, tmp_path):
    nowhere = tmp_path / "nowhere" / "tree.html"
    with pytest.raises(
        OSError, match=rf"^Could not write {nowhere}: No such file or directory\. Check"
    ):
        explorer.to_html(nowhere)
    with pytest.raises(OSError, match=f"Could not write {tmp_path}: "):
        explorer.to_html(tmp_path)


def test_a_game_without_a_board_is_drawn_by_its_labels():
    explorer = explore(Nim(), num_simulations=60)
    svg = explorer.to_svg()
    assert {"one", "two"} <= {e.text for e in shapes(svg, "text")}
    assert explorer.recording.tree.best_action() == 1  # leave three: the other side is lost
    assert "Most visited moves at the root: two with" in explorer.describe()
    with pytest.raises(ValueError, match="no board to draw"):
        board_svg(Nim(), Nim().initial_state())


# The still picture of a search: its numbers, colors and words.


@pytest.fixture(scope="module")
def searched():
    return recorded()


def written(explorer, max_nodes=40):
    """All texts of the SVG."""
    return [e.text for e in ET.fromstring(explorer.to_svg(max_nodes)).iter() if e.text]


def test_the_picture_is_of_the_finished_tree_whatever_step_is_shown(searched):
    visits = [n for n in searched.tree.root.visit_counts if n]
    explorer = Explorer(searched)
    picture, words = explorer.to_svg(), explorer.describe()
    assert {str(n) for n in [*visits, 120]} <= set(written(explorer))
    root = searched.nodes[0]
    best = root.best_action()
    told = f"{best + 1} with {root.visit_counts[best]} visits and Q {signed(root.q_values[best])}"
    assert f"with {len(searched.nodes)} nodes" in words
    assert told in words
    for asked in ({"step": 3}, {"step": 90, "phase": "select"}, {"selected": 3}):
        other = Explorer(searched, **asked)
        assert (other.to_svg(), other.describe()) == (picture, words)
    data, _ = explorer._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    html = data["text/html"]
    assert "Run the cell to open the explorer" in html.split("<figcaption")[1]
    svg = base64.b64decode(html.split("base64,")[1].split('"')[0]).decode()
    assert f"<title>{words}</title>" in svg
    assert "<svg" not in html  # inline SVG does not survive in an untrusted notebook
    assert data["image/svg+xml"] == svg  # for readers that strip pictures from HTML
    assert sum(len(str(part)) for part in data.values()) < 60_000


def test_large_numbers_of_visits_stay_clear_of_the_move(searched):
    record = json.loads(json.dumps(searched.to_dict()))
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


def test_a_file_holds_no_nan(searched):
    bad = np.inf
    record = json.loads(json.dumps(searched.to_dict()))
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


@pytest.mark.parametrize("follow", [False, True])
def test_a_drawing_is_plain_or_follows_the_theme_of_its_page(searched, follow):
    svg = tree_picture.to_svg(searched.to_dict(), 20, "A tree", follow=follow)
    used = set(re.findall(r"#[0-9a-f]{6}", svg))
    dark = colors.DARK_THEME
    assert ET.fromstring(svg).tag.endswith("svg")
    assert colors.LIGHT_THEME["first"] in used
    assert ({dark["bg"], dark["first"], dark["second"]} <= used) == follow
    assert ("prefers-color-scheme: dark" in svg) == follow
    values = re.findall(r"--c\d+: (#[0-9a-f]{6});", svg)
    assert len(values) % 2 == 0  # each color once for the day, once for the night


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
