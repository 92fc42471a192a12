"""`azlearn explore`: a search as a page to step through, without a notebook."""

import webbrowser
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from azlearn.cli.output import Count, Flag, Game, announce, check_is_new, command_errors

_DEFAULT_SIMULATIONS = 200


def explore(
    player: Annotated[Positional[str], arg(metavar="PLAYER")] = "uct",
    game: Game = None,
    moves: Annotated[str | None, arg(metavar="MOVES")] = None,
    simulations: Count = None,
    seed: int = 0,
    out: Annotated[Path, arg(metavar="FILE.html")] = Path("search.html"),
    open: Flag = False,
) -> int:
    """Search a position and save the explorer as a page that needs no internet and no notebook.

    Args:
        player: the player that searches: "uct", or a network as in `azlearn evaluate`. Add @N for
            N simulations, as in "connect4@50".
        moves: the moves that lead to the position, in the game's notation, such as 44443 or
            "d3 c3"; or the path of a Go game in SGF.
        simulations: number of simulations, for a player named without @N; 200 if not given.
        seed: seed of the search.
        out: file to save the page in; it must not exist yet.
        open: open the page in the browser.
    """
    announce(f"{player}: loading …")

    from azlearn import arena, viz
    from azlearn.games.named import make_game
    from azlearn.games.notation import from_file, is_record
    from azlearn.search import puct

    with command_errors():
        check_is_new(out, "--out")
        budget = simulations if simulations is not None or "@" in player else _DEFAULT_SIMULATIONS
        line, rules = from_file(moves or ""), game and make_game(game)
        if is_record(line) and not rules:
            from azlearn.games.go.records import from_sgf  # imports sgfmill, which is rarely needed

            rules, line = from_sgf(line)
        who = arena.make_player(player, rules, budget)
        if not hasattr(who, "last_tree"):
            raise ValueError(f"{player} does not search. Use uct, or a network with simulations.")
        has_network, rule = isinstance(who, arena.PUCTPlayer), None
        if has_network:  # search with the tree policy that the player uses
            rule = who.tree_policy or puct(who.c, who.fpu)
        shown = viz.explore(
            who.game, line or None, select=rule, evaluate=who if has_network else None,
            num_simulations=who.num_simulations, seed=seed,
        )  # fmt: skip
        shown.to_html(out)
    print(f"{shown.describe()}\nOpen {out} in any browser.")
    if open:
        webbrowser.open(out.resolve().as_uri())
    return 0
