"""Two searches side by side: what is the same, what differs, and what cannot be compared."""

import re

import pytest
import traitlets

from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import MCTS, compiled_uct, puct, random_rollout, uct
from azlearn.viz import Comparison, compare, explore
from azlearn.viz.comparison import default_labels

GAME = ConnectFour()
STATE = GAME.from_moves("44443")


def network(game, state, rng):
    return None, 0.0


network.name = "a network"


def searched(num_simulations=120, **options):
    return explore(GAME, STATE, num_simulations=num_simulations, **options)


@pytest.fixture
def pair():
    return searched(), searched(select=uct(0.2), num_simulations=200)


def shares(explorer):
    visits = explorer.recording.tree.root.visit_counts
    return [n / sum(visits) for n in visits]


def test_takes_everything_that_holds_a_search(pair):
    one, two = pair
    tree = MCTS(GAME, uct(), random_rollout()).run(STATE, 40)
    for left, right in ((one, two), (one.recording, two.record), (tree, one), (two.record, tree)):
        both = compare(left, right)
        assert isinstance(both, Comparison)
        assert (both.left["game"], both.right["root"]["cells"]) == (
            one.record["game"],
            one.record["root"]["cells"],
        )


def test_what_cannot_be_compared(pair):
    one, two = pair
    other = explore(GAME, GAME.from_moves("44435"), num_simulations=5)
    tic = explore(TicTacToe(), num_simulations=5)
    turned = {**one.record, "root": {**one.record["root"], "to_play": 0}}  # the same stones
    for elsewhere in (other, turned):
        with pytest.raises(ValueError, match="different positions"):
            compare(one, elsewhere)
    with pytest.raises(ValueError, match="different games, Connect Four and tic-tac-toe"):
        compare(one, tic)
    with pytest.raises(ValueError, match="given no recorded search"):
        compare(one, {"steps": {}})
    with pytest.raises(ValueError, match="written in format 3"):
        compare(one, {**two.record, "version": 3})
    with pytest.raises(TypeError, match="not int"):
        compare(one, 3)
    with pytest.raises(ValueError, match="two names, not 1"):
        compare(one, two, labels=["one"])


NAMED = {"evaluate": network}


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ({}, {"select": uct(0.2)}, ["c = 1", "c = 0.2"]),
        ({}, {"num_simulations": 1500}, ["20 simulations", "1,500 simulations"]),
        ({}, {"select": uct(2), "num_simulations": 6}, ["c = 1, 20 simulations",
                                                        "c = 2, 6 simulations"]),
        ({}, {"select": puct(1)}, ["UCT", "PUCT"]),
        ({"select": puct(fpu=-1)}, {"select": puct(fpu="parent")}, ["fpu = −1", "fpu = parent"]),
        ({"select": puct()}, {"select": puct(fpu_reduction=0.25)},
         ["fpu_reduction = 0", "fpu_reduction = 0.25"]),
        ({}, {"select": lambda node: [0.0] * 7}, ["UCT", "custom rule"]),
        ({}, {"seed": 1}, ["left", "right"]),
        ({}, NAMED, ["random rollout", "a network"]),
        ({}, {**NAMED, "select": uct(2)}, ["c = 1", "c = 2"]),
    ],
)  # fmt: skip
def test_labels_name_what_differs(left, right, expected):
    one, two = (searched(**{"num_simulations": 20, **options}) for options in (left, right))
    assert default_labels(one.record, two.record) == expected
    assert compare(one, two, labels=("a", "b")).labels == ["a", "b"]


def test_the_verdict_gives_each_ones_favourite_and_its_share(pair):
    one, two = pair
    moves = [max(range(7), key=lambda a, e=e: shares(e)[a]) for e in pair]
    percent = [f"{int(100 * shares(e)[a] + 0.5)} %" for e, a in zip(pair, moves, strict=True)]
    text = compare(one, two, labels=("A", "B")).verdict()
    if moves[0] == moves[1]:
        expected = f"both prefer {moves[0] + 1} ({percent[0]} in A, {percent[1]} in B)"
    else:
        expected = (
            f"A prefers {moves[0] + 1} ({percent[0]}), B prefers {moves[1] + 1} ({percent[1]})"
        )
    assert text == f"After 120 and 200 simulations: {expected}."
    same = compare(one, one.record, labels=("A", "B")).verdict()
    assert same.startswith(f"After 120 simulations: both prefer {moves[0] + 1} (")
    assert text in compare(one, two, labels=("A", "B")).describe()


