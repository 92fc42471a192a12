"""Small hand-made and random games, their positions, and policies without a network."""

import numpy as np

from azlearn.alphago import Positions
from azlearn.alphago.expert_games import GameRecord
from azlearn.games import ConnectFour, State
from azlearn.games.rules_game import RulesGame

GAME = ConnectFour()
FIRST_WINS = GameRecord(0, "1212121", 1, (10, 10), 0)  # four in column 1
SECOND_WINS = GameRecord(1, "12321252", -1, (10, 10), 0)  # four in column 2


def random_records(game: RulesGame, num_games: int, seed: int = 0) -> list[GameRecord]:
    """Games of uniformly random moves."""
    rng, records = np.random.default_rng(seed), []
    for number in range(num_games):
        state, actions = game.initial_state(), []
        while (value := game.outcome(state)) is None:
            action = int(rng.choice(game.legal_actions(state)))
            state, actions = game.next_state(state, action), [*actions, action]
        result = value if len(actions) % 2 == 0 else -value
        records.append(GameRecord(number, game.moves_text(actions), result, (1, 1), 0))
    return records


def played_positions(num_games: int, seed: int) -> tuple[list[State], list[int]]:
    """All unfinished positions of random games, and the column of the last stone (-1: none)."""
    rng, states, last = np.random.default_rng(seed), [], []
    for _ in range(num_games):
        state, column = GAME.initial_state(), -1
        while legal := GAME.legal_actions(state):
            states.append(state)
            last.append(column)
            column = int(rng.choice(legal))
            state = GAME.next_state(state, column)
    return states, last


def arrays(states: list[State], last: list[int]) -> tuple[State, np.ndarray]:
    """States as int64 arrays [B]."""
    return GAME.stack(states), np.array(last, dtype=np.int64)


def moves_at(states: State, last: np.ndarray, action: np.ndarray) -> Positions:
    """One move in every position, without information about their games."""
    return Positions.at(states, action, *[0 * action] * 3, last)


def moves_of(policy, num_games: int, seed: int) -> Positions:
    """In every position of random games, a move sampled from ``policy``."""
    states, last = arrays(*played_positions(num_games, seed))
    p = policy.probabilities(states, last)
    draws = np.random.default_rng(seed + 1).random((len(p), 1))
    action = (p.cumsum(axis=1) < draws).sum(axis=1).clip(max=6)
    return moves_at(states, last, action)


def mirrored(stones: int) -> int:
    """The board with left and right exchanged."""
    return sum((stones >> 7 * col & 127) << 7 * (6 - col) for col in range(7))


def lone_stones(columns, copies: int = 1) -> Positions:
    """The first player's stone in each column; the move is on top of it, z is 1 near the middle.

    With mirroring, columns 4 to 6 follow from columns 0 to 2. Every row is a game of its own.
    """
    column = np.tile(np.array(columns, dtype=np.int64), copies)
    z = np.where(np.abs(column - 3) <= 1, 1, -1).astype(np.float32)
    ones = np.ones_like(column)
    return Positions(0 * ones, ones << 7 * column, column, z, np.arange(len(column)), ones)


def lowest(game: RulesGame):
    """Always the first legal action."""
    rows = np.eye(game.num_actions)
    return lambda states: rows[game.batch_legal_mask(states).argmax(axis=1)]


def highest(game: RulesGame):
    """Always the last legal action."""
    rows = np.eye(game.num_actions)[::-1]
    return lambda states: rows[game.batch_legal_mask(states)[:, ::-1].argmax(axis=1)]


def arbitrary(game: RulesGame, salt: int):
    """A different p for every position, which depends only on the stones."""

    def p(states: State) -> np.ndarray:
        actions = np.arange(game.num_actions)
        bits = (3 * states.me + 7 * states.opp + salt)[:, None] * (2 * actions + 1) % 1009
        shares = np.where(game.batch_legal_mask(states), 1.0 + bits % 10, 0.0)
        return shares / shares.sum(axis=1, keepdims=True)

    return p
