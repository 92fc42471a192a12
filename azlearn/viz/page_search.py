"""Exports a search to a page without Python: the game as JavaScript, the search as JSON."""

import sys
from typing import Any

from azlearn.games.javascript import rules_of, to_javascript
from azlearn.games.named import word_of
from azlearn.search import GumbelNoise
from azlearn.viz.assets import Engine
from azlearn.viz.live_search import Search

OWN = "own"  # a page's name for a game or network from outside the package
POLICIES = ("uct", "puct", "gumbel")


def told(search: Search) -> dict[str, Any]:
    """Returns ``in_page(search)``, or an empty dict if a page cannot run this search."""
    try:
        return in_page(search)
    except ValueError:
        return {}


def in_page(search: Search) -> dict[str, Any]:
    """Describes a search for ``page_worker.js``, without the settings that sliders can change.

    Raises:
        ValueError: a page cannot run this search; the message says why.
    """
    rules_of(search.game)  # otherwise a position need not be a sequence of words
    policy, noise = search.select, search.root_noise
    if getattr(policy, "name", None) not in POLICIES:
        raise ValueError("The selection rule is Python code, which a page cannot run.")
    if search.use_solver:
        raise ValueError("A page cannot run a search that proves positions.")
    if isinstance(noise, GumbelNoise):
        parameters = {}
    else:
        parameters = noise and {"alpha": noise.alpha, "fraction": noise.fraction}
    return {
        "game": word_of(search.game) or OWN,
        "select": {"name": policy.name, **policy.parameters},
        "evaluate": _evaluator(search.evaluate),
        "expand": search.expand,
        "noise": parameters,
        "state": [str(word) for word in search.state],
    }


def engine_of(search: Search) -> Engine:
    """Returns the engine that a page searches with: the game, and the network if there is one.

    Raises:
        ValueError: as in ``in_page``, or the game cannot be translated (names the file and line).
    """
    described = in_page(search)
    games = {described["game"]: to_javascript(search.game)}
    if (name := described["evaluate"].get("network")) is None:
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
    """Whether a network evaluates. If torch is not loaded, there is no network."""
    learning = sys.modules.get("azlearn.learning.evaluator")
    return learning is not None and isinstance(evaluate, learning.NetworkEvaluator)
