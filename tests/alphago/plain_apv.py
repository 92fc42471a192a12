"""AlphaGo's search, written independently from the paper's formulas, with dicts and fractions.

It shares no code with the package's search. Every number is exact: Q is a fraction, and becomes a
float only when the score is computed.
"""

from collections import defaultdict
from fractions import Fraction
from math import sqrt


class PlainAPV:
    """Edges are (moves played, action); the two sums are stored separately, as in the paper.

    Args:
        v, z, p: functions of a state: the network's value, a rollout's result, a list of priors.
            Values are for the player to move.
        mix: λ as a Fraction, the weight of z.
    """

    def __init__(self, game, v, z, p, *, c, mix, n_thr, n_vl=0, threads=1):
        self.game, self.v, self.z, self.p = game, v, z, p
        self.c, self.mix, self.n_thr, self.n_vl, self.threads = c, mix, n_thr, n_vl, threads
        self.n_r, self.w_v, self.w_r = (defaultdict(kind) for kind in (int, Fraction, Fraction))
        self.prior = {}  # priors of expanded positions, by the moves that lead there

    def run(self, state, simulations):
        self.prior[()] = self.p(state)
        left = simulations
        while left:
            lines = []
            while len(lines) < min(self.threads, left):
                line = self.descend(state)
                if line in lines and self.n_r[edge(line)] == self.n_vl * lines.count(line):
                    break  # a new leaf without its value yet
                lines.append(line)
                self.virtual(line, self.n_vl)
            for line in lines:
                self.virtual(line, -self.n_vl)
            fresh = [line for line in lines if self.n_r[edge(line)] + 1 > self.n_thr]
            values = [self.values(state, line) for line in lines]
            for line in fresh:
                if self.game.outcome(self.at(state, line)) is None:
                    self.prior[line] = self.p(self.at(state, line))
            for line, (v, z) in zip(lines, values, strict=True):
                self.backup(line, v, z)
            left -= len(lines)
        return self

    def at(self, state, line):
        for action in line:
            state = self.game.play(state, action)
        return state

    def descend(self, state):
        line = ()
        while line in self.prior:
            state_here = self.at(state, line)
            total = sum(self.n_r[line, b] for b in range(self.game.num_actions))
            scale = self.c * sqrt(total or 1)
            legal = [a for a in range(self.game.num_actions) if self.game.legal_mask(state_here)[a]]
            scores = {
                a: float(self.q(line, a)) + scale * self.prior[line][a] / (1 + self.n_r[line, a])
                for a in legal
            }
            line += (max(legal, key=lambda a: (scores[a], -a)),)
        return line

    def q(self, line, a):
        n = self.n_r[line, a] or 1
        return (1 - self.mix) * self.w_v[line, a] / n + self.mix * self.w_r[line, a] / n

    def values(self, state, line):
        leaf = self.at(state, line)
        outcome = self.game.outcome(leaf)
        if outcome is not None:
            return Fraction(outcome), Fraction(outcome)
        return Fraction(self.v(leaf)), Fraction(self.z(leaf))

    def virtual(self, line, games):
        """Virtual losses for the player who moves, in both sums."""
        for i in range(len(line)):
            e = edge(line[: i + 1])
            self.n_r[e] += games
            self.w_r[e] -= games
            self.w_v[e] -= games

    def backup(self, line, v, z):
        """v and z are for the player to move at the leaf; here players alternate at every move."""
        for i in range(len(line)):
            sign = -1 if (len(line) - i) % 2 else 1
            e = edge(line[: i + 1])
            self.n_r[e] += 1
            self.w_r[e] += sign * z
            self.w_v[e] += sign * v


def edge(line):
    return line[:-1], line[-1]
