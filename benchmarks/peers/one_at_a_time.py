"""PUCT as it is often written in notebooks: dicts keyed by text, one position per network call."""

import numpy as np
import torch

ROWS, COLS = 6, 7
C = 1.25


class OneAtATime:
    """Self-play in one game of Connect Four; each call makes a few moves.

    A board is int8 [6, 7]: 1 for the mover's stones, -1 for the opponent's. The statistics of an
    edge are looked up by (board as text, action), every move copies the board, and a simulation
    calls itself recursively for the next position.

    Args:
        network: maps float planes [1, 2, 6, 7] to (logits [1, 7], value [1]); in inference form.
        num_simulations: simulations per move.
        num_moves: number of moves per call.
    """

    def __init__(self, network, num_simulations: int, num_moves: int, seed: int = 0) -> None:
        self.network, self.num_simulations, self.num_moves = network, num_simulations, num_moves
        self.rng, self.board = np.random.default_rng(seed), np.zeros((ROWS, COLS), np.int8)
        self.num_evaluations = 0

    def __call__(self) -> tuple[int, int]:
        """(moves made, positions evaluated)."""
        before = self.num_evaluations
        for _ in range(self.num_moves):
            visits = self.search(self.board)
            action = self.rng.choice(COLS, p=visits / visits.sum())
            self.board = play(self.board, action)
            if result(self.board) is not None:
                self.board = np.zeros((ROWS, COLS), np.int8)
        return self.num_moves, self.num_evaluations - before

    def search(self, board: np.ndarray) -> np.ndarray:
        """The visit counts of the root's moves, int64 [7]."""
        self.prior, self.total, self.visits, self.q, self.results = {}, {}, {}, {}, {}
        for _ in range(self.num_simulations + 1):  # the first one evaluates the root
            self.simulate(board)
        return np.array([self.visits.get((text(board), a), 0) for a in range(COLS)])

    def simulate(self, board: np.ndarray) -> float:
        """Runs one simulation from ``board``; returns the value for the player who just moved."""
        key = text(board)
        if key not in self.results:
            self.results[key] = result(board)
        if self.results[key] is not None:
            return -self.results[key]
        if key not in self.prior:
            self.prior[key], value = self.evaluate(board)
            self.total[key] = 0
            return -value
        best, action = -np.inf, -1
        for a in range(COLS):
            if board[0, a] == 0:
                score = self.q.get((key, a), 0.0) + C * self.prior[key][a] * np.sqrt(
                    max(self.total[key], 1)
                ) / (1 + self.visits.get((key, a), 0))
                if score > best:
                    best, action = score, a
        value = self.simulate(play(board, action))
        n, q = self.visits.get((key, action), 0), self.q.get((key, action), 0.0)
        self.q[key, action], self.visits[key, action] = (n * q + value) / (n + 1), n + 1
        self.total[key] += 1
        return -value

    @torch.inference_mode()
    def evaluate(self, board: np.ndarray) -> tuple[np.ndarray, float]:
        """The network's (prior [7], value for the mover) for this one board."""
        self.num_evaluations += 1
        planes = torch.from_numpy(np.stack([board == 1, board == -1]).astype(np.float32))
        logits, value = self.network(planes[None])
        weights = np.exp(logits[0].numpy()) * (board[0] == 0)
        return weights / weights.sum(), float(value[0])


def text(board: np.ndarray) -> str:
    return board.tobytes().hex()


def play(board: np.ndarray, action: int) -> np.ndarray:
    """A new board, from the opponent's point of view."""
    board = board.copy()
    board[np.flatnonzero(board[:, action] == 0)[-1], action] = 1
    return -board


def result(board: np.ndarray) -> float | None:
    """-1 if the player who has just moved has four in a row, 0 on a full board, otherwise None."""
    theirs = board == -1
    lines = [
        theirs[:, :-3] & theirs[:, 1:-2] & theirs[:, 2:-1] & theirs[:, 3:],
        theirs[:-3] & theirs[1:-2] & theirs[2:-1] & theirs[3:],
        theirs[:-3, :-3] & theirs[1:-2, 1:-2] & theirs[2:-1, 2:-1] & theirs[3:, 3:],
        theirs[3:, :-3] & theirs[2:-1, 1:-2] & theirs[1:-2, 2:-1] & theirs[:-3, 3:],
    ]
    if any(line.any() for line in lines):
        return -1.0
    return None if (board[0] == 0).any() else 0.0
