"""A table to play at in one file: rules, search and network inside, no server needed."""

from pathlib import Path
from typing import Any

from azlearn.games import Game
from azlearn.games.footprints import cell_names
from azlearn.games.javascript import to_javascript
from azlearn.games.notation import labels
from azlearn.search import Evaluator, SelectionRule, record_search, uct
from azlearn.search.evaluators import constant
from azlearn.viz import assets
from azlearn.viz.explorer import Search, game_name
from azlearn.viz.page_search import in_page, name_in_page
from azlearn.viz.play_opponent import steps


def table_page(
    game: Game,
    select: SelectionRule,
    evaluate: Evaluator,
    path: str | Path | None = None,
    *,
    opponent: str,
    num_simulations: int,
    you: str = "first",
    seed: int = 0,
) -> str:
    """Writes a page in which a reader plays ``game`` against a search.

    Args:
        select, evaluate: the opponent's, as for ``explore``.
        path: where to write it; None only returns the text.
        opponent: what the page calls it.
        num_simulations: its level at the start; a slider changes it.
        you: the reader's side at the start, "first" or "second".
        seed: of the opponent's random numbers.

    Returns:
        The HTML text.

    Raises:
        ValueError: a page cannot play this game, or cannot run this search; the sentence says why.
        OSError: the file could not be written; one that was there before is kept.
    """
    search = Search(game, game.initial_state(), select, evaluate, num_simulations, seed=seed)
    state = {"about": _about(game), "labels": labels(game), "names": cell_names(game)}
    state |= {
        "opponent": opponent, "you": 0 if you == "first" else 1, "seed": seed,
        "level": num_simulations, "levels": steps(num_simulations), "search": in_page(search),
    }  # fmt: skip
    games = {name_in_page(game): to_javascript(game)}
    title = f"Play {game_name({'game': state['about']})} against {opponent}"
    css = assets.styles("explorer.css", "tree.css", "play.css")
    text = assets.page(title, assets.module(assets.TABLE), css, state, games)
    if path is not None:
        assets.write_page(path, text)
    return text


def _about(game: Game) -> dict[str, Any]:
    """The part of a record that describes the game."""
    recording = record_search(game, game.initial_state(), uct(), constant(), 1)
    return recording.to_dict()["game"]
