"""A board to play on as one HTML file that contains the rules, the search and the network."""

from pathlib import Path
from typing import Any

from azlearn.games import Game
from azlearn.games.footprints import cell_names
from azlearn.games.notation import labels
from azlearn.search import Node, Recording, Tree, puct, random_rollout, uct
from azlearn.viz import assets
from azlearn.viz.explorer import game_name
from azlearn.viz.live_search import Search
from azlearn.viz.page_search import engine_of, in_page
from azlearn.viz.play_opponent import side, steps


def play_page(
    opponent: Any, path: str | Path | None = None, *, you: str = "first", seed: int = 0
) -> str:
    """Writes a page in which a reader plays against a search.

    Args:
        opponent: a ``UCTPlayer``, ``CompiledUCTPlayer`` or ``PUCTPlayer`` of ``azlearn.arena``. The
            page runs its search, with its number of simulations to start with.
        path: the file to write; None only returns the text.
        you: the reader's side at the start, "first" or "second".
        seed: the seed of the opponent's random numbers.

    Returns:
        The HTML text.

    Raises:
        ValueError: ``you`` is not a side, or a page cannot play this game or run this search; the
            message says why.
        OSError: the file could not be written; an earlier file is kept.
    """
    state, engine = play_state(opponent, you=you, seed=seed)
    title = f"Play {game_name({'game': state['about']})} against {state['opponent']}"
    css = assets.styles("explorer.css", "tree.css", "play.css")
    text = assets.page(title, assets.module(assets.TABLE), css, state, engine)
    if path is not None:
        assets.write_page(path, text)
    return text


def play_state(
    opponent: Any, *, you: str = "first", seed: int = 0
) -> tuple[dict[str, Any], assets.Engine]:
    """Returns the state of the table in a page, and its search engine; see ``play_page``.

    Raises:
        ValueError: as in ``play_page``.
    """
    search = _search_of(opponent)
    about = _about(search.game)
    state = {
        "about": about, "labels": labels(search.game), "names": cell_names(search.game),
        "opponent": "UCT" if search.select.name == "uct" else opponent.label,
        "you": side(you),
        "seed": seed, "level": search.num_simulations, "levels": steps(search.num_simulations),
        "search": in_page(search),
    }  # fmt: skip
    return state, engine_of(search)


def _search_of(opponent: Any) -> Search:
    """Returns the search with which a player chooses its moves."""
    game, simulations = opponent.game, getattr(opponent, "num_simulations", None)
    if simulations is None or not hasattr(opponent, "c"):
        raise ValueError(f"A page cannot play as {opponent.name}: it needs a search to run.")
    evaluate = getattr(opponent, "evaluator", "rollout")
    if evaluate == "rollout":
        policy, evaluate = uct(opponent.c), random_rollout()
    else:
        fpu = getattr(opponent, "fpu", 0.0)
        policy = getattr(opponent, "tree_policy", None) or puct(opponent.c, fpu)
    return Search(game, game.initial_state(), policy, evaluate, simulations)


def _about(game: Game) -> dict[str, Any]:
    """Returns the part of a record that describes the game."""
    tree = Tree(game, Node(game, game.initial_state()))
    return Recording.of_tree(tree).to_dict()["game"]
