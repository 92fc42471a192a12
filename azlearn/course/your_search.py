"""A search that uses the student's function for one phase, to be shown in the explorer."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from azlearn.course.probe_games import P6, PROBE_BEST_MOVES
from azlearn.games import ConnectFour
from azlearn.games.notation import named
from azlearn.search import MCTS, Evaluation, Node, Recorder, Recording, Tree, random_rollout, uct
from azlearn.search.evaluators import checked

GAME = ConnectFour()
# The first player has columns 1, 2 and 3 of the bottom row: the player to move must take column 4.
MOVES = "11223"
START = GAME.from_moves(MOVES)
ONLY_MOVE = 3
NUM_SIMULATIONS = 200
TWICE = "flips although the same player moves again"


class Shown(NamedTuple):
    """A position to search; ``says`` is the text about a wrong move, which replaces its {}."""

    game: Any
    good: Sequence[int]
    says: str


SHOWN = {
    START: Shown(
        GAME,
        [ONLY_MOVE],
        "your root prefers column {}, which loses at once: only column "
        f"{GAME.action_label(ONLY_MOVE)} stops four in a row on the bottom row.",
    ),
    P6.initial_state(): Shown(
        P6,
        PROBE_BEST_MOVES[P6],
        f"of {P6.name}, your root prefers move {{}}, which draws. Move 1 wins, because the same "
        "player moves again after it.",
    ),
}


class SearchWith(MCTS):
    """A search that uses the student's functions for some of its phases.

    Args:
        c: the exploration constant.
        game, scores, evaluate, options: as in ``MCTS``; by default UCT with random rollouts in
            Connect Four.
        select: (node, c) -> action, instead of the action with the highest score.
        expand: (game, node, action) -> child, instead of the package's expansion.
        should_expand: (path, leaf, expand_threshold) -> whether to evaluate a leaf's policy.
        prior: (state) -> its prior, used unchanged, even if it does not sum to 1.
        value: (leaf, rng) -> its value, or None to use the package's evaluation.
        backup: (path, leaf, value) -> None, instead of the package's backup.
    """

    def __init__(
        self,
        c: float = 1.0,
        *,
        game: Any = GAME,
        scores: Callable[[Node], Sequence[float]] | None = None,
        evaluate: Any = None,
        select: Callable[..., Any] | None = None,
        expand: Callable[..., Any] | None = None,
        should_expand: Callable[..., Any] | None = None,
        prior: Callable[..., Any] | None = None,
        value: Callable[..., Any] | None = None,
        backup: Callable[..., Any] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(game, scores or uct(c), evaluate or random_rollout(), **options)
        self.c, self.your_select, self.your_backup = c, select, backup
        self.your_expand, self.your_should_expand = expand, should_expand
        self.your_prior, self.your_value = prior, value

    def choose(self, node):
        if self.your_select is None:
            return super().choose(node)
        action = int(self.your_select(node, self.c))
        if action not in node.legal_actions:
            raise ValueError(f"select chose {named(self.game, action)}, which is illegal here.")
        return action

    def expand_leaf(self, path, leaf):
        if self.your_expand and leaf is None:
            return [(path, self.your_expand(self.game, *path[-1]))]
        if self.your_should_expand is None:
            return super().expand_leaf(path, leaf)
        leaf = leaf or self._add_child(*path[-1])
        if leaf.prior is None and self.your_should_expand(list(path), leaf, self.expand_threshold):
            self.ask_policy(leaf, self.rng)
        return [(path, leaf)]

    def ask_policy(self, node, rng):
        if self.your_prior is None:
            super().ask_policy(node, rng)
        else:
            node.prior = self.your_prior(node.state)

    def evaluate_leaf(self, leaf, rng):
        value = self.your_value and self.your_value(leaf, rng)
        if value is None:
            return super().evaluate_leaf(leaf, rng)
        evaluation = checked(Evaluation(None, value), self.game, leaf.legal_actions or [0])
        if leaf.outcome is None and self.policy is not None:
            self.keep(leaf, evaluation)
        return evaluation

    def backup(self, path, leaf, value):
        if self.your_backup is None:
            super().backup(path, leaf, value)
        else:
            self.your_backup(list(path), leaf, value)  # a copy: this function may empty the list


def recorded(search: MCTS, state: Any) -> Recording | Tree:
    """Records 200 simulations of a search; returns only the final tree if recording fails.

    A recorder cannot follow a child that was never attached to its parent.
    """
    search.recorder = Recorder()
    try:
        search.run(state, NUM_SIMULATIONS, 0)
        search.recorder.recording().to_dict()
    except LookupError:
        search.recorder = None
        return search.run(state, NUM_SIMULATIONS, 0)
    return search.recorder.recording()


def where_it_shows(diagnosis: str) -> tuple[Any, Any]:
    """Returns (game, position): Connect Four, or P6 for the fault that needs two moves in a row."""
    return (P6, P6.initial_state()) if diagnosis == TWICE else (GAME, START)


def record_with(
    diagnosis: str = "", c: float = 1.0, **phases: Callable[..., Any]
) -> Recording | Tree:
    """Records a search with the student's phases, in a position where the fault shows."""
    game, start = where_it_shows(diagnosis)
    return recorded(SearchWith(c, game=game, **phases), start)


