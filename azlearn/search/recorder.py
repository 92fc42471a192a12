"""A recorder watches a search and writes down as little as lets a viewer replay all of it."""

from collections.abc import Sequence

import numpy as np

from azlearn.games import Game, State
from azlearn.search.evaluators import Evaluation, Evaluator
from azlearn.search.mcts import MCTS, Path
from azlearn.search.plans import SelectionRule
from azlearn.search.recording import Recording, RecordRow, is_known
from azlearn.search.tree import Node, Tree


class Recorder:
    """Pass one to ``MCTS(…, recorder=recorder)``, run, and ask for its ``recording()``."""

    def __init__(self) -> None:
        self._mcts: MCTS | None = None
        self._nodes: list[Node] = []

    def start(self, mcts: MCTS, tree: Tree, num_simulations: int) -> None:
        """The search begins; a tree kept from before is taken in as it stands."""
        self._mcts, self._tree, self._num_simulations = mcts, tree, num_simulations
        self._nodes, self._parents, self._index = [], [], {}
        self._rows: list[RecordRow] = []
        self._proven: dict[int, int] = {}
        self._simulation = 1
        self._add(tree.root, -1, -1)
        for index in _growing(self._nodes):
            node = self._nodes[index]
            for action, child in enumerate(node.children):
                if child is not None:
                    self._add(child, index, action)
        self._note_proofs(self._nodes, -1)
        self._base = [list(column) for column in _edge_statistics(self._nodes, self._parents)]

    def evaluated(self, path: Path, leaf: Node, evaluation: Evaluation) -> None:
        """A leaf has its value; nothing has been backed up yet."""
        for node, action in path:
            child = node.children[action]
            if child is not None and id(child) not in self._index:
                self._add(child, self._index[id(node)], action)
                # An edge may hold visits before its node joins, if a search kept them from another.
                self._base[0].append(node.visit_counts[action])
                self._base[1].append(node.value_sum[action])
        select = self._mcts.select
        plan, root = self._mcts.plan, self._tree.root
        scores = [
            _scores(node, plan.at_root(node, self._mcts.num_left) if node is root else plan(node))
            for node, _ in (() if is_known(select) else path)
        ]
        row = RecordRow(
            self._simulation,
            self._index[id(leaf)],
            evaluation.value,
            list(evaluation.moves),
            scores,
        )
        self._before = [(node.visit_counts[a], node.value_sum[a]) for node, a in path]
        self._rows.append(row)

    def backed_up(self, path: Path) -> None:
        """The leaf's value has gone up the path."""
        row = self._rows[-1]
        row.is_backed_up = True
        for (node, action), (visits, value_sum) in zip(path, self._before, strict=True):
            row.visits.append(node.visit_counts[action] - visits)
            row.change.append(node.value_sum[action] - value_sum)
        self._note_proofs([node for node, _ in path], len(self._rows) - 1)

    def simulated(self) -> None:
        """A simulation is complete."""
        self._simulation += 1

    def recording(self) -> Recording:
        """What has been seen so far; an evaluation that was never backed up is left out.

        Raises:
            ValueError: no search has run with this recorder.
        """
        if self._mcts is None:
            raise ValueError("Nothing is recorded yet: pass the recorder to MCTS and run a search.")
        return Recording(
            tree=self._tree,
            select=self._mcts.select,
            expand=self._mcts.expand,
            nodes=self._nodes,
            parents=self._parents,
            rows=[row for row in self._rows if row.is_backed_up],
            base=self._base,
            proven=self._proven,
            info={
                "num_simulations": self._num_simulations,
                "evaluator": getattr(self._mcts.evaluate, "name", None),
                "stopped": self._simulation <= self._num_simulations,
            },
        )

    def _note_proofs(self, nodes: list[Node], row: int) -> None:
        """Which of these nodes are proven now, and were not before."""
        for node in nodes:
            if node.proven is not None and node.outcome is None:
                self._proven.setdefault(self._index[id(node)], row)

    def _add(self, node: Node, parent: int, action: int) -> None:
        self._index[id(node)] = len(self._nodes)
        self._nodes.append(node)
        self._parents.append((parent, action))


def record_search(
    game: Game,
    state: State,
    select: SelectionRule,
    evaluate: Evaluator,
    num_simulations: int,
    rng: np.random.Generator | int = 0,
    **options,
) -> Recording:
    """Runs ``MCTS(game, select, evaluate, **options)`` with a recorder attached."""
    recorder = Recorder()
    MCTS(game, select, evaluate, recorder=recorder, **options).run(state, num_simulations, rng)
    return recorder.recording()


def _scores(node: Node, given: Sequence[float]) -> list[float]:
    scores = [float(score) for score in given]
    if any(np.isnan(scores[action]) for action in node.legal_actions):
        raise ValueError("The selection rule gives a legal move the score NaN.")
    return scores


def _growing(items: list):
    """The indices of a list that grows while it is walked."""
    index = 0
    while index < len(items):
        yield index
        index += 1


def _edge_statistics(nodes: list[Node], parents: list[tuple[int, int]]):
    edges = [(nodes[parent], action) for parent, action in parents[1:]]
    visits = [node.num_visits for node in nodes[:1]] + [n.visit_counts[a] for n, a in edges]
    return visits, [0.0] + [n.value_sum[a] for n, a in edges]