def test_one_simulation_and_shares_half_way_between_two_per_cents():
    one, eight = searched(1), searched(8)
    assert default_labels(one.record, eight.record) == ["1 simulation", "8 simulations"]
    assert compare(one, searched(1, seed=4)).verdict().startswith("After 1 simulation: ")
    # 2 of 8 and 1 of 8: 12.5 %, which the page writes as 13 % too.
    text = compare(one, eight, labels=("A", "B")).describe()
    assert text.startswith("After 1 and 8 simulations: ")
    root = eight.recording.tree.root
    rest = sorted((a for a in range(7) if a != 1), key=lambda a: (-root.q_values[a], a))
    ties = ", ".join(f"{a + 1} with 13 %" for a in rest[:2])  # the better of equals comes first
    assert text.endswith(f"B: most visited moves 2 with 25 %, {ties}.")


def test_where_the_reader_is():
    """A simulation with many rows counts once."""
    one, two = searched(20, expand="all"), searched(15)
    both = compare(one, two)
    assert len(both.left["steps"]["leaf"]) > 20
    assert (both.simulation, both.phase, both.line) == (20, "backup", [])
    assert compare(one, two, simulation=1).simulation == 1
    both.simulation = 12
    for wrong in (-1, 21):
        with pytest.raises(traitlets.TraitError, match=f"simulation must be 0 to 20, not {wrong}"):
            both.simulation = wrong


def test_an_explorer_that_searches_again_changes_its_half(pair):
    one, two = pair
    both = compare(one, two)
    assert both.labels[0] == "c = 1, 120 simulations"
    one.rerun(c=4.0, num_simulations=300)
    assert both.left == one.record
    assert both.right == two.record
    assert both.labels == ["c = 4, 300 simulations", "c = 0.2, 200 simulations"]
    assert both.simulation == 300  # the reader was at the end
    both.simulation = 250
    one.rerun(num_simulations=100)
    assert both.simulation == 200
    both.simulation = 60
    two.rerun(num_simulations=100)
    assert (both.simulation, both.labels) == (60, ["c = 4", "c = 0.2"])
    named = compare(one, two, labels=("wide", "narrow"))
    one.rerun(c=1.0)
    assert named.labels == ["wide", "narrow"]


def test_an_unrecorded_tree_beside_a_recorded_one(pair):
    big = compiled_uct(GAME, STATE, 20_000)
    both = compare(big, pair[0])
    assert both.simulation == 120
    assert both.labels[0] == "20,000 simulations"
    assert "After 20,000 and 120 simulations" in both.verdict()
    size = len(both.left["nodes"]["parent"])
    leaf = next(i for i, more in enumerate(both.left["nodes"]["more"]) if more)
    both._heard(both, {"do": "grow", "side": "left", "node": leaf}, [])
    assert len(both.left["nodes"]["parent"]) > size


def test_pictures_with_a_text_alternative(pair):
    both = compare(*pair, labels=("wide", "a < b & c"))
    data, _ = both._repr_mimebundle_()
    alt = re.search(r'alt="([^"]*)"', data["text/html"])[1]
    assert "Two searches of one position of Connect Four" in alt
    assert "prefer" in alt
    assert "run the cell" in data["text/html"]
    assert ">wide<" in data["image/svg+xml"]
    svg = both.to_svg()
    assert ">wide<" in svg
    assert ">a &lt; b &amp; c<" in svg
    for record in (both.left, both.right):
        root_visits = len(record["steps"]["leaf"])
        assert f">{root_visits}<" in svg
    assert repr(both).startswith("Comparison: After 120 and 200 simulations")


def test_a_file_of_its_own(pair, tmp_path):
    path = tmp_path / "both.html"
    text = compare(*pair).to_html(path)
    assert path.read_text(encoding="utf-8") == text
    assert "http" not in re.sub(r"http://www\.w3\.org/\S+|http-equiv", "", text)
    with pytest.raises(OSError, match="Could not write"):
        compare(*pair).to_html(tmp_path / "none" / "both.html")


def test_a_closed_comparison_is_left_alone():
    game = ConnectFour()
    left = explore(game, num_simulations=20)
    recorded = explore(game, num_simulations=30).recording
    both = compare(left, recorded)
    before = both.left
    both.close()
    left.rerun(seed=1)
    assert both.left is before
    assert left.comm is not None  # the reader's own explorer stays
    assert both._explorers["right"].comm is None