def root_of(found: Recording | Tree) -> Node:
    """Returns the root of a result of ``explore``."""
    return found.root if isinstance(found, Tree) else found.tree.root


_PROSE = {"tic_tac_toe": "tic-tac-toe", "connect_four": "Connect Four"}


def in_words(game: Any, moves: str = "") -> str:
    """Describes a position, such as 'Connect Four after "4453"'; without moves, only the game."""
    name = _PROSE.get(game.name, game.name)
    return f'{name} after "{moves}"' if moves else name


@cache
def right_search(game: Any, start: Any) -> Tree:
    """Returns the tree of the package's own search: c = 1, values in [-1, 1]."""
    return SearchWith(1.0, game=game).run(start, NUM_SIMULATIONS, 0)


def edges_of(node: Node, in_points: bool = False) -> list:
    """Returns (N, W) of all edges, nested like the tree; ``in_points`` converts W to points."""
    pairs = [
        (int(n), round(float((w + n) / 2 if in_points else w), 9))
        for n, w in zip(node.visit_counts, node.value_sum, strict=True)
    ]
    return [pairs, [edges_of(child, in_points) if child else None for child in node.children]]


def consequence(
    found: Recording | Tree, in_points: bool = False, right: Node | None = None
) -> str | None:
    """Describes the search's bad move, or else its difference from a correct search, if any.

    Args:
        found: the result of ``explore``.
        in_points: the student's W is in points, from 0 to 1 per visit (exercise 3.6).
        right: the root of a correct search; None for the package's UCT.
    """
    root = root_of(found)
    game, good, says = SHOWN[root.state]
    action = root.best_action()
    if action not in good:
        return f"\n\nIn the search below, {says.format(game.action_label(action))}"
    right = edges_of(right or right_search(game, root.state).root, in_points)
    yours = edges_of(root)
    if yours == right:
        return None
    yours_and_right = zip(zip(*yours[0], strict=True), zip(*right[0], strict=True), strict=True)
    for name, (mine, wanted) in zip("NW", yours_and_right, strict=True):
        if mine != wanted:
            return (
                f"\n\nIn the search below, your root still finds the right move, but with {name} = "
                f"{_numbers(mine)}; a correct search has {name} = {_numbers(wanted)}."
            )
    return (
        "\n\nIn the search below, your root is the same as in a correct search. The differences "
        "are deeper in the tree."
    )


def _numbers(values: Sequence[float]) -> str:
    return "[" + ", ".join(f"{value:.4g}" for value in values) + "]"
