"""Searches that are run again: from Python, without a browser."""

import numpy as np
import pytest

from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import MCTS, RootNoise, puct, random_rollout, uct
from azlearn.viz import Explorer, LiveExplorer, explore, explore_tree

GAME = ConnectFour()
STATE = GAME.from_moves("44443")


def prefers_the_middle(game, state, rng):
    weights = np.array([1, 2, 3, 4, 3, 2, 1]) * game.legal_mask(state)
    return weights / weights.sum(), 0.1


def moves_to(record, node):
    found = []
    while node > 0:
        found.insert(0, record["nodes"]["action"][node])
        node = record["nodes"]["parent"][node]
    return found


def visits(select=None, evaluate=None, num_simulations=150, seed=0, **options):
    mcts = MCTS(GAME, select or uct(1.0), evaluate or random_rollout(), **options)
    return mcts.run(STATE, num_simulations, seed).root.visit_counts


def shown_visits(explorer):
    return explorer.recording.tree.root.visit_counts


@pytest.fixture
def explorer():
    return explore(GAME, STATE, num_simulations=150)


@pytest.fixture
def with_prior():
    return explore(GAME, STATE, select=puct(), evaluate=prefers_the_middle, num_simulations=150)


def test_the_first_search_is_the_one_asked_for(explorer):
    assert isinstance(explorer, LiveExplorer)
    assert shown_visits(explorer) == visits()
    assert {name: knob["value"] for name, knob in explorer.knobs.items()} == {
        "c": 1.0,
        "num_simulations": 150,
        "seed": 0,
    }
    assert (explorer.running, explorer.notice) == (False, "")


def test_only_knobs_that_the_rule_has(with_prior):
    assert list(with_prior.knobs) == ["c", "fpu", "noise", "num_simulations", "seed"]
    own = explore(GAME, STATE, select=lambda node: [0.0] * 7, num_simulations=5)
    assert list(own.knobs) == ["num_simulations", "seed"]
    noisy = explore(GAME, STATE, num_simulations=5, root_noise=RootNoise(0.5, 0.1))
    assert noisy.knobs["noise"]["value"] == 0.1
    assert Explorer(own.recording).knobs == explore_tree(own.recording.tree).knobs == {}


@pytest.mark.parametrize(
    ("changes", "search"),
    [
        ({"c": 3}, {"select": uct(3)}),
        ({"num_simulations": 40}, {"num_simulations": 40}),
        ({"seed": 7}, {"seed": 7}),
        ({"c": 0.2, "seed": 5}, {"select": uct(0.2), "seed": 5}),
    ],
)
def test_rerun_is_the_search_with_the_new_settings(explorer, changes, search):
    assert explorer.rerun(**changes) is explorer
    assert shown_visits(explorer) == visits(**search) != visits()
    assert {name: explorer.knobs[name]["value"] for name in changes} == changes
    assert explorer.record == explorer.recording.to_dict()
    assert not explorer.running


def test_rerun_keeps_the_parameters_that_have_no_slider():
    rule = puct(1.0, "parent", fpu_reduction=0.3)
    explorer = explore(ConnectFour(), select=rule, evaluate=prefers_the_middle, num_simulations=40)
    explorer.rerun(c=2.5)
    assert explorer.record["rule"] == {
        "name": "puct", "c": 2.5, "fpu": "parent", "fpu_reduction": 0.3,
    }  # fmt: skip


def test_rerun_sets_fpu_and_noise(with_prior):
    with_prior.rerun(fpu=-1)
    assert shown_visits(with_prior) == visits(puct(fpu=-1), prefers_the_middle)
    with_prior.rerun(fpu="parent", noise=0.25)
    expected = visits(
        puct(fpu="parent"), prefers_the_middle, root_noise=RootNoise(10 / 7)
    )  # seven moves are legal
    assert shown_visits(with_prior) == expected
    assert with_prior.knobs["noise"]["value"] == 0.25
    with_prior.rerun(noise=0, fpu=0.0)
    assert shown_visits(with_prior) == visits(puct(), prefers_the_middle)


@pytest.mark.parametrize("rule", [puct(), uct(1.0)])  # with fpu, and without
def test_noise_turned_to_nothing_and_back(rule):
    noisy = explore(GAME, STATE, select=rule, evaluate=prefers_the_middle, num_simulations=50,
                    root_noise=RootNoise(0.3))  # fmt: skip
    noisy.rerun(noise=0)
    assert shown_visits(noisy) == visits(rule, prefers_the_middle, 50)
    assert noisy.knobs["noise"]["value"] == 0
    noisy.rerun(noise=0, seed=1)  # the browser always sends every knob
    noisy.rerun(noise=0.5, seed=0)
    expected = visits(rule, prefers_the_middle, 50, root_noise=RootNoise(0.3, 0.5))
    assert shown_visits(noisy) == expected


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"fpu": 0}, "no 'fpu' to set; its knobs are c, num_simulations, seed"),
        ({"c": "high"}, "c must be"),
        ({"num_simulations": 1.5}, "num_simulations must be"),
        ({"seed": -1}, "seed must be a whole number"),
    ],
)
def test_values_that_cannot_be(explorer, changes, words):
    before = explorer.record
    with pytest.raises(ValueError, match=words):
        explorer.rerun(**changes)
    assert explorer.record is before
    assert explorer.knobs["c"]["value"] == 1.0


