"""Networks in all their forms, where an evaluator, an opponent or a player is wanted."""

import pytest

from azlearn.arena import NetworkPlayer, PUCTPlayer, play_match
from azlearn.games import ConnectFour, TicTacToe
from azlearn.learning import NetworkEvaluator, evaluator_of, load_network, save_network
from azlearn.search import constant
from azlearn.viz import explore, play
from tests.learning.networks import trained

GAME = TicTacToe()


@pytest.fixture(scope="module")
def forms(tmp_path_factory):
    """The same network in every form."""
    network = trained(GAME)
    path = tmp_path_factory.mktemp("given") / "network.safetensors"
    save_network(path, "tictactoe", network, {})
    evaluator = NetworkEvaluator(GAME, network)
    return {
        "network": network,
        "loaded": load_network(path),
        "file": path,
        "folder": path.parent,
        "text": str(path),
        "evaluator": evaluator,
        "player": PUCTPlayer(GAME, evaluator, 10),
    }


def test_every_form_is_the_same_evaluator(forms):
    state = GAME.from_moves("15")
    right = forms["evaluator"](GAME, state, None)
    for form in forms.values():
        prior, value, _ = evaluator_of(form, GAME)(GAME, state, None)
        assert prior == pytest.approx(right.prior, abs=1e-6)
        assert value == pytest.approx(right.value, abs=1e-6)
    own = constant(0.5)
    assert evaluator_of(own, GAME) is own


def test_explore_takes_every_form_and_then_searches_with_puct(forms):
    trees = [explore(GAME, evaluate=form, num_simulations=30).record for form in forms.values()]
    for tree in trees:
        assert tree["rule"]["name"] == "puct"
        assert tree["nodes"]["action"] == trees[0]["nodes"]["action"]
    assert explore(GAME, num_simulations=5).record["rule"]["name"] == "uct"


def test_play_takes_every_form_as_an_opponent(forms):
    for name in ("network", "loaded", "file", "folder"):
        table = play(GAME, forms[name])
        table.play(4)
        assert len(table.moves) == 2
        assert sum(table.line.last_thought.visits) == 200
        assert table.view["level"]["now"] == 200


def test_match_takes_words_folders_and_loaded_networks(forms):
    for form in (forms["loaded"], forms["file"], str(forms["folder"])):
        result = play_match(form, NetworkPlayer(GAME, forms["evaluator"]), games=2)
        assert len(result.games) == 2


def test_what_is_none_of_these_is_one_sentence(forms):
    with pytest.raises(ValueError, match=r"An evaluator is wanted: a function .* not 7"):
        explore(GAME, evaluate=7)
    with pytest.raises(ValueError, match="This network plays tic_tac_toe, not connect_four"):
        evaluator_of(forms["loaded"], ConnectFour())
    with pytest.raises(ValueError, match="or be a network or a run's folder; None or 'human'"):
        play(GAME, "nobody")
    with pytest.raises(ValueError, match="A player has a method choose"):
        play_match(7, forms["player"], games=2)
