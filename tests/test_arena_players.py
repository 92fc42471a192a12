"""Players: what each must see, one position and many alike, and how they are called by name."""

from importlib.resources import files
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import chisquare

from azlearn.alphago import RolloutPolicy
from azlearn.alphago.patterns import NUM_WEIGHTS
from azlearn.alphago.planes import AllPlanes
from azlearn.arena import (
    CompiledUCTPlayer,
    MinimaxPlayer,
    NetworkPlayer,
    PUCTPlayer,
    RandomPlayer,
    SampledPolicyPlayer,
    SolverPlayer,
    TacticalPlayer,
    UCTPlayer,
    accuracy,
    evaluate,
    find_players,
    load_positions,
    make_player,
    play_match,
)
from azlearn.arena.alphago_players import alphago_player, policy_player, rollout_player
from azlearn.games import ConnectFour, State, TicTacToe, minimax_actions
from azlearn.games.solver import SolverMissing
from azlearn.learning import LoadedNetwork, NetworkEvaluator
from azlearn.learning.files import save_network
from azlearn.search import batch_evaluator, compiled_uct, constant, random_rollout
from tests.engines import evaluators, hash_prior, random_positions, stacked
from tests.learning.networks import fresh

FOUR, THREE = ConnectFour(), TicTacToe()
POSITIONS = load_positions()
UNIFORM = RolloutPolicy(np.zeros(NUM_WEIGHTS))


class Both:
    """An evaluator of one position and of many; counts how it is asked."""

    def __init__(self, game, kind="hash"):
        self.pair, self.singles, self.batches, self.asked = evaluators(game, kind), 0, 0, 0

    def __call__(self, game, state, rng):
        self.singles, self.asked = self.singles + 1, self.asked + 1
        return self.pair.single(game, state, rng)

    def batch(self, states):
        self.batches, self.asked = self.batches + 1, self.asked + len(states.me)
        return self.pair.batch(states)


def generators(n):
    return [np.random.default_rng([11, number]) for number in range(n)]


def test_the_tactical_player_misses_no_win_and_no_block():
    rates = accuracy(TacticalPlayer(FOUR), POSITIONS)
    assert rates["by_tactic"]["win1"]["n"] > 200
    assert rates["by_tactic"]["block1"]["n"] > 80
    assert rates["by_tactic"]["win1"]["optimal_score"] == 1.0
    assert rates["by_tactic"]["block1"]["value_preserving"] == 1.0
    # 68 % on other positions made the same way, ± 1.2 (azlearn/data/README.md).
    low, high = rates["value_preserving_interval"]
    assert low - 0.012 <= 0.68 <= high + 0.012


def test_the_solver_player_knows_tic_tac_toe_and_wins_it_as_soon_as_can_be():
    solver, minimax, rng = SolverPlayer(THREE), MinimaxPlayer(THREE), np.random.default_rng(0)
    for state in random_positions(THREE, 100, seed=7):
        assert solver.exact_value(state) == minimax.exact_value(state)
        assert solver.choose(state, rng) in minimax_actions(THREE, state)
    assert solver.choose(THREE.from_moves("1425"), rng) == 2  # 3 ends it; other moves win later


@pytest.mark.parametrize(
    ("game", "kind", "options"),
    [
        (FOUR, "hash", {"c": 0.7, "fpu": "parent"}),
        (THREE, "rough", {}),
        (FOUR, "uniform", {"fpu": -1.0}),
    ],
)
def test_puct_chooses_the_same_move_alone_and_in_a_crowd(monkeypatch, game, kind, options):
    """A crowd larger than the engine is searched in parts."""
    monkeypatch.setattr("azlearn.arena.network_players.MOST_AT_ONCE", 25)
    states = random_positions(game, 40, seed=1)
    for num_simulations in (1, 2, 30):
        evaluator = Both(game, kind)
        player = PUCTPlayer(game, evaluator, num_simulations, **options)
        together = player.choose_batch(states, generators(40))
        assert evaluator.singles == 0
        assert together == [
            player.choose(*asked) for asked in zip(states, generators(40), strict=True)
        ]


def test_puct_can_be_stopped():
    player = PUCTPlayer(
        FOUR, Both(FOUR), 500, stop=lambda tree, simulations_left: simulations_left <= 490
    )
    player.choose(FOUR.initial_state(), np.random.default_rng(0))
    assert player.last_tree.root.num_visits == 10
    player.choose_batch([FOUR.from_moves("44")], generators(1))  # in a match, too
    assert player.last_tree.root.state == FOUR.from_moves("44")
    assert player.last_tree.root.num_visits == 10


