"""`azlearn explore`: a search as a page to step through, for who has no notebook at hand."""

import webbrowser
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from azlearn.cli.output import Count, Flag, Game, announce, check_is_new, command_errors

_USUAL = 200  # simulations


def explore(
    player: Annotated[Positional[str], arg(metavar="PLAYER")] = "uct",
    game: Game = None,
    moves: Annotated[str | None, arg(metavar="MOVES")] = None,
    simulations: Count = None,
    seed: int = 0,
    out: Annotated[Path, arg(metavar="FILE.html")] = Path("search.html"),
    open: Flag = False,
) -> int:
    """Search from a position, and write the explorer as a file that needs no internet, no notebook.

    Args:
        player: who searches: "uct", or a network as in `azlearn evaluate`; "connect4@50": so many
            simulations.
        moves: that lead to the position, as the game writes them: 44443, or "d3 c3"; or an SGF
            record of Go, by its path.
        simulations: of the search; 200 if neither this nor the player's @ says it.
        seed: of the search.
        out: a new file for the page.
        open: open the page in the browser.
    """
    announce(f"{player}: loading …")

    from azlearn import arena, viz
    from azlearn.games.named import make_game
    from azlearn.games.notation import from_file, is_record
    from azlearn.search import puct

    with command_errors():
        check_is_new(out, "--out")
        budget = simulations if simulations is not None or "@" in player else _USUAL
        line, rules = from_file(moves or ""), game and make_game(game)
        if is_record(line) and not rules:
            from azlearn.games.go.records import from_sgf  # sgfmill, which few searches need

            rules, line = from_sgf(line)
        who = arena.make_player(player, rules, budget)
        if not hasattr(who, "last_tree"):
            raise ValueError(f"{player} grows no tree: take uct, or a network with simulations.")
        asks, rule = isinstance(who, arena.PUCTPlayer), None
        if asks:  # by the search of its self-play, as it plays
            rule = who.tree_policy or puct(who.c, who.fpu)
        shown = viz.explore(
            who.game, line or None, select=rule, evaluate=who if asks else None,
            num_simulations=who.num_simulations, seed=seed,
        )  # fmt: skip
        shown.to_html(out)
    print(f"{shown.describe()}\n{out} opens in any browser.")
    if open:
        webbrowser.open(out.resolve().as_uri())
    return 0
