"""AlphaZero in one file: rules in, trained network out.

    python -m azlearn.minimal

trains a network for tic-tac-toe in a minute or two. Search, self-play, samples and training are
here; only the rules (``azlearn.games``) and the residual network (``azlearn.learning.network``)
are imported. ``azlearn.learning`` does the same at any size, in many processes or on a GPU. Every
value is in [-1, 1], for the player to move; 0 is a draw.
"""

from typing import NamedTuple

import numpy as np
import torch

from azlearn.games import RulesGame, State, TicTacToe
from azlearn.learning.network import SIZES, ResNet

Sample = tuple[State, np.ndarray, float]  # position, π [num_actions], z for its player to move


class PlayedGame(NamedTuple):
    """A finished game."""

    states: list[State]  # the positions that were searched
    visits: list[np.ndarray]  # N of each position's moves, int [num_actions]
    final: State  # the position in which the game ended


class AlphaZero:
    """Trains a network on the games that it plays against itself.

    Each step is a method that a subclass can override.

    Args:
        game: a game with a rules module, such as the games of ``azlearn.games``.
        seed: the seed of the weights and of every random draw.
    """

    num_games = 64  # per iteration, all played in parallel
    simulations = 25  # per move
    c_puct = 1.25  # the weight of the prior in the search
    noise_total = 10.0  # alpha times the number of legal moves, as in AlphaZero
    noise_fraction = 0.25  # weight of the noise in the root's prior
    temperature_plies = 4  # plies whose moves are sampled by N; later the most visited move
    opening_plies = 4  # half of the games start with 1 to this many random moves
    window = 2000  # the number of positions to learn from
    num_steps, batch_size = 24, 128  # per iteration; trains on each position about eight times
    learning_rate = 2e-3

    def __init__(self, game: RulesGame, seed: int = 0) -> None:
        self.game, self.rng = game, np.random.default_rng(seed)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.network = ResNet(self.game, **SIZES["tiny"])
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=self.learning_rate)
        self.replay: list[Sample] = []

    def train(self, iterations: int) -> ResNet:
        """Runs the whole algorithm: play games, keep their positions, learn, and repeat."""
        for iteration in range(iterations):
            self.keep(self.samples(self.play()))
            value, policy = np.mean(self.learn(), axis=0)
            print(f"iteration {iteration + 1}: value loss {value:.3f}, policy loss {policy:.3f}")
        return self.network.eval()

    # The network.

    def evaluate(self, states: State) -> tuple[np.ndarray, np.ndarray]:
        """Evaluates many positions with the network: p [B, num_actions] and v [B]."""
        self.network.eval()
        tensors = self.game.State(*map(torch.as_tensor, states))
        with torch.no_grad():
            logits, v = self.network(self.game.batch_encode(tensors))
        p = log_softmax(logits, self.game.batch_legal_mask(tensors)).exp()
        return p.numpy(), v.numpy()

    # The search.

    def search(self, states: State, num_simulations: int, with_noise: bool) -> np.ndarray:
        """Searches many positions with PUCT; returns N of their moves, int [B, num_actions].

        The trees are arrays [B, nodes, num_actions]. Node 0 is the root, and simulation ``new``
        adds node ``new`` to each tree, unless it reaches a finished game.
        """
        game, rows = self.game, np.arange(len(states[0]))
        shape = len(rows), num_simulations + 1, game.num_actions
        visits, value_sum, prior = np.zeros(shape, np.int64), np.zeros(shape), np.zeros(shape)
        child, is_legal = np.zeros(shape, np.int64), np.zeros(shape, bool)
        mover = np.zeros(shape[:2], np.int64)
        words = np.zeros((*shape[:2], len(states)), np.int64)

        def add(at, new, states, p):  # rows of games, the node's number, positions, priors
            words[at, new], mover[at, new] = np.stack(states, 1), game.batch_to_play(states)
            is_legal[at, new], prior[at, new] = game.batch_legal_mask(states), p

        p, _ = self.evaluate(states)
        if with_noise:
            p = (1 - self.noise_fraction) * p + self.noise_fraction * self.noise(states)
        add(rows, 0, states, p)
        for new in range(1, num_simulations + 1):
            # Select: walk down every tree until a move has no child.
            path, at, node = [], rows, np.zeros_like(rows)
            last = np.zeros((2, len(rows)), np.int64)
            while len(at):
                n, w = visits[at, node], value_sum[at, node]
                scale = self.c_puct * np.sqrt(np.maximum(n.sum(1, keepdims=True), 1))
                score = w / np.maximum(n, 1) + scale * prior[at, node] / (1 + n)
                action = np.where(is_legal[at, node], score, -np.inf).argmax(1)
                path.append((at, node, action))
                last[:, at] = node, action
                below = child[at, node, action]
                at, node = at[below > 0], below[below > 0]
            leaves = game.batch_play(game.State(*words[rows, last[0]].T), last[1])
            # Evaluate by the rules if the game is over, otherwise by the network. Expand.
            is_over, value = game.batch_outcome(leaves)
            value, going = value.astype(float), rows[~is_over]
            if len(going):
                asked = game.State(*(word[going] for word in leaves))
                p, value[going] = self.evaluate(asked)
                add(going, new, asked, p)
                child[going, last[0, going], last[1, going]] = new
            # Back up: the sign changes if the player to move is different.
            leaf_mover = game.batch_to_play(leaves)
            for at, node, action in path:
                visits[at, node, action] += 1
                same = mover[at, node] == leaf_mover[at]
                value_sum[at, node, action] += np.where(same, value[at], -value[at])
        return visits[:, 0]

    def noise(self, states: State) -> np.ndarray:
        """Dirichlet noise for each position, [B, num_actions], 0 on illegal moves."""
        drawn = np.zeros((len(states[0]), self.game.num_actions))
        for row, legal in zip(drawn, self.game.batch_legal_mask(states), strict=True):
            row[legal] = self.rng.dirichlet([self.noise_total / legal.sum()] * legal.sum())
        return drawn

    # Self-play.

    def move(self, visits: np.ndarray, ply: int) -> int:
        """Samples a move in proportion to N [num_actions]; later, returns the most visited."""
        if ply < self.temperature_plies:
            return int(self.rng.choice(len(visits), p=visits / visits.sum()))
        return int(visits.argmax())

    def opening(self) -> State:
        """The start of a game; half of the games have a few random moves, for unusual positions."""
        state = self.game.initial_state()
        for _ in range(self.rng.integers(2) * self.rng.integers(1, self.opening_plies + 1)):
            action = self.rng.choice(self.game.legal_actions(state))
            moved = self.game.next_state(state, int(action))
            state = moved if self.game.outcome(moved) is None else state
        return state

    def play(self) -> list[PlayedGame]:
        """Plays games of the network against itself, all in lockstep."""
        current = [self.opening() for _ in range(self.num_games)]
        records = [([], []) for _ in current]
        going = list(range(self.num_games))
        while going:
            states = self.game.stack([current[i] for i in going])
            for i, visits in zip(going, self.search(states, self.simulations, True), strict=True):
                records[i][0].append(current[i])
                records[i][1].append(visits)
                action = self.move(visits, self.game.num_plies(current[i]))
                current[i] = self.game.next_state(current[i], action)
            going = [i for i in going if self.game.outcome(current[i]) is None]
        return [PlayedGame(*record, final) for record, final in zip(records, current, strict=True)]

    # Samples.

    def policy_target(self, visits: np.ndarray) -> np.ndarray:
        """π [num_actions], the policy that the network learns from a search."""
        return visits / visits.sum()

    def value_target(self, state: State, final: State) -> float:
        """z: the result of the game for the player to move in ``state``."""
        result = self.game.outcome(final)
        return result if self.game.to_play(state) == self.game.to_play(final) else -result

    def samples(self, games: list[PlayedGame]) -> list[Sample]:
        """One sample with π [num_actions] for each position that was searched."""
        return [
            (state, self.policy_target(visits), self.value_target(state, game.final))
            for game in games
            for state, visits in zip(game.states, game.visits, strict=True)
        ]

    # Learning.

    def keep(self, new: list[Sample]) -> None:
        """Adds samples to the replay buffer [at most ``window``]; the oldest are dropped."""
        self.replay = (self.replay + new)[-self.window :]

    def draw(self) -> list[Sample]:
        """A batch of samples [batch_size], drawn with replacement."""
        return [self.replay[i] for i in self.rng.integers(len(self.replay), size=self.batch_size)]

    def turn(self, planes, policy, legal_mask) -> tuple:
        """Applies a random symmetry to each sample: to its board, π and legal moves."""
        rows = torch.stack([policy, legal_mask.float()], 1)
        images = [torch.stack(x) for x in zip(*self.game.symmetries(planes, rows), strict=True)]
        chosen = self.rng.integers(len(images[0]), size=len(planes)), np.arange(len(planes))
        planes, rows = (image[chosen] for image in images)
        return planes, rows[:, 0], rows[:, 1].bool()

    def losses(self, samples: list[Sample], turned: bool = True) -> tuple:
        """The parts of AlphaGo Zero's loss (Silver et al. 2017, eq. 1), three scalars [].

        They are (z - v)² and -π · log p, averaged over the samples, and c‖θ‖².
        """
        states, policies, z = zip(*samples, strict=True)
        states = self.game.State(*map(torch.as_tensor, self.game.stack(states)))
        planes, legal_mask = self.game.batch_encode(states), self.game.batch_legal_mask(states)
        policy = torch.tensor(np.array(policies), dtype=torch.float32)
        if turned:
            planes, policy, legal_mask = self.turn(planes, policy, legal_mask)
        logits, v = self.network(planes)
        log_p = log_softmax(logits, legal_mask).masked_fill(~legal_mask, 0.0)
        return (
            (torch.tensor(z).float() - v).square().mean(),
            -(policy * log_p).sum(1).mean(),
            self.decay() * sum(x.square().sum() for x in self.network.parameters()),
        )

    def decay(self) -> float:
        """The weight c in c‖θ‖², as in AlphaGo Zero."""
        return 1e-4

    def learn(self) -> list[tuple[float, float]]:
        """Makes ``num_steps`` training steps; returns the value and policy loss of each."""
        self.network.train()
        parts = []
        for _ in range(self.num_steps):
            value, policy, l2 = self.losses(self.draw())
            self.optimizer.zero_grad()
            (value + policy + l2).backward()
            self.optimizer.step()
            parts.append((value.item(), policy.item()))
        return parts


def log_softmax(logits: torch.Tensor, legal_mask: torch.Tensor) -> torch.Tensor:
    """log p [B, num_actions]; illegal moves are masked before the softmax, so that p sums to 1."""
    return logits.masked_fill(~legal_mask, -torch.inf).log_softmax(1)


if __name__ == "__main__":
    AlphaZero(TicTacToe()).train(iterations=40)