def test_the_temperature_draws_by_visits_in_the_opening_and_nowhere_else():
    player = PUCTPlayer(THREE, Both(THREE), 40, temperature=1.0, opening_plies=2)
    early, late = THREE.from_moves("1"), THREE.from_moves("12")
    player.choose(early, np.random.default_rng(0))
    shares, n = player.last_tree.policy(1.0), 1000
    drawn = player.choose_batch([early] * n, generators(n))
    counts, possible = np.bincount(drawn, minlength=9), shares > 0
    assert possible.sum() > 2
    assert counts[~possible].sum() == 0
    assert chisquare(counts[possible], n * shares[possible]).pvalue > 1e-3
    assert drawn[:50] == [player.choose(early, rng) for rng in generators(50)]
    assert len(set(player.choose_batch([late] * 50, generators(50)))) == 1
    player.choose(late, np.random.default_rng(0))
    assert player.choose_batch([late], generators(1)) == [player.last_tree.best_action()]
    for options, said in (
        ({"num_simulations": 0}, "num_simulations must be a whole number, at least 1"),
        ({"temperature": 1.0}, "together, not temperature 1.0 with opening_plies 0:"),
    ):
        with pytest.raises(ValueError, match=said):
            PUCTPlayer(FOUR, constant(), **options)


@pytest.mark.parametrize("game", [FOUR, THREE])
def test_the_network_player_takes_the_likeliest_legal_move(game):
    states, evaluator = random_positions(game, 60, seed=4), Both(game)
    player = NetworkPlayer(game, evaluator)
    chosen = player.choose_batch(states, generators(60))
    assert (evaluator.batches, evaluator.singles) == (1, 0)
    assert chosen == [player.choose(state, np.random.default_rng(0)) for state in states]
    for state, action in zip(states, chosen, strict=True):
        prior = evaluator.pair.single(game, state, None).prior
        assert prior[action] == max(prior[a] for a in game.legal_actions(state))

    careless = batch_evaluator(lambda states: (np.eye(7)[[3]], np.zeros(1)))  # column 4 is full
    full = FOUR.from_moves("444444")
    assert NetworkPlayer(FOUR, careless).choose_batch([full], generators(1)) == [0]


@pytest.mark.parametrize("kind", [NetworkPlayer, SampledPolicyPlayer])
@pytest.mark.parametrize(
    ("prior", "said"),
    [
        (np.full((2, 7), np.nan), "finite numbers"),
        (np.ones((2, 1)), r"must return a prior \(2, 7\)"),
    ],
)
def test_many_moves_are_not_chosen_by_what_is_no_prior(kind, prior, said):
    player = kind(FOUR, batch_evaluator(lambda states: (prior, np.zeros(2))))
    with pytest.raises(ValueError, match=said):
        player.choose_batch([FOUR.from_moves(moves) for moves in ("4", "44")], generators(2))


@pytest.mark.parametrize("kind", [NetworkPlayer, SampledPolicyPlayer, PUCTPlayer])
def test_what_draws_numbers_draws_them_position_by_position(kind):
    """Evaluators that draw, and moves that are drawn."""
    states = random_positions(FOUR, 12, seed=6)
    drawing = NetworkEvaluator(FOUR, fresh(FOUR), symmetry="random")
    for evaluator in (Both(FOUR), random_rollout(), drawing):
        player = kind(FOUR, evaluator)
        together = player.choose_batch(states, generators(12))
        alone = [player.choose(*asked) for asked in zip(states, generators(12), strict=True)]
        assert together == alone
        assert player.choose_batch(states[::-1], generators(12)[::-1]) == alone[::-1]


@pytest.mark.parametrize(
    "player",
    [
        *(RandomPlayer(THREE), MinimaxPlayer(THREE), UCTPlayer(THREE), CompiledUCTPlayer(THREE)),
        *(TacticalPlayer(THREE), SolverPlayer(THREE), SampledPolicyPlayer(THREE, Both(THREE))),
        *(NetworkPlayer(THREE, Both(THREE)), PUCTPlayer(THREE, Both(THREE))),
    ],
    ids=lambda player: player.name,
)
def test_nobody_moves_in_a_finished_game(player):
    over = THREE.from_moves("14253")
    with pytest.raises(ValueError, match=r"game (in row 1 )?is over"):
        player.choose(over, np.random.default_rng(0))
    if hasattr(player, "choose_batch"):
        with pytest.raises(ValueError, match=r"game (in row 1 )?is over"):
            player.choose_batch([THREE.initial_state(), over], generators(2))


