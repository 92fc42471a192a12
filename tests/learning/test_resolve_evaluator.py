"""Networks in all their forms, where an evaluator, an opponent or a player is wanted."""

import numpy as np
import pytest

from azlearn.alphago import (
    AlphaGoEvaluator,
    alphago_search,
    mixed_evaluator,
    tempered_policy,
)
from azlearn.arena import NetworkPlayer, PUCTPlayer, SampledPolicyPlayer, play_match
from azlearn.games import ConnectFour, TicTacToe
from azlearn.learning import (
    CorruptFileError,
    NetworkEvaluator,
    load_network,
    resolve_evaluator,
    save_network,
)
from azlearn.search import MCTS, constant, puct
from azlearn.viz import explore, play
from tests.learning.networks import trained

GAME = TicTacToe()
STATE = GAME.from_moves("15")


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
    right = forms["evaluator"](GAME, STATE, None)
    for form in forms.values():
        prior, value, _ = resolve_evaluator(form, GAME)(GAME, STATE, None)
        assert prior == pytest.approx(right.prior, abs=1e-6)
        assert value == pytest.approx(right.value, abs=1e-6)
    own = constant(0.5)
    assert resolve_evaluator(own, GAME) is own


# All that takes an evaluator: the game and a network in some form to what it makes of STATE.
TAKERS = {
    "MCTS": lambda game, form: MCTS(game, puct(), form).run(STATE, 20).root.visit_counts,
    "MCTS's policy": lambda game, form: (
        MCTS(game, puct(), constant(), policy=form).run(STATE, 20).root.visit_counts
    ),
    "explore": lambda game, form: explore(game, STATE, evaluate=form, num_simulations=20).record,
    "NetworkPlayer": lambda game, form: NetworkPlayer(game, form).choose(STATE, RNG()),
    "SampledPolicyPlayer": lambda game, form: SampledPolicyPlayer(game, form).choose(STATE, RNG()),
    "PUCTPlayer": lambda game, form: PUCTPlayer(game, form, 20).choose(STATE, RNG()),
    "mixed_evaluator": lambda game, form: (
        mixed_evaluator(form, None, 0.0)(game, STATE, None).value
    ),
    "tempered_policy": lambda game, form: tempered_policy(form)(game, STATE, None).prior.tolist(),
    "alphago_search": lambda game, form: (
        alphago_search(game, form, form, None, mixing_lambda=0, expand_threshold=0)
        .run(STATE, 20).root.visit_counts
    ),
    "AlphaGoEvaluator": lambda game, form: (
        AlphaGoEvaluator(form, form, None, 0.0, game=game)(game, STATE, None)
    ),
}  # fmt: skip


def RNG() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.mark.parametrize("take", TAKERS.values(), ids=TAKERS)
def test_whatever_takes_an_evaluator_takes_every_form(take, forms, tmp_path):
    right = take(GAME, forms["evaluator"])
    for form in forms.values():
        assert take(GAME, form) == right
    with pytest.raises(ValueError, match=r"This network (plays|does not play) .*connect_four"):
        take(ConnectFour(), load_network("tictactoe"))
    with pytest.raises(ValueError, match="This network does not play connect_four"):
        take(ConnectFour(), forms["network"])
    with pytest.raises(ValueError, match="This network plays connect_four, not tic_tac_toe"):
        take(GAME, "connect4")
    (tmp_path / "cut.safetensors").write_bytes(forms["file"].read_bytes()[:1000])
    with pytest.raises(CorruptFileError, match=r"cut\.safetensors is damaged"):
        take(GAME, tmp_path / "cut.safetensors")


def test_play_takes_a_network_as_an_opponent_and_explore_then_searches_with_puct(forms):
    for name in ("network", "folder"):
        table = play(GAME, forms[name])
        table.play(4)
        assert len(table.moves) == 2
        assert sum(table.line.last_report.visits) == 200 == table.view["level"]["now"]
    for form, rule in ((forms["network"], "puct"), (None, "uct")):
        record = explore(GAME, evaluate=form, num_simulations=5).record
        assert record["rule"]["name"] == rule


def test_what_is_none_of_these_is_one_sentence(forms):
    with pytest.raises(ValueError, match=r"An evaluator must be a function .* not 7"):
        explore(GAME, evaluate=7)
    with pytest.raises(ValueError, match=r"or be a network or a run's folder\. None or 'human'"):
        play(GAME, "nobody")
    with pytest.raises(ValueError, match="A player must have a game and a method choose"):
        play_match(7, forms["player"], games=2)
