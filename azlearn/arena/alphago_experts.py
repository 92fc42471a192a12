"""GNU Go as the expert whose games AlphaGo's pipeline learns from in Go."""

from functools import cache

import numpy as np

from azlearn.alphago.expert_games import Expert, ExpertSettings, uct_move
from azlearn.arena.gtp_player import GTPPlayer
from azlearn.arena.gtp_program import GTPProgram, ProgramFault
from azlearn.games import Forfeit, State
from azlearn.games.rules_game import RulesGame

# Chinese rules count area. Nobody removes dead stones here, so GNU Go has to capture them.
COMMAND = "gnugo --mode gtp --chinese-rules --capture-all-dead --never-resign --level {}"
INSTEAD = "GNU Go is not installed (apt install gnugo), so UCT plays the expert games."


def is_installed() -> bool:
    """Returns whether GNU Go can be started."""
    try:
        GTPProgram(COMMAND.format(1)).end()
    except ProgramFault:
        return False
    return True


def expert_of(settings: ExpertSettings) -> Expert:
    """Returns the function that chooses the moves of the settings' ``experts``."""
    return gnugo_move if settings.experts == "gnugo" else uct_move


def gnugo_move(
    settings: ExpertSettings, game: RulesGame, level: int, state: State, rng: np.random.Generator
) -> int:
    """Returns a move by GNU Go at ``level``, 1 to 10; one program per game and level keeps running.

    Its random numbers come from ``rng``, with one seed per move.

    Raises:
        ValueError: GNU Go cannot be started, exits, or plays an illegal move.
    """
    try:
        return _program(game, level).choose(state, rng)
    except Forfeit as fault:
        raise ValueError(f"The expert games stopped: {fault}") from fault


@cache
def _program(game: RulesGame, level: int) -> GTPPlayer:
    return GTPPlayer(game, COMMAND.format(level))
