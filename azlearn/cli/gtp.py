"""`azlearn gtp`: lets other Go programs and boards play against an azlearn player."""

import sys
from typing import Annotated

from tyro.conf import Positional, arg

from azlearn.cli.output import Count, command_errors


def gtp(
    player: Annotated[Positional[str], arg(metavar="PLAYER")] = "uct",
    game: Annotated[str | None, arg(metavar="GAME")] = None,
    simulations: Count = None,
    seed: int = 0,
) -> int:
    """Play Go over the Go Text Protocol (GTP), version 2, on standard input and output.

    Args:
        player: a player as in `azlearn match`; a network plays only the board size it was trained
            on.
        game: go7, go9, …. If not given: the network's game; without a network, go9.
        simulations: simulations per move, for players named without @N.
        seed: seed of the player's random choices.
    """
    from azlearn.arena.gtp_engine import GTPEngine
    from azlearn.arena.player_specs import is_network, make_player
    from azlearn.games.named import make_game

    with command_errors():
        word = game or (None if is_network(player) else "go9")
        engine = GTPEngine(make_player(player, word and make_game(word), simulations), seed)
    sys.stdin.reconfigure(errors="replace")
    engine.serve(sys.stdin, sys.stdout)
    return 0
