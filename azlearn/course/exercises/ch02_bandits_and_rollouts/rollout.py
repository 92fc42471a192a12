"""Random rollouts (2.1). By hand: forced lines, whose result is certain, and the odds of random moves."""

import numpy as np

from azlearn.course.kit import THREE, About, Case, Raised, Rng, attempt, same
from azlearn.course.probe_games import P5, Position, TableGame, chain
from azlearn.search import MCTS, Evaluation, Recorder, uct

FIVE, ALIKE = "five rollouts", "whether equal generators give equal results"
SEVERAL, SHARES = "the results of many rollouts", "how often -1, 0 and +1 come out"


def line(words: str, players: str, value: int, right: int | None = None) -> Case:
    """A game of forced moves: who is to move in each position, and the value in the last."""
    game = chain(words, [*map(int, players)], value)
    return Case(f"the game “{words}”", (game, 1), right)


# Move 0 loses, 2 draws; after 3 the other player has three moves too: to win, to draw, to lose.
ODDS = TableGame("three legal moves of four", 4, (
    Position(0, ((0, 1), (2, 2), (3, 3))), Position(1, value=+1), Position(1, value=0),
    Position(1, ((0, 4), (2, 2), (3, 5))), Position(0, value=-1), Position(0, value=+1),
))  # fmt: skip
NUM_DRAWN = 60
CASES = [
    line("one move, and it wins", "01", -1, +1),
    line("the second player moves, the first must let it win", "101", +1, +1),
    line("the same player moves twice and wins", "001", -1, +1),
    line("three forced moves to a draw", "0101", 0, 0),
    line("it is over, the player to move has lost", "1", -1, -1),
    Case(f"the game “{P5.name}”", (P5, 5), [-1] * 5),
    Case(f"the game “{ODDS.name}”", (ODDS, 2000), {SHARES: About([4 / 9, 4 / 9, 1 / 9], 0.06)}),
    Case("the empty tic-tac-toe board", (THREE, 500), {SHARES: About([0.288, 0.127, 0.585], 0.1)}),
]


def draw(rng):
    players = "".join(map(str, rng.integers(2, size=int(rng.choice([1, 2, 3, 4, 5, 60])))))
    value = int(rng.integers(-1, 2))
    words = f"forced moves by the players {players[:-1]}, {value} for {players[-1]}"
    return line(words, players, value)


def observe(rollout, case):
    game, num = case.arguments

    def series() -> list:
        rng = np.random.default_rng(0)
        return [rollout(game, game.initial_state(), rng) for _ in range(num)]

    if num == 1:
        return {"": series()[0]}
    if game is P5:
        return {FIVE: attempt(series)}
    values, again = attempt(series), attempt(series)
    if isinstance(values, Raised):
        return dict.fromkeys((ALIKE, SEVERAL, SHARES), values)
    shares = [np.mean([same(value, result) for value in values]) for result in (-1, 0, 1)]
    return {
        ALIKE: same(values, again),
        SEVERAL: "always the same" if max(shares) == 1 else "not always the same",
        SHARES: About(shares, within=0.1 if game is THREE else 0.06),
    }


def explore(call, diagnosis):
    """UCT on tic-tac-toe with the reader's rollout as the evaluator."""

    def evaluate(game, state, rng: Rng) -> Evaluation:
        return Evaluation(None, float(call.quietly(game, state, rng)))

    recorder = Recorder()
    threat = THREE.from_moves("152")  # X threatens the top row
    MCTS(THREE, uct(1.0), evaluate, recorder=recorder).run(threat, 200, 0)
    return recorder.recording()


def remark(recording):
    """What the search with a wrong rollout plays, or why it still finds the move."""
    action = recording.tree.best_action()
    if action == 2:
        return (
            "\n\nThe search below, UCT with your rollout, still finds cell 3: after any other move "
            "X completes the top row, and that end is valued by the rules, not by your rollout."
        )
    return (
        f"\n\nIn the search below, UCT with your rollout, the root prefers cell {action + 1}; only "
        "cell 3 stops X's top row."
    )
