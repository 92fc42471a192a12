"""Networks in all the forms in which they are at hand, as evaluators."""

from pathlib import Path

from azlearn.games import Game
from azlearn.games.game import told_apart
from azlearn.learning.evaluator import NetworkEvaluator
from azlearn.learning.files import LoadedNetwork, load_network
from azlearn.learning.network import ResNet
from azlearn.search import Evaluator


def evaluator_of(given, game: Game) -> Evaluator:
    """The evaluator that is meant. Whatever takes an evaluator takes these, through it.

    Args:
        given: an evaluator as it is; a network; a loaded network; what ``load_network`` takes: the
            name of a shipped network, a run's folder, one of its earlier networks, a file; or a
            player that has an evaluator.

    Raises:
        ValueError: none of these, or a network for another game.
        FileNotFoundError, DamagedFile: as ``load_network``.
    """
    found = load_network(given) if isinstance(given, (str, Path)) else given
    if isinstance(found, LoadedNetwork):
        found = NetworkEvaluator(found.game, found.network)
    elif isinstance(found, ResNet):
        found = NetworkEvaluator(_fitting(game, found), found)
    if not callable(found):
        found = getattr(found, "evaluator", found)
    if not (callable(found) or hasattr(found, "batch")):
        raise ValueError(
            "An evaluator is wanted: a function (game, state, rng) -> (prior, value), a network, a"
            f" loaded network, a run's folder, or a player with one; not {given!r:.80}."
        )
    its = getattr(found, "game", game)
    # The rules count: the networks of AlphaGo's stages see other planes of the same game.
    if its != game and getattr(its, "rules", its) is not getattr(game, "rules", game):
        own, asked = told_apart(its, game)
        raise ValueError(f"This network plays {own}, not {asked}.")
    return found


def _fitting(game: Game, network: ResNet) -> Game:
    shapes = [game.num_planes, game.rows, game.cols], game.num_actions
    own = [*network.planes_shape], network.policy.out_features
    if shapes != own:
        raise ValueError(
            f"This network does not play {game.name}: it takes planes {own[0]} and gives"
            f" {own[1]} logits, not {shapes[0]} and {shapes[1]}."
        )
    return game