def test_the_selection_stays_on_its_position(explorer):
    depth = [len(moves_to(explorer.record, i)) for i in range(151)]
    explorer.selected = depth.index(3)
    line = moves_to(explorer.record, explorer.selected)
    explorer.rerun(num_simulations=1000)  # the same search, and more of it
    assert moves_to(explorer.record, explorer.selected) == line
    explorer.rerun(num_simulations=7)  # every first move once
    assert moves_to(explorer.record, explorer.selected) == line[:1]


def test_a_reader_at_the_end_stays_there_and_one_on_the_way_stays_where_he_was(explorer):
    explorer.rerun(num_simulations=60)
    assert explorer.step == 60
    explorer.step, explorer.phase = 25, "select"
    explorer.rerun(num_simulations=90)
    assert (explorer.step, explorer.phase) == (25, "select")
    explorer.rerun(num_simulations=10)
    assert explorer.step == 10


class Failing:
    """An evaluator that fails from the nth call on."""

    name = "failing"

    def __init__(self, error, calls):
        self.error, self.calls = error, calls

    def __call__(self, game, state, rng):
        self.calls -= 1
        if self.calls < 0:
            raise self.error
        return None, 0.0


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
        (ValueError("no such row\n  in the table."), "no such row in the table"),
    ],
)
def test_an_evaluator_that_raises(error, sentence):
    explorer = explore(GAME, STATE, evaluate=Failing(error, 41), num_simulations=40)
    before, selected = explorer.record, explorer.selected
    with pytest.raises(type(error)):
        explorer.rerun(c=2.0)
    assert explorer.notice == (
        f"The search failed: {sentence}. The tree shown is the one from before."
    )
    assert explorer.record is before
    assert explorer.selected == selected
    assert explorer.knobs["c"]["value"] == 1.0  # as the tree that is shown
    assert not explorer.running


def test_nan_is_one_sentence_and_a_good_search_clears_it():
    answers = {"value": 0.5}
    explorer = explore(
        GAME, STATE, evaluate=lambda g, s, r: (None, answers["value"]), num_simulations=30
    )
    answers["value"] = float("nan")
    with pytest.raises(ValueError, match="nan"):
        explorer.rerun(seed=1)
    assert "must lie in [-1, 1], not nan" in explorer.notice
    answers["value"] = 0.5
    explorer.rerun(seed=2)
    assert explorer.notice == ""


def test_a_knob_turned_to_what_cannot_be_is_refused_and_the_next_works(explorer):
    said = []
    explorer.send = lambda content, buffers=None: said.append(content)
    explorer._heard(explorer, {"do": "turn", "knobs": {"c": -2}}, [])
    assert "c must be" in explorer.notice
    assert said == [{"do": "refused"}]
    assert not explorer.running
    explorer._heard(explorer, {"do": "turn", "knobs": {"c": 2.0}}, [])
    assert explorer.wait(20)
    assert explorer.record["rule"] == {"name": "uct", "c": 2.0}
    assert (explorer.step, explorer.notice) == (150, "")


def test_a_late_word_of_the_browser_about_the_tree_before(explorer):
    explorer.rerun(num_simulations=20)
    explorer.set_state({"step": 140, "selected": 100, "phase": "select"})
    assert (explorer.step, explorer.selected, explorer.phase) == (20, None, "select")
    explorer.set_state({"step": 7, "selected": 3})
    assert (explorer.step, explorer.selected) == (7, 3)


def test_files_and_saved_notebooks_have_no_sliders(explorer):
    assert '"knobs"' not in explorer.to_html().split('id="state">')[1].split("</script>")[0]
    data, _ = explorer._repr_mimebundle_()
    assert "slider" not in data["text/html"]


def test_numbers_of_numpy_and_a_finished_game():
    explorer = explore(
        GAME, STATE, select=uct(np.float64(1.5)), num_simulations=np.int64(12), seed=np.int64(3)
    )
    explorer.get_state()  # what is sent must be JSON
    assert type(explorer.knobs["num_simulations"]["value"]) is int
    tic = TicTacToe()
    with pytest.raises(ValueError, match="game is over"):
        explore(tic, tic.from_moves("14253"), num_simulations=5)