def test_accuracy_asks_once_for_many_positions_and_finds_the_same():
    evaluator = Both(FOUR)
    player = PUCTPlayer(FOUR, evaluator, 8)
    rates = accuracy(player, POSITIONS[:300])
    assert evaluator.singles == 0
    assert evaluator.batches <= 3 * 9  # the positions are asked in three parts

    one_by_one = SimpleNamespace(name="one by one", choose=player.choose)
    assert accuracy(one_by_one, POSITIONS[:300]) == rates
    assert rates["by_tactic"]["quiet"] == rates["quiet"]


# Trees that are kept between moves, and evaluations that are remembered.


@pytest.mark.slow
@pytest.mark.parametrize("at_once", [True, False], ids=["batched", "one by one"])
def test_a_search_is_filled_up_and_what_is_known_is_not_asked_again(at_once):
    asked = []
    for reuse_tree, name in ((True, "PUCT 40, tree reused"), (False, "PUCT 40")):
        evaluator, rng, state = Both(FOUR, "rough"), np.random.default_rng(3), State(0, 0)
        player = PUCTPlayer(FOUR, evaluator, 40, reuse_tree=reuse_tree)
        assert player.name == name
        while FOUR.outcome(state) is None:
            if at_once:
                (action,) = player.choose_batch([state], [rng])
            else:
                action = player.choose(state, rng)
                assert player.last_tree.root.num_visits == 40
                assert player.last_tree.root.state == state
            state = FOUR.next_state(state, action)
            if FOUR.outcome(state) is None:  # a reply that the search has looked at
                state = FOUR.next_state(state, FOUR.legal_actions(state)[0])
        asked.append(evaluator.asked)
    assert asked[0] < 0.95 * asked[1]


def played_by(player, openings=("12", "21", "35", "53")):
    """The games of a match from these openings against one opponent."""
    opponent = PUCTPlayer(player.game, Both(player.game, "rough"), 10)
    return play_match(player, opponent, games=2 * len(openings), openings=openings).games


def test_in_a_match_every_game_keeps_its_own_tree():
    """The same games, move for move, as when each is played by itself."""
    keeps = lambda: PUCTPlayer(FOUR, Both(FOUR, "rough"), 40, reuse_tree=True)  # noqa: E731
    games = played_by(keeps())
    for opening in ("12", "21", "35", "53"):
        alone = played_by(keeps(), [opening])
        assert set(alone) == {one for one in games if one.opening == opening}


def test_what_is_remembered_from_move_to_move_is_not_asked_again():
    """The games are the same, move for move."""
    asked, games = {}, {}
    for bits in (0, 4, 16):  # 16 slots: most are soon taken by another position
        evaluator = Both(FOUR, "rough")
        games[bits] = played_by(PUCTPlayer(FOUR, evaluator, 40, cache_bits=bits))
        asked[bits] = evaluator.asked
    assert games[0] == games[4] == games[16]
    assert asked[16] < asked[4] <= asked[0]
    assert asked[16] < 0.95 * asked[0]


@pytest.mark.parametrize("options", [{"cache_bits": 10}, {"reuse_tree": True}])
def test_a_player_that_was_interrupted_starts_afresh(options):
    """It neither completes the searches that were stopped nor takes one of them up."""
    new, old = (PUCTPlayer(FOUR, Both(FOUR, "rough"), 40, **options) for _ in range(2))
    answer, left = old.evaluator.batch, iter(range(5))

    def interrupted(states):
        if next(left, None) is None:
            raise KeyboardInterrupt
        return answer(states)

    old.evaluator.batch = interrupted
    with pytest.raises(KeyboardInterrupt):
        old.choose_batch(random_positions(FOUR, 30, seed=8), generators(30))
    old.evaluator.batch, old.evaluator.asked, state = answer, 0, FOUR.from_moves("4")
    assert old.choose_batch([state], generators(1)) == new.choose_batch([state], generators(1))
    assert old.evaluator.asked == new.evaluator.asked


