"""Networks in all the forms in which they are at hand, as evaluators."""

from pathlib import Path

from azlearn.games.rules_game import RulesGame
from azlearn.learning.evaluator import NetworkEvaluator
from azlearn.learning.files import LoadedNetwork, load_network
from azlearn.learning.network import ResNet
from azlearn.search import Evaluator


def evaluator_of(given, game: RulesGame) -> Evaluator:
    """The evaluator that is meant.

    Args:
        given: an evaluator as it is; a network; a loaded network; the name of a shipped network, a
            run's folder or a ``.safetensors`` file; or a player that has an evaluator.

    Raises:
        ValueError: none of these, or a network for another game.
        FileNotFoundError, DamagedFile: as ``load_network``.
    """
    if isinstance(given, (str, Path)):
        given = load_network(given)
    if isinstance(given, LoadedNetwork):
        if given.game != game:
            raise ValueError(f"This network plays {given.game.name}, not {game.name}.")
        given = given.network
    if isinstance(given, ResNet):
        return NetworkEvaluator(game, given)
    given = getattr(given, "evaluator", given)
    if not callable(given):
        raise ValueError(
            "An evaluator is wanted: a function (game, state, rng) -> (prior, value), a network, a"
            f" loaded network, a run's folder, or a player with one; not {given!r:.80}."
        )
    return given
