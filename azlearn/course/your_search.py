"""A search in which one phase is the reader's, to look at in the explorer, right or wrong."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from azlearn.course.probe_games import P6, PROBE_BEST_MOVES
from azlearn.games import ConnectFour
from azlearn.games.notation import named
from azlearn.search import MCTS, Evaluation, Node, Recorder, Recording, Tree, random_rollout, uct
from azlearn.search.evaluators import checked

GAME = ConnectFour()
# The first player holds 1, 2 and 3 of the bottom row: the player to move must take column 4.
MOVES = "11223"
START = GAME.from_moves(MOVES)
ONLY_MOVE = 3
NUM_SIMULATIONS = 200
TWICE = "flips although the same player moves again"


class Shown(NamedTuple):
    """A position that a reader's search is shown on; ``says`` tells of a wrong move, {}."""

    game: Any
    good: Sequence[int]
    says: str


SHOWN = {
    START: Shown(
        GAME,
        [ONLY_MOVE],
        "your root prefers column {}, which loses at once: only column "
        f"{GAME.action_label(ONLY_MOVE)} stops four on the bottom row.",
    ),
    P6.initial_state(): Shown(
        P6,
        PROBE_BEST_MOVES[P6],
        f"of {P6.name}, your root prefers move {{}}, which draws; move 1, after which the same "
        "player moves again, wins.",
    ),
}


class SearchWith(MCTS):
    """A search in which some phases are the reader's; each has a name.

    Args:
        c: the exploration constant.
        game, scores, evaluate, options: as in ``MCTS``: UCT with random rollouts in Connect Four.
        select: (node, c) -> action, instead of the highest score.
        expand: (game, node, action) -> child, instead of the package's expansion.
        should_expand: (path, leaf, expand_threshold) -> whether the policy is asked about a leaf.
        prior: (state) -> its prior, taken as it is, also where it does not sum to 1.
        value: (leaf, rng) -> its value; None for the package's evaluation.
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
            raise ValueError(f"select chose {named(self.game, action)}, which is illegal there.")
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
            self.your_backup(list(path), leaf, value)  # a reader's may empty the list


def recorded(search: MCTS, state: Any) -> Recording | Tree:
    """200 simulations of a search, recorded; only the final tree if recording is impossible.

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
    """(game, position): Connect Four, but P6, where a player moves twice, for a fault of that."""
    return (P6, P6.initial_state()) if diagnosis == TWICE else (GAME, START)


def record_with(
    diagnosis: str = "", c: float = 1.0, **phases: Callable[..., Any]
) -> Recording | Tree:
    """The search with the reader's phases, where a fault of that name shows."""
    game, start = where_it_shows(diagnosis)
    return recorded(SearchWith(c, game=game, **phases), start)


def root_of(found: Recording | Tree) -> Node:
    """The root of what ``explore`` found."""
    return found.root if isinstance(found, Tree) else found.tree.root


_PROSE = {"tic_tac_toe": "tic-tac-toe", "connect_four": "Connect Four"}


def in_words(game: Any, moves: str = "") -> str:
    """Connect Four after "4453"; a game without moves by its name alone."""
    name = _PROSE.get(game.name, game.name)
    return f'{name} after "{moves}"' if moves else name


@cache
def right_search(game: Any, start: Any) -> Tree:
    """What the package's own search finds there: c = 1, values in [-1, 1]."""
    return SearchWith(1.0, game=game).run(start, NUM_SIMULATIONS, 0)


def edges_of(node: Node, in_points: bool = False) -> list:
    """(N, W) of every edge of a tree, nested as the tree is; W turned into points if asked for."""
    pairs = [
        (int(n), round(float((w + n) / 2 if in_points else w), 9))
        for n, w in zip(node.visit_counts, node.value_sum, strict=True)
    ]
    return [pairs, [edges_of(child, in_points) if child else None for child in node.children]]


def consequence(
    found: Recording | Tree, in_points: bool = False, right: Node | None = None
) -> str | None:
    """What the wrong search would play, or how else its fault shows; None if it does not.

    Args:
        found: what ``explore`` found.
        in_points: the reader's W are points, from 0 to 1 a visit (exercise 3.6).
        right: the root of a right search; None for that of UCT.
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
                f"\n\nIn the search below, your root still finds the right move, but with "
                f"{name} = {_numbers(mine)} where a right search has {name} = {_numbers(wanted)}."
            )
    return (
        "\n\nIn the search below, your root is that of a right search; what differs lies deeper in "
        "the tree."
    )


def _numbers(values: Sequence[float]) -> str:
    return "[" + ", ".join(f"{value:.4g}" for value in values) + "]"