def test_a_player_that_remembers_may_be_asked_about_more_than_before():
    """More positions, more simulations."""
    player, anew = (PUCTPlayer(FOUR, Both(FOUR, "rough"), 40, cache_bits=n) for n in (10, 0))
    for states, level in ((["1", "2"], 40), (["1", "3", "44"], 40), (["3"], 90), (["1"], 20)):
        player.num_simulations = anew.num_simulations = level
        states, rngs = [FOUR.from_moves(moves) for moves in states], generators(len(states))
        assert player.choose_batch(states, rngs) == anew.choose_batch(states, rngs)


# AlphaGo's parts.


def loaded(game=FOUR, seed=0):
    return LoadedNetwork(game, fresh(game, seed=seed).eval(), {})


@pytest.mark.parametrize("game", [FOUR, THREE])
def test_moves_are_drawn_as_often_as_the_prior_says(game):
    """Chi-square; columns that are full among them."""
    priors, draws = evaluators(game, "hash").batch, 2000  # float32 sums to 1 only nearly
    float32 = batch_evaluator(lambda s: (priors(s)[0].astype(np.float32), np.zeros(len(s.me))))
    player = SampledPolicyPlayer(game, float32)
    states = [*random_positions(game, 3, seed=31), game.from_moves("112233" * (game is FOUR))]
    for state in states:
        prior = hash_prior(game, stacked([state]))[0]
        chosen = player.choose_batch([state] * draws, generators(draws))
        counts = np.bincount(chosen, minlength=game.num_actions)
        kept = prior > 0
        assert not counts[~kept].any()
        if kept.sum() > 1:
            assert chisquare(counts[kept], prior[kept] * draws).pvalue > 1e-4


def test_sampled_games_from_one_opening_differ_where_likeliest_moves_repeat_themselves():
    stage = loaded()
    likeliest, drawn = policy_player(stage, "greedy"), policy_player(stage, "drawn", sampled=True)
    assert (type(likeliest), likeliest.name) == (NetworkPlayer, "greedy")
    assert (type(drawn), drawn.name) == (SampledPolicyPlayer, "drawn")
    twin = policy_player(stage, "twin")
    assert play_match(likeliest, twin, games=20, openings=["4"]).distinct_games == 1
    assert play_match(likeliest, drawn, games=20, openings=["4"]).distinct_games > 15


def test_each_network_has_its_own_part_and_its_own_planes():
    policy, value = loaded(AllPlanes(), seed=1), loaded(seed=2)
    player = alphago_player(policy, value, None, 20, mixing_lambda=0, temperature=1.0, label="λ 0")
    assert (type(player), player.game, player.name) == (PUCTPlayer, FOUR, "λ 0 20")
    assert player.c == 5
    states = stacked(random_positions(FOUR, 12, seed=33))
    prior, values = player.evaluator.batch(states)
    right = NetworkEvaluator(policy.game, policy.network).batch(states)[0]
    np.testing.assert_allclose(prior, right, atol=1e-6)
    right = NetworkEvaluator(FOUR, value.network).batch(states)[1]
    np.testing.assert_allclose(values, right, atol=1e-6)


def test_searches_with_rollouts_are_the_same_alone_and_in_a_crowd():
    """Whatever the generators: the rollouts' numbers come from the seed and the positions."""
    states = random_positions(FOUR, 12, seed=34)
    chosen = {}
    for seed in (0, 1):
        player = alphago_player(None, None, UNIFORM, 40, mixing_lambda=1, seed=seed)
        chosen[seed] = player.choose_batch(states, generators(12))
        assert [player.choose(state, np.random.default_rng()) for state in states] == chosen[seed]
    assert chosen[0] != chosen[1]


def test_parts_of_another_game_are_refused():
    for arguments, mixing_lambda in (
        ((loaded(THREE), None, UNIFORM), 1),
        ((None, loaded(THREE), None), 0),
    ):
        with pytest.raises(ValueError, match="plays tic_tac_toe, not connect_four"):
            alphago_player(*arguments, mixing_lambda=mixing_lambda)


