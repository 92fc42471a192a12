"""AlphaZero on tic-tac-toe, small enough to read: the loop of chapter 10, each step a method.

The bug clinic replaces one method at a time. ``azlearn.learning`` holds the loop that is fast, can
be stopped, and runs on any number of processes.
"""

from dataclasses import dataclass, field

import numpy as np
import torch

from azlearn.games import State, TicTacToe
from azlearn.learning import SIZES, ResNet, augment, loss, masked_log_softmax
from azlearn.search import BatchedPUCT

GAME = TicTacToe()
Sample = tuple[State, np.ndarray, float]  # position, π, z for the player to move there


@dataclass
class Played:
    """The games of one stretch of self-play: positions, their N, and where each game ended."""

    states: list[list[State]]
    visits: list[list[np.ndarray]]
    finals: list[State] = field(default_factory=list)


class SmallTraining:
    """A network, its games and its learning.

    Args:
        seed: of the weights and of every random draw.
    """

    num_games = 64  # an iteration, all at once
    simulations = 25  # a move
    noise_total = 10.0  # alpha times legal moves, as in AlphaZero
    temperature_plies = 4  # drawn in proportion to N, then the most visited move
    opening_plies = 4  # at most so many random moves before every second game
    window = 2000  # positions
    num_steps, batch_size = 24, 128  # an iteration: each position is learnt from about six times

    def __init__(self, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.network = ResNet(GAME, **SIZES["tiny"])
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=2e-3)
        self.replay: list[Sample] = []

    # Self-play.

    def evaluate(self, states: State) -> tuple[np.ndarray, np.ndarray]:
        """What the network says of many positions: p [B, 9] and v [B], for the player to move."""
        self.network.eval()
        return self.ask(states)

    @torch.no_grad()
    def ask(self, states: State) -> tuple[np.ndarray, np.ndarray]:
        states = State(*map(torch.as_tensor, states))
        logits, v = self.network(GAME.batch_encode(states))
        p = masked_log_softmax(logits, GAME.batch_legal_mask(states)).exp()
        return p.numpy(), v.numpy()

    def noise(self, states: State) -> np.ndarray:
        """One Dirichlet draw for each position, [B, 9], 0 on illegal moves."""
        drawn = np.zeros((len(states.me), GAME.num_actions))
        for row, legal in zip(drawn, GAME.batch_legal_mask(states), strict=True):
            row[legal] = self.rng.dirichlet([self.noise_total / legal.sum()] * legal.sum())
        return drawn

    def search(self, states: State, num_simulations: int, with_noise: bool) -> np.ndarray:
        """N of the moves of each position, [B, 9]."""
        engine = BatchedPUCT(GAME, len(states.me), num_simulations)
        engine.start(states, num_simulations, self.noise(states) if with_noise else None)
        while len((leaves := engine.select())[0]):
            engine.update(*self.evaluate(leaves))
        return engine.visit_counts[:, 0]

    def move(self, visits: np.ndarray, ply: int) -> int:
        """Drawn by N in the opening, then the most visited."""
        if ply < self.temperature_plies:
            return int(self.rng.choice(GAME.num_actions, p=visits / visits.sum()))
        return int(visits.argmax())

    def opening(self) -> State:
        """Every second game starts after a few random moves, so that odd positions occur too."""
        state = GAME.initial_state()
        for _ in range(self.rng.integers(2) * self.rng.integers(1, self.opening_plies + 1)):
            state = GAME.next_state(state, int(self.rng.choice(GAME.legal_actions(state))))
        return state

    def play(self) -> Played:
        """Games against itself, all in lockstep."""
        current = [self.opening() for _ in range(self.num_games)]
        played = Played([[] for _ in current], [[] for _ in current], current)
        going = list(range(self.num_games))
        while going:
            found = self.search(stacked([current[i] for i in going]), self.simulations, True)
            for i, visits in zip(going, found, strict=True):
                ply = sum(map(bool, GAME.cells(current[i])))
                played.states[i].append(current[i])
                played.visits[i].append(visits)
                current[i] = GAME.next_state(current[i], self.move(visits, ply))
            going = [i for i in going if GAME.outcome(current[i]) is None]
        return played

    # Samples.

    def policy_target(self, visits: np.ndarray) -> np.ndarray:
        """π [9], what the network is to learn from a search."""
        return visits / visits.sum()

    def value_target(self, state: State, final: State) -> float:
        """z: the result of the game for the player to move in ``state``."""
        result = GAME.outcome(final)
        return result if GAME.to_play(state) == GAME.to_play(final) else -result

    def samples(self, played: Played) -> list[Sample]:
        """One for every position that was searched."""
        return [
            (state, self.policy_target(visits), self.value_target(state, final))
            for states, found, final in zip(*vars(played).values(), strict=True)
            for state, visits in zip(states, found, strict=True)
        ]

    # Learning.

    def keep(self, new: list[Sample]) -> None:
        """The newest positions stay."""
        self.replay = (self.replay + new)[-self.window :]

    def draw(self) -> list[Sample]:
        """A batch."""
        return [self.replay[i] for i in self.rng.integers(len(self.replay), size=self.batch_size)]

    def turn(self, planes, policy, legal_mask) -> tuple:
        """Each sample in a random symmetry: the board, π and the legal moves."""
        rows = torch.stack([policy, legal_mask.float()], 1)
        planes, rows = augment(GAME, planes, rows, self.rng)
        return planes, rows[:, 0], rows[:, 1].bool()

    def losses(self, samples: list[Sample], turned: bool = True):
        """(z - v)² and -π · log p, as the network is now."""
        states, policies, z = zip(*samples, strict=True)
        states = State(*map(torch.as_tensor, stacked(states)))
        planes, legal_mask = GAME.batch_encode(states), GAME.batch_legal_mask(states)
        policy = torch.tensor(np.array(policies), dtype=torch.float32)
        if turned:
            planes, policy, legal_mask = self.turn(planes, policy, legal_mask)
        z = torch.tensor(z).float()
        return loss(self.network, planes, legal_mask, policy, z, l2=self.decay())

    def decay(self) -> float:
        """c in c‖θ‖², as in AlphaGo Zero."""
        return 1e-4

    def learn(self) -> list[tuple[float, float]]:
        """Some steps; the value's and the policy's part of each loss."""
        self.network.train()
        parts = []
        for _ in range(self.num_steps):
            found = self.losses(self.draw())
            self.optimizer.zero_grad()
            found.total.backward()
            self.optimizer.step()
            parts.append((found.value.item(), found.policy.item()))
        return parts


def stacked(states) -> State:
    """A list of positions as one ``State`` of int64 arrays [B]."""
    return State(*np.array(states, np.int64).T.copy())
