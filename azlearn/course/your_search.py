"""A search in which one phase is the reader's, to look at in the explorer, right or wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from azlearn.games import ConnectFour
from azlearn.search import MCTS, Recorder, Recording, Tree, random_rollout, uct

GAME = ConnectFour()
# The first player holds 1, 2 and 3 of the bottom row: the player to move must take column 4.
START = GAME.from_moves("11223")
ONLY_MOVE = 3
NUM_SIMULATIONS = 200


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
            self.your_backup(path, leaf, value)


def record_with(c: float = 1.0, **phases: Callable[..., Any]) -> Recording | Tree:
    """200 simulations from START, recorded; only the final tree if recording is impossible.

    A recorder cannot follow a child that was never attached to its parent.
    """
    recorder = Recorder()
    try:
        SearchWith(c, recorder=recorder, **phases).run(START, NUM_SIMULATIONS, 0)
        recorder.recording().to_dict()
    except LookupError:
        return SearchWith(c, **phases).run(START, NUM_SIMULATIONS, 0)
    return recorder.recording()


def consequence(found: Recording | Tree) -> str:
    """What the wrong search would play, if that loses at once."""
    root = found.root if isinstance(found, Tree) else found.tree.root
    action = root.best_action()
    if action == ONLY_MOVE:
        return ""
    label = GAME.action_label
    return (
        f"\n\nIn the search below, your root prefers column {label(action)}, which loses at once: "
        f"only column {label(ONLY_MOVE)} stops four on the bottom row."
    )
