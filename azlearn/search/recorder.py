"""A recorder stores a search in as little data as a viewer needs to replay it."""

from dataclasses import replace
from math import inf

import numpy as np

from azlearn.games import Game, State
from azlearn.search.evaluators import Evaluation, Evaluator
from azlearn.search.mcts import MCTS, Path
from azlearn.search.recording import Recording, RecordRow, is_known
from azlearn.search.tree import Node, Tree
from azlearn.search.tree_policy import SelectionRule


class Recorder:
    """Records a search: pass it to ``MCTS(…, recorder=…)``, run, then call ``recording()``."""

    def __init__(self) -> None:
        self._mcts: MCTS | None = None

    def start(self, mcts: MCTS, tree: Tree, num_simulations: int) -> None:
        """Called when a search starts.

        Nodes of a reused tree are recorded with their current statistics.
        """
        self._mcts, self._num_simulations, self._simulation = mcts, num_simulations, 1
        self._kept = Recording.of_tree(tree, max_nodes=inf)
        self._kept.select, self._kept.expand = mcts.select, mcts.expand
        self._index = {id(node): index for index, node in enumerate(self._kept.nodes)}
        self._note_proofs(self._kept.nodes, -1)

    def evaluated(self, path: Path, leaf: Node, evaluation: Evaluation) -> None:
        """Called when a leaf has been evaluated, before the backup."""
        for node, action in path:
            child = node.children[action]
            if child is not None and id(child) not in self._index:
                self._index[id(child)] = len(self._kept.nodes)
                self._kept.add(self._index[id(node)], action)
        scores, search = [], self._mcts
        if not is_known(search.select):
            scores = [[*map(float, search.scores(node))] for node, _ in path]
        moves = list(evaluation.moves)
        self._row = RecordRow(
            self._simulation, self._index[id(leaf)], evaluation.value, moves, scores
        )
        self._before = [(node.visit_counts[a], node.value_sum[a]) for node, a in path]

    def backed_up(self, path: Path) -> None:
        """Called when the leaf's value has been backed up."""
        for (node, action), (visits, value_sum) in zip(path, self._before, strict=True):
            self._row.visits.append(node.visit_counts[action] - visits)
            self._row.change.append(node.value_sum[action] - value_sum)
        self._note_proofs([node for node, _ in path], len(self._kept.rows))
        self._kept.rows.append(self._row)

    def simulated(self) -> None:
        """Called when a simulation is complete."""
        self._simulation += 1

    def recording(self) -> Recording:
        """The recording so far, without any evaluation not yet backed up.

        Raises:
            ValueError: no search has run with this recorder.
        """
        if self._mcts is None:
            raise ValueError("Nothing is recorded yet: pass the recorder to MCTS and run a search.")
        info = {
            "num_simulations": self._num_simulations,
            "evaluator": getattr(self._mcts.evaluate, "name", None),
            "stopped": self._simulation <= self._num_simulations,
        }
        return replace(self._kept, rows=[*self._kept.rows], info=info)

    def _note_proofs(self, nodes: list[Node], row: int) -> None:
        """Records any of these nodes that have become proven."""
        for node in nodes:
            if node.proven is not None and node.outcome is None:
                self._kept.proven.setdefault(self._index[id(node)], row)


def record_search(
    game: Game,
    state: State,
    select: SelectionRule,
    evaluate: Evaluator,
    num_simulations: int,
    rng: np.random.Generator | int = 0,
    **options,
) -> Recording:
    """Runs ``MCTS(game, select, evaluate, **options)`` and returns the recording."""
    recorder = Recorder()
    MCTS(game, select, evaluate, recorder=recorder, **options).run(state, num_simulations, rng)
    return recorder.recording()
