"""Players made from AlphaGo's trained parts: a policy, the whole search, UCT with its rollouts.

``azlearn.arena`` does not export them, because it works without PyTorch.
"""

from azlearn.alphago.compiled_rollouts import compiled_patterns
from azlearn.alphago.evaluator import AlphaGoEvaluator
from azlearn.alphago.rollout_policy import RolloutPolicy
from azlearn.arena.network_players import NetworkPlayer, PUCTPlayer, SampledPolicyPlayer
from azlearn.arena.players import CompiledUCTPlayer
from azlearn.games import ConnectFour
from azlearn.games.rules_game import RulesGame
from azlearn.learning import LoadedNetwork

GAME = ConnectFour()


def policy_player(
    policy: LoadedNetwork, name: str, *, sampled: bool = False, game: RulesGame = GAME
) -> NetworkPlayer:
    """Returns a player that uses a policy, p_σ or p_ρ, without search.

    Args:
        game: the game of the match; the network may use other input planes.
        sampled: sample the move from p (``SampledPolicyPlayer``) instead of playing the likeliest.

    Raises:
        ValueError: the network is for another game.
    """
    kind = SampledPolicyPlayer if sampled else NetworkPlayer
    return kind(game, policy, name)


def alphago_player(
    policy: LoadedNetwork | None,
    value: LoadedNetwork | None,
    rollout: RolloutPolicy | None,
    num_simulations: int = 200,
    *,
    mixing_lambda: float = 0.5,
    temperature: float = 0.67,
    c: float = 5.0,
    seed: int = 0,
    label: str = "AlphaGo",
    game: RulesGame = GAME,
) -> PUCTPlayer:
    """Returns a player that uses AlphaGo's search; every leaf is expanded at its first visit.

    Args:
        policy, value, rollout, mixing_lambda, temperature, seed: as in ``AlphaGoEvaluator``. Only
            one head of each network is used.
        c: the weight of the prior in ``puct``; 5 in AlphaGo (Silver et al. 2016, Extended Data
            Table 5).
        label: the start of the name. Players of one tournament need different names.
        game: as in ``policy_player``.

    Raises:
        ValueError: a setting is out of range, a part with a weight above 0 is missing, or a network
            is for another game.
    """
    rollouts = rollout and compiled_patterns(rollout)
    evaluator = AlphaGoEvaluator(
        policy, value, rollouts, mixing_lambda, temperature, seed, game=game
    )
    return PUCTPlayer(game, evaluator, num_simulations, c, label=label)


def rollout_player(
    policy: RolloutPolicy,
    num_simulations: int = 1000,
    *,
    label: str = "UCT by patterns",
) -> CompiledUCTPlayer:
    """Returns a UCT player whose rollouts use the fast policy, without any network.

    Raises:
        ValueError: num_simulations is out of range.
    """
    rollouts = compiled_patterns(policy)
    return CompiledUCTPlayer(policy.game, num_simulations, evaluator=rollouts, label=label)