def test_the_compiled_player_searches_with_the_rollouts_that_it_is_given():
    weights, state = np.zeros(NUM_WEIGHTS), FOUR.from_moves("1122")
    weights[1] = 40  # a move that wins is always played
    sharp, plain = rollout_player(RolloutPolicy(weights), 200), CompiledUCTPlayer(FOUR, 200)
    assert (sharp.name, plain.name) == ("UCT by patterns 200", "compiled UCT 200")
    for player in (sharp, plain):
        player.choose(state, np.random.default_rng(3))
        tree = compiled_uct(FOUR, state, 200, player.c, 3, player.evaluator)
        assert player.last_tree.root.visit_counts == tree.root.visit_counts
    assert sharp.last_tree.root.visit_counts != plain.last_tree.root.visit_counts


# By name.


@pytest.fixture
def saved(tmp_path):
    """A run's folder of Connect Four and a file of tic-tac-toe, with networks that know nothing."""
    run, file = tmp_path / "run", tmp_path / "small.safetensors"
    run.mkdir()
    save_network(run / "network.safetensors", "connect4", fresh(FOUR), {})
    save_network(file, "tictactoe", fresh(THREE), {})
    return str(run), str(file)


def test_players_by_name(saved):
    run, file = saved
    kinds = {"random": RandomPlayer, "tactical": TacticalPlayer, "uct": CompiledUCTPlayer}
    for word, kind in kinds.items():
        assert (type(make_player(word)), make_player(word).game) == (kind, FOUR)
        assert make_player(word, THREE).game == THREE
    assert type(make_player("solver", THREE)) is SolverPlayer
    assert make_player("uct").num_simulations == 1000
    assert make_player("uct", simulations=30).name == "compiled UCT 30"
    assert make_player("uct@50", simulations=30).num_simulations == 50
    assert type(make_player("uct@50", readable=True)) is UCTPlayer
    searched, alone = make_player(run), make_player(run, FOUR, 0)
    assert (type(searched), searched.num_simulations) == (PUCTPlayer, 200)
    assert searched.name == f"{run} 200"
    assert (type(alone), alone.name) == (NetworkPlayer, f"{run} without search")
    assert make_player(file, simulations=7).game == THREE
    state = FOUR.from_moves("4453")
    rng = np.random.default_rng(0)
    assert make_player(run, simulations=5).choose(state, rng) in FOUR.legal_actions(state)


def test_a_network_among_the_players_decides_the_game(saved):
    _, file = saved
    for words in (["random", f"{file}@0"], [file, "uct@10"]):
        assert [player.game for player in find_players(words)] == [THREE, THREE]
    assert [player.game for player in find_players(["random", "uct"])] == [FOUR, FOUR]
    with pytest.raises(ValueError, match=r"plays connect_four, not tic_tac_toe\.$"):
        find_players([file, saved[0]])


def test_what_is_mistyped_or_damaged_or_missing_is_one_sentence(saved, tmp_path, monkeypatch):
    def missing(game, state):
        raise SolverMissing("pip install bitbully")

    monkeypatch.setattr("azlearn.arena.player_specs.move_scores", missing)
    (cut := tmp_path / "cut.safetensors").write_bytes(b"not a network")
    for word, simulations, said in (
        ("alphazero", None, "player 'alphazero'. Use random, tactical, uct, solver,"),
        ("random@", None, "Unknown player 'random@'"),
        ("uct@0", None, "num_simulations must be a whole number, at least 1, not 0."),
        (saved[0], -1, "simulations must be a whole number, at least 0, not -1"),
        (str(cut), None, r"cut\.safetensors is damaged"),
        ("solver", None, "pip install bitbully"),
    ):
        with pytest.raises(ValueError, match=said) as error:
            make_player(word, simulations=simulations)
        assert "\n" not in str(error.value)


def test_evaluate_measures_networks_alone_and_searching(saved, tmp_path):
    run, file = saved
    positions = tmp_path / "few.csv"
    shipped = files("azlearn") / "data" / "connect_four_positions.csv"
    positions.write_text("\n".join(shipped.read_text().splitlines()[:61]) + "\n")
    rows = evaluate(run, positions, simulations=[0, 4])
    assert [(row["simulations"], row["n"]) for row in rows] == [(0, 60), (4, 60)]
    for player in ("tactical", "tactical@5"):  # does not search, whatever the word says
        assert [row["simulations"] for row in evaluate(player, positions)] == [0]
    assert [row["simulations"] for row in evaluate("uct@5", positions)] == [5]
    with pytest.raises(ValueError, match="plays tic_tac_toe, not connect_four"):
        evaluate(file, positions)
    with pytest.raises(ValueError, match="needs at least one number of simulations"):
        evaluate("uct", positions, simulations=[])
