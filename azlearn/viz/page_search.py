"""What a page needs to run a search by itself: the game in JavaScript, the search in numbers."""

import sys
from typing import TYPE_CHECKING, Any

from azlearn.games.javascript import to_javascript
from azlearn.games.named import word_of
from azlearn.search import GumbelNoise
from azlearn.viz.assets import Engine

if TYPE_CHECKING:
    from azlearn.viz.explorer import Search

OWN = "own"  # what a page calls a game, or a network, that has no name
POLICIES = ("uct", "puct", "gumbel")


def in_page(search: "Search") -> dict[str, Any]:
    """A search as ``page_worker.js`` reads it; what the knobs can change is not in it.

    Raises:
        ValueError: a page cannot run this search; the sentence says why.
    """
    policy, noise = search.select, search.root_noise
    if getattr(policy, "name", None) not in POLICIES:
        raise ValueError("The selection rule is Python code, which a page cannot run.")
    if search.use_solver:
        raise ValueError("A page does not search with a solver.")
    if isinstance(noise, GumbelNoise):
        told = {}
    else:
        told = noise and {"alpha": noise.alpha, "fraction": noise.fraction}
    return {
        "game": word_of(search.game) or OWN,
        "select": {"name": policy.name, **policy.parameters},
        "evaluate": _evaluator(search.evaluate),
        "expand": search.expand,
        "noise": told,
        "state": [str(word) for word in search.state],
    }


def engine_of(search: "Search") -> Engine:
    """What a page searches with: the game, and the network if there is one.

    Raises:
        ValueError: the game has no form in JavaScript; the sentence says where.
    """
    games = {word_of(search.game) or OWN: to_javascript(search.game)}
    if (name := _evaluator(search.evaluate).get("network")) is None:
        return Engine(games)
    from azlearn.viz.page_network import network_spec  # torch, which few searches need

    return Engine(games, {name: network_spec(search.game, search.evaluate)})


def _evaluator(evaluate: Any) -> dict[str, Any]:
    name = getattr(evaluate, "name", None)
    if (known := getattr(evaluate, "in_page", None)) is not None:
        return {**known, "name": name}
    if _is_network(evaluate):
        from azlearn.viz.page_network import shipped_name

        return {"kind": "network", "network": shipped_name(evaluate) or OWN, "name": name}
    raise ValueError("The evaluator is Python code, which a page cannot run.")


def _is_network(evaluate: Any) -> bool:
    """Without loading torch: where it is not loaded there is no network."""
    learning = sys.modules.get("azlearn.learning.evaluator")
    return learning is not None and isinstance(evaluate, learning.NetworkEvaluator)
