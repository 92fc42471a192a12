"""AlphaGo's evaluation of many positions at once, for ``BatchedSearch`` and players that use it.

If every leaf is expanded at its first visit (n_thr = 0), AlphaGo's search is PUCT with an evaluator
that returns a prior with temperature and the mix ``(1 - λ) v + λ z``::

    evaluator = AlphaGoEvaluator(policy, value, compiled_patterns(rollout_policy))
    PUCTPlayer(game, evaluator, num_simulations=400, c=5.0)

The tree is the same, visit for visit, as that of ``MCTS`` with ``mixed_evaluator`` and
``tempered_policy``. Here the networks evaluate a batch at a time; AlphaGo evaluates one position at
a time for lower latency (Silver et al. 2016, Methods, "Search algorithm", Expansion).
"""

from functools import cache
from types import FunctionType, ModuleType

import numba
import numpy as np

from azlearn.alphago.apv_mcts import apply_temperature, check_mix, check_temperature
from azlearn.alphago.patterns import GAME
from azlearn.games import Game, State
from azlearn.games.rules_game import RulesGame
from azlearn.games.state_codec import rows_of, state_reader
from azlearn.search import BatchEvaluator, CompiledRollout, Evaluation
from azlearn.search.compiled_uct import compile_rollout
from azlearn.search.evaluators import answers_alike, as_evaluator

AT_ONCE = 256  # rollouts per call


