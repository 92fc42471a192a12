"""GNU Go as an expert: the games that AlphaGo's pipeline learns from on its own game."""

from functools import cache

import numpy as np

from azlearn.alphago.expert_games import Expert, ExpertSettings, uct_move
from azlearn.arena.gtp_player import GTPPlayer
from azlearn.arena.gtp_program import GTPProgram, ProgramFault
from azlearn.games import Forfeit, State
from azlearn.games.rules_game import RulesGame

# Chinese rules count area; dead stones stay on the board here, so GNU Go has to take them.
COMMAND = "gnugo --mode gtp --chinese-rules --capture-all-dead --never-resign --level {}"
INSTEAD = "GNU Go is not there (apt install gnugo): UCT plays the expert games."


def is_installed() -> bool:
    """Whether GNU Go can be started."""
    try:
        GTPProgram(COMMAND.format(1)).end()
    except ProgramFault:
        return False
    return True


def expert_of(settings: ExpertSettings) -> Expert:
    """The function that plays for the settings' ``experts``."""
    return gnugo_move if settings.experts == "gnugo" else uct_move


def gnugo_move(
    settings: ExpertSettings, game: RulesGame, level: int, state: State, rng: np.random.Generator
) -> int:
    """A move by GNU Go at ``level``, 1 to 10; a program for each level stays alive.

    Its random numbers come from ``rng``, a seed a move.

    Raises:
        ValueError: it cannot be started, ends, or plays an illegal move; one sentence.
    """
    try:
        return _program(game, level).choose(state, rng)
    except Forfeit as fault:
        raise ValueError(f"The expert games stop: {fault}") from fault


@cache
def _program(game: RulesGame, level: int) -> GTPPlayer:
    return GTPPlayer(game, COMMAND.format(level))
