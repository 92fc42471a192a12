"""Players, and how to measure their strength: against exact solutions and against each other."""

from azlearn.arena.gating import GateResult, GateSettings, gate
from azlearn.arena.league import matches_of, play_league
from azlearn.arena.match import Match, PlayedGame, play_match
from azlearn.arena.measuring import (
    accuracy,
    against_uct,
    at_budgets,
    evaluate,
    losing_lines,
    strength_of,
    strength_over_time,
)
from azlearn.arena.network_players import (
    NetworkPlayer,
    PUCTPlayer,
    SampledPolicyPlayer,
)
from azlearn.arena.openings import random_openings
from azlearn.arena.player_specs import find_players, make_player
from azlearn.arena.players import (
    UCT_C,
    CompiledUCTPlayer,
    MinimaxPlayer,
    Player,
    RandomPlayer,
    SolverPlayer,
    TacticalPlayer,
    UCTPlayer,
)
from azlearn.arena.positions import Position, load_positions
from azlearn.arena.proof import find_losing_line
from azlearn.arena.rating import Rating, elo, elo_difference, expected_score
from azlearn.arena.rulers import against_perfect_play, decisive
from azlearn.arena.tournament import Timed, Tournament, equal_time, round_robin, seconds_per_move
from azlearn.intervals import score_interval, wilson_interval
from azlearn.old_names import old_names

__all__ = [
    "UCT_C",
    "CompiledUCTPlayer",
    "GateResult",
    "GateSettings",
    "Match",
    "MinimaxPlayer",
    "NetworkPlayer",
    "PUCTPlayer",
    "PlayedGame",
    "Player",
    "Position",
    "RandomPlayer",
    "Rating",
    "SampledPolicyPlayer",
    "SolverPlayer",
    "TacticalPlayer",
    "Timed",
    "Tournament",
    "UCTPlayer",
    "accuracy",
    "against_perfect_play",
    "against_uct",
    "at_budgets",
    "decisive",
    "elo",
    "elo_difference",
    "equal_time",
    "evaluate",
    "expected_score",
    "find_losing_line",
    "find_players",
    "gate",
    "load_positions",
    "losing_lines",
    "make_player",
    "matches_of",
    "play_league",
    "play_match",
    "random_openings",
    "round_robin",
    "score_interval",
    "seconds_per_move",
    "strength_of",
    "strength_over_time",
    "wilson_interval",
]

__getattr__ = old_names(__name__, find_player="make_player", never_loses="find_losing_line")
