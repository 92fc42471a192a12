"""What a page needs to run a search by itself: the game in JavaScript, the search in numbers."""

from typing import TYPE_CHECKING, Any

from azlearn.games import Game
from azlearn.games.javascript import to_javascript
from azlearn.games.named import word_of
from azlearn.search import GumbelNoise

if TYPE_CHECKING:
    from azlearn.viz.explorer import Search

OWN = "own"  # what a page calls a game that is not one of the package
POLICIES = ("uct", "puct", "gumbel")


def name_in_page(game: Game) -> str:
    """What a page calls a game."""
    return word_of(game) or OWN


def in_page(search: "Search") -> dict[str, Any]:
    """A search as ``page_worker.js`` reads it; what the knobs can change is not in it.

    Raises:
        ValueError: a page cannot run this search; the sentence says why.
    """
    policy, evaluate, noise = search.select, search.evaluate, search.root_noise
    if getattr(policy, "name", None) not in POLICIES:
        raise ValueError("The selection rule is Python code, which a page cannot run.")
    if getattr(evaluate, "in_page", None) is None:
        raise ValueError("The evaluator is Python code, which a page cannot run.")
    if search.use_solver:
        raise ValueError("A page does not search with a solver.")
    name = getattr(evaluate, "name", None)
    return {
        "game": name_in_page(search.game),
        "select": {"name": policy.name, **policy.parameters},
        "evaluate": {**evaluate.in_page, "name": name},
        "expand": search.expand,
        "noise": _noise(noise),
        "state": [str(word) for word in search.state],
    }


def _noise(noise: Any) -> dict[str, Any] | None:
    if noise is None or isinstance(noise, GumbelNoise):
        return None if noise is None else {}
    return {"alpha": noise.alpha, "fraction": noise.fraction}


def games_in_page(search: "Search") -> dict[str, str]:
    """The game of a search in JavaScript, by its name in the page.

    Raises:
        ValueError: it has no form in JavaScript; the sentence says where.
    """
    return {name_in_page(search.game): to_javascript(search.game)}
