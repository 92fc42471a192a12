"""AlphaGo's trained parts at the board: a policy alone, its search, its rollouts in UCT.

Not handed on by ``azlearn.arena``, which does without torch.
"""

from azlearn.alphago.compiled_rollouts import compiled_patterns
from azlearn.alphago.evaluator import AlphaGoEvaluator
from azlearn.alphago.rollout_policy import RolloutPolicy
from azlearn.arena.network_players import NetworkPlayer, PUCTPlayer, SampledPolicyPlayer
from azlearn.arena.players import UCT_C, CompiledUCTPlayer
from azlearn.games import ConnectFour
from azlearn.games.rules_game import RulesGame
from azlearn.learning import LoadedNetwork

GAME = ConnectFour()


def policy_player(
    policy: LoadedNetwork, name: str, *, sampled: bool = False, game: RulesGame = GAME
) -> NetworkPlayer:
    """A policy without search, p_σ or p_ρ.

    Args:
        game: as all players of a match name it, whatever planes their networks see.
        sampled: draw the move from p (``SampledPolicyPlayer``) instead of playing the likeliest.

    Raises:
        ValueError: a network for another game.
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
    """AlphaGo's search, every leaf expanded at its first visit.

    Args:
        policy, value, rollout, mixing_lambda, temperature, seed: as in ``AlphaGoEvaluator``. Of a
            network only the one head that is wanted is looked at.
        c: the weight of the prior in ``puct``; 5 in AlphaGo (Silver et al. 2016, Extended Data
            Table 5).
        label: what the name begins with. Players of one tournament need different names.
        game: as in ``policy_player``.

    Raises:
        ValueError: an impossible setting, something missing that λ weighs, or a network for another
            game.
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
    c: float = UCT_C,
    label: str = "UCT by patterns",
) -> CompiledUCTPlayer:
    """UCT with rollouts by the fast policy, and without any network.

    Raises:
        ValueError: an impossible budget or c.
    """
    return CompiledUCTPlayer(policy.game, num_simulations, c, compiled_patterns(policy), label)
