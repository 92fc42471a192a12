"""`azlearn gtp`: a player that other Go programs and boards can ask for moves."""

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
    """Play Go by the Go Text Protocol, version 2: commands on standard input, answers on output.

    Args:
        player: a player as in `azlearn match`; a network knows the board that it was trained on.
        game: go7, go9, …; if not given, that of the network, else go9.
        simulations: simulations a move, if the player's word does not say.
        seed: of the player's own draws.
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