class AlphaGoEvaluator:
    """Returns priors and mixed values: of one position for ``MCTS``, of many for ``BatchedSearch``.

    Only ``seed`` and the position determine a rollout's random numbers, so the evaluation is a
    function of the position. It does not depend on the other positions in the batch, and a player
    finds the same move in one game as in many parallel games. A tree loses nothing by this, because
    it evaluates a node only once. But if two orders of moves lead to the same position, its two
    nodes get the same z; and a player with the same seed repeats its games if its opponent does.

    Args:
        policy: p_σ or p_ρ, which supplies the priors, or a network as in ``MCTS``; None gives all
            legal moves the same prior.
        value: v_θ, or a network as in ``MCTS``; may be None if λ is 1.
        rollout: z, such as ``compiled_patterns(policy)`` or ``uniform_rollout(game.rules)``; may be
            None if λ is 0.
        mixing_lambda: λ, the weight of the **rollout**, in [0, 1]; AlphaGo uses 0.5 (Silver et al.
            2016, Extended Data Table 5).
        temperature: β of the priors, see ``tempered_policy``; AlphaGo uses 0.67 (the same table).
        seed: a generator, or the seed of one.
        game: the game; a network may use other planes of the same game.

    Raises:
        ValueError: λ or β is invalid, a part with a weight above 0 is missing, the rollout is for
            another game, or a network uses a random symmetry (as AlphaGo's did), so that its
            evaluation is not a function of the position.
    """

    def __init__(
        self,
        policy: BatchEvaluator | None,
        value: BatchEvaluator | None,
        rollout: CompiledRollout | None,
        mixing_lambda: float = 0.5,
        temperature: float = 0.67,
        seed: np.random.Generator | int = 0,
        *,
        game: RulesGame = GAME,
    ) -> None:
        check_mix(mixing_lambda, value, rollout)
        check_temperature(temperature)
        if rollout is not None and rollout.rules is not game.rules:
            raise ValueError(f"The rollout is for {rollout.rules.__name__}, not {game.name}.")
        self.policy, self.value = (
            network and as_evaluator(network, game) for network in (policy, value)
        )
        for name, network in (("policy", self.policy), ("value", self.value)):
            if not answers_alike(network):
                raise ValueError(
                    f"The {name} network must always give a position the same evaluation: use the"
                    " symmetry 'none' or 'mean', not 'random'."
                )
        self.game, self.rollout = game, rollout
        self.mixing_lambda, self.temperature = mixing_lambda, temperature
        self.name = f"{1 - mixing_lambda:.3g} value + {mixing_lambda:.3g} rollout"
        self._key = np.random.default_rng(seed).integers(2**64, dtype=np.uint64)

    def __call__(self, game: Game, state: State, rng: np.random.Generator) -> Evaluation:
        """Evaluates one position, as ``MCTS`` needs it. ``rng`` is not used."""
        if getattr(game, "rules", None) is not self.game.rules:
            raise ValueError(f"This evaluator is for {self.game.name}, not {game.name}.")
        prior, value = self.batch(self.game.stack([state]))
        return Evaluation(prior[0].tolist(), float(value[0]))

    def batch(self, states: State) -> tuple[np.ndarray, np.ndarray]:
        """Evaluates many positions.

        Args:
            states: int64 arrays [B], positions in which the game is not over.

        Returns:
            ``(prior, value)``: float64 [B, num_actions], 0 on illegal moves, sum 1; float64 [B] in
            [-1, 1], for the player to move.

        Raises:
            ValueError: a game is over, or a network returned an invalid result, such as NaN.
        """
        legal_mask = self.game.batch_legal_mask(states)
        going_on = legal_mask.any(axis=1)
        if not going_on.all():
            raise ValueError(f"The game in row {going_on.argmin()} is over, so it has no prior.")
        return self._prior(states, legal_mask), self._mixed_value(states)

    def _prior(self, states: State, legal_mask: np.ndarray) -> np.ndarray:
        if self.policy is None:
            return legal_mask / legal_mask.sum(axis=1, keepdims=True)
        prior = np.asarray(self.policy.batch(states)[0], np.float64)
        return apply_temperature(prior, legal_mask, self.temperature)

    def _mixed_value(self, states: State) -> np.ndarray:
        """Returns (1 - λ) v + λ z; a part with weight 0 is not evaluated."""
        if self.mixing_lambda == 0:
            return self._network_value(states)
        z = self._rollouts(states)
        if self.mixing_lambda == 1:
            return z
        return self.mixing_lambda * z + (1 - self.mixing_lambda) * self._network_value(states)

    def _network_value(self, states: State) -> np.ndarray:
        value = np.asarray(self.value.batch(states)[1], np.float64)
        if value.shape != states.me.shape or not (np.abs(value) <= 1).all():
            raise ValueError(
                f"The value network must return {len(states.me)} values in [-1, 1], not shape"
                f" {list(value.shape)} with values from {value.min(initial=np.inf)} to"
                f" {value.max(initial=-np.inf)}."
            )
        return value

    def _rollouts(self, states: State) -> np.ndarray:
        play = _compile_rollouts(self.rollout.rules, self.rollout.choose)
        words = rows_of(self.rollout.rules, states)
        parts = range(0, len(words), AT_ONCE)  # Ctrl-C only works between two calls
        parts = [play(words[i : i + AT_ONCE], self._key, self.rollout.parameters) for i in parts]
        return np.concatenate([np.empty(0), *parts])


@numba.njit
def _scrambled(bits):
    """Hashes a uint64 with the step of SplitMix64 (Steele, Lea and Flood 2014)."""
    bits += np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@cache
def _compile_rollouts(rules: ModuleType, choose: FunctionType) -> FunctionType:
    """Compiles a function that plays one rollout from each of many positions."""
    rollout, state_of = compile_rollout(rules, choose), state_reader(rules, numba.njit)

    @numba.njit(nogil=True)
    def rollouts(words, key, parameters):
        generator, z = np.empty(1, np.uint64), np.empty(len(words))
        for i in range(len(words)):
            bits = key
            for word in words[i]:
                bits = _scrambled(bits ^ np.uint64(word))
            generator[0] = bits | np.uint64(1)  # its state must not be 0
            z[i] = rollout(state_of(words[i]), parameters, generator)
        return z

    return rollouts
