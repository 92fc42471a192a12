"""Still pictures: boards, trees, figures, and what a saved notebook keeps of them."""

import importlib
import inspect
import itertools
import pkgutil
import shutil
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import azlearn.viz
from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import MCTS, random_rollout, uct
from azlearn.viz import (
    Explorer,
    Picture,
    board_svg,
    colors,
    explore,
    explore_tree,
    show_board,
)
from azlearn.viz.tree_layout import GAP, arrange
from azlearn.viz.tree_picture import draw
from tests.viz.nim import Nim
from tests.viz.tactics import Tactics

GAME = ConnectFour()
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
    assert f'alt="{picture.alt}"' in picture.bundle()["text/html"]


def test_a_game_with_cells_alone_has_its_board_drawn():
    """The same stones as Connect Four's; only the ring around the winning line is missing."""
    game, position = Tactics(), GAME.from_moves("4453")
    assert board_svg(game, position, alt="x", last=2) == board_svg(GAME, position, alt="x", last=2)
    assert "Rows from the top: " + ". . . . . . .; " * 4 in show_board(game, position).alt
    assert ". . . Y . . .; . . Y R R . .." in show_board(game, position).alt
    won = GAME.from_moves("1122334")
    assert "Red has won" in board_svg(game, won)
    assert PATH not in board_svg(game, won)


def test_crosses_are_tic_tac_toes_alone():
    kinds = {}
    for game in (TicTacToe(), Tactics()):
        record = explore(game, num_simulations=20).record
        kinds[game.name] = {kind for kind, _ in draw(record).stones}
    assert kinds == {"tic_tac_toe": {"cross", "ring"}, "tactics": {"disc", "square"}}


def test_picture_needs_words_and_escapes_them():
    with pytest.raises(ValueError, match="alternative text"):
        Picture(" ", svg="<svg/>")
    with pytest.raises(ValueError, match="svg or png"):
        Picture("nothing")
    html = Picture('a "b" <c>', svg="<svg/>", caption="<d>").html()
    assert 'alt="a &quot;b&quot; &lt;c&gt;"' in html
    assert "&lt;d&gt;" in html


def test_tree_picture_draws_the_asked_number_of_nodes(explorer):
    for wanted in (1, 5, 20):
        spots = arrange(explorer.record, wanted).spots()
        assert sum(spot.node >= 0 for spot in spots) == wanted
    with pytest.raises(ValueError, match="at least 1"):
        explorer.to_svg(0)


def test_tree_picture_is_tidy(explorer):
    """No two cards of a level overlap, parents stand above their children, siblings in the order
    of their moves."""
    plan = arrange(explorer.record, 40)
    levels = {}
    for spot in plan.spots():
        levels.setdefault(round(spot.y), []).append(spot)
        kids = [kid for kid in spot.kids if kid.node >= 0]
        moves = [explorer.record["nodes"]["action"][kid.node] for kid in kids]
        assert moves == sorted(moves)
        if spot.kids:
            assert spot.x == pytest.approx((spot.kids[0].x + spot.kids[-1].x) / 2)
    for spots in levels.values():
        spots.sort(key=lambda spot: spot.x)
        for left, right in itertools.pairwise(spots):
            assert right.x - right.width / 2 >= left.x + left.width / 2 + GAP - 1e-6


def test_principal_variation_is_marked(explorer):
    line = explorer.recording.tree.principal_variation()
    record, plan = explorer.record, arrange(explorer.record, 40)
    actions = [record["nodes"]["action"][node] for node in sorted(plan.principal)]
    assert sorted(actions) == sorted(line)


def test_graphviz(explorer):
    source = explorer.to_graphviz(12).source
    assert source.count("->") >= 11
    assert "N 300" in source


def test_without_dot_the_explorers_own_picture_comes_back(explorer, monkeypatch, capsys):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert isinstance(explorer.to_graphviz(), Picture)
    assert "`dot` is not installed" in capsys.readouterr().out


def test_unrecorded_tree_has_final_numbers_only():
    tree = MCTS(GAME, uct(1.0), random_rollout()).run(GAME.initial_state(), 100, 0)
    shown = explore_tree(tree)
    assert shown.step == 0
    assert shown.record["steps"]["leaf"] == []
    assert sum(shown.record["totals"]["visit_counts"][1:8]) == 100
    ET.fromstring(shown.to_svg())
    assert Explorer(tree).record == shown.record
    assert Explorer(tree).selected_node is tree.root


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


def test_last_move_must_be_there():
    with pytest.raises(ValueError, match="No stone lies in column 1"):
        board_svg(GAME, GAME.from_moves("4"), last=0)


def test_traits_refuse_what_does_not_exist(explorer):
    with pytest.raises(Exception, match="step must be 0 to 300, not 301"):
        explorer.step = 301
    with pytest.raises(Exception, match="selected must be a node"):
        explorer.selected = 10**6
    explorer.selected = 2
    assert explorer.selected_node is explorer.recording.nodes[2]
    explorer.selected = 0
