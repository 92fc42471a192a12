"""A search in which one phase is the reader's, to look at in the explorer, right or wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from azlearn.course.probe_games import P6, PROBE_BEST_MOVES
from azlearn.games import ConnectFour
from azlearn.search import MCTS, Node, Recorder, Recording, Tree, random_rollout, uct

GAME = ConnectFour()
# The first player holds 1, 2 and 3 of the bottom row: the player to move must take column 4.
START = GAME.from_moves("11223")
ONLY_MOVE = 3
NUM_SIMULATIONS = 200
TWICE = "flips although the same player moves again"


class SearchWith(MCTS):
    """UCT with random rollouts, one phase of which is replaced.

    Args:
        c: the exploration constant.
        select: (node, c) -> action, instead of the highest UCT score.
        expand: (game, node, action) -> child, instead of the package's expansion.
        backup: (path, leaf, value) -> None, instead of the package's backup.
    """

    def __init__(
        self,
        c: float = 1.0,
        *,
        select: Callable[..., Any] | None = None,
        expand: Callable[..., Any] | None = None,
        backup: Callable[..., Any] | None = None,
        game=GAME,
        evaluate=None,
        recorder: Recorder | None = None,
    ) -> None:
        super().__init__(game, uct(c), evaluate or random_rollout(), recorder=recorder)
        self.c, self.your_select, self.your_expand, self.your_backup = c, select, expand, backup

    def choose(self, node):
        if self.your_select is None:
            return super().choose(node)
        action = int(self.your_select(node, self.c))
        if action not in node.legal_actions:
            raise ValueError(f"select chose the illegal move {action}.")
        return action

    def expand_leaf(self, path, leaf):
        if self.your_expand is None or leaf is not None:
            return super().expand_leaf(path, leaf)
        return [(path, self.your_expand(self.game, *path[-1]))]

    def backup(self, path, leaf, value):
        if self.your_backup is None:
            super().backup(path, leaf, value)
        else:
            self.your_backup(list(path), leaf, value)  # a reader's may empty the list


def where_it_shows(diagnosis: str) -> tuple[Any, Any]:
    """(game, position): Connect Four, but P6 for a fault that needs a player who moves twice."""
    return (P6, P6.initial_state()) if diagnosis == TWICE else (GAME, START)


def record_with(
    diagnosis: str = "", c: float = 1.0, **phases: Callable[..., Any]
) -> Recording | Tree:
    """200 simulations, recorded; only the final tree if recording is impossible.

    A recorder cannot follow a child that was never attached to its parent.
    """
    game, start = where_it_shows(diagnosis)
    recorder = Recorder()
    try:
        SearchWith(c, game=game, recorder=recorder, **phases).run(start, NUM_SIMULATIONS, 0)
        recorder.recording().to_dict()
    except LookupError:
        return SearchWith(c, game=game, **phases).run(start, NUM_SIMULATIONS, 0)
    return recorder.recording()


def root_of(found: Recording | Tree) -> Node:
    """The root of what `explore` found."""
    return found.root if isinstance(found, Tree) else found.tree.root


def consequence(found: Recording | Tree) -> str:
    """What the wrong search would play, if that throws the game away."""
    root = root_of(found)
    action = root.best_action()
    label = GAME.action_label
    if root.state == P6.initial_state():
        if action in PROBE_BEST_MOVES[P6]:
            return ""
        return (
            "\n\nIn the search below, on the probe game P6, your root prefers move "
            f"{label(action)}, which draws; move 1, after which the same player moves again, "
            "wins."
        )
    if action == ONLY_MOVE:
        return ""
    return (
        f"\n\nIn the search below, your root prefers column {label(action)}, which loses at once: "
        f"only column {label(ONLY_MOVE)} stops four on the bottom row."
    )
