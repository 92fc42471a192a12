"""The bug clinic: searches with one planted fault each. Look at the tree, name the fault.

``show()`` shows one case at a time, with the names to choose from. Without buttons: ``case("A")``
shows what there is to see, ``choices()`` the names, and ``diagnose("A", 3)`` says whether the name
is right, and then what the fault is in the code.
"""

from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from azlearn.arena import RandomPlayer, load_positions
from azlearn.course.bug_clinic import Case, Clinic, Evidence, Score, describe_difference
from azlearn.course.cards import (
    CASE,
    NUMBERS,
    OUTCOMES,
    Block,
    fold,
    mark,
    paragraphs,
    side_by_side,
    table,
)
from azlearn.course.clinic_cases import CASES, SYMPTOMS, Turn
from azlearn.course.patches import patched
from azlearn.games import ConnectFour
from azlearn.search import MCTS, Node, Recorder, Recording, Tree, random_rollout
from azlearn.search.selection import UCT
from azlearn.viz import Explorer, show_board
from azlearn.viz.formatting import num
from azlearn.viz.replaying import path_to, replay

GAME = ConnectFour()
NUM_POSITIONS = 60
TURNS_BEFORE = 3  # of the same player, for a fault that remembers
_KEEPS = "How often its move keeps the win or the draw, on positions whose truth is known"


def search(
    case: Case, moves: str, seed: int, *, right: bool = False, record: bool = False
) -> tuple[Tree | Recording, int]:
    """The search of a case after ``moves``, or a right one like it; and the move that it plays.

    A fault that remembers has played its turns before.
    """
    asked, patches = case.evidence, () if right else case.patches
    rule, kind = patched(UCT, *patches)(asked.c), patched(MCTS, *patches)
    if asked.memory and patches:
        kind = type("MCTS", (asked.memory, kind), {})
    # The rule has no name here, so that a viewer shows the scores it gave.
    mcts = kind(GAME, lambda node: rule(node), random_rollout())
    if asked.memory and patches:
        for earlier in range(len(moves) % 2, len(moves), 2)[-TURNS_BEFORE:]:
            mcts.run(GAME.from_moves(moves[:earlier]), asked.num_simulations, seed)
    if record:
        mcts.recorder = Recorder()
    tree = mcts.run(GAME.from_moves(moves), asked.num_simulations, seed)
    found = mcts.recorder.recording() if record else tree
    return found, patched(Node, *patches).best_action(tree.root)


class Played(NamedTuple):
    """A turn, and what was found there."""

    turn: Turn
    action: int
    root: Node

    @property
    def is_right(self) -> bool:
        """Whether the move is one of those which the truth names."""
        return GAME.action_label(self.action) in self.turn.good

    @property
    def said(self) -> str:
        """The move and the truth, in words."""
        after = f'After "{self.turn.moves}"' if self.turn.moves else "On the empty board"
        return f"{after} it plays {GAME.action_label(self.action)}. {self.turn.truth}"


class RootRow(NamedTuple):
    """One move of the root: N, Q and what its score adds to Q; None where there is nothing yet."""

    move: str
    visits: int
    q: float | None
    bonus: float | None


class SearchEvidence(Evidence):
    """A recorded search.

    Attributes:
        recording: of the search.
        action: the move that it plays.
    """

    kind = "search"

    def __init__(self, letter: str, case: Case) -> None:
        super().__init__(letter, case)
        self.asked, self.first = case.evidence, case.evidence.turns[0]
        self.recording, self.action = search(case, self.first.moves, self.first.seed, record=True)

    def explorer(self) -> Explorer:
        """The tree at a telling moment; above it stands the move that is played in the end."""
        asked, record = self.asked, self.recording.to_dict()
        notice = f"When this search is over, it plays {GAME.action_label(self.action)}."
        if asked.phase == "start":
            return Explorer(self.recording, step=0, phase="backup", notice=notice)
        leaves = record["steps"]["leaf"]
        step = next(n for n in range(len(leaves), 0, -1) if self._is_shown(record, leaves[n - 1]))
        numbers = range(len(record["nodes"]["parent"]))
        shown = next(i for i in numbers if moves_to(record, i) == asked.selected)
        shown = leaves[step - 1] if asked.ended else shown
        return Explorer(self.recording, step=step, phase=asked.phase, selected=shown, notice=notice)

    def _is_shown(self, record: dict[str, Any], leaf: int) -> bool:
        if self.asked.ended:
            over = record["nodes"]["outcome"][leaf] is not None
            return over and len(path_to(record, leaf)) > self.asked.ended
        return moves_to(record, leaf).startswith(self.asked.look)

    def healthy(self) -> Recording:
        """A right search of the same position, with the same budget and seed."""
        first = self.first
        return search(self._case, first.moves, first.seed, right=True, record=True)[0]

    @cached_property
    def turns(self) -> list[Played]:
        """What it plays in each of its positions."""
        found = ((turn, search(self._case, turn.moves, turn.seed)) for turn in self.asked.turns)
        return [Played(turn, action, tree.root) for turn, (tree, action) in found]

    @cached_property
    def tables(self) -> dict[int, list[RootRow]]:
        """The root's moves, early and late, by simulation."""
        record = self.recording.to_dict()
        moments = (self.asked.early, self.asked.num_simulations)
        return {simulation: root_table(record, simulation) for simulation in moments}

    @property
    def scores(self) -> tuple[Score, ...]:
        """This search, the right one with the same budget, random moves: takes a few seconds."""
        return scores(self.letter)

    def blocks(self) -> Iterator[Block]:
        """The facts beside the tree."""
        asked, moves, n = self.asked, self.first.moves, self.scores[0].n
        yield paragraphs(
            "Connect Four. It is meant to be UCT: score Q + c · √(ln ΣN / N) with c = "
            f"{asked.c:g}, one random rollout a leaf, {asked.num_simulations} simulations a move, "
            "a new tree for every move, and it is to play the most visited move. A position is "
            f'written as the columns played so far, in order: "{moves}".'
        )
        yield side_by_side(map(_board, self.turns))
        comparison = (
            f"On these {n} positions it differs from a right search by more than chance."
            if describe_difference(*self.scores[:2])
            else f"On these {n} positions it is too close to a right search to tell the two apart: "
            "the score decides nothing here."
        )
        kept = table([*map(_score_row, self.scores)], ("", "kept", "95 % interval", ""))
        summary = "How often its move keeps the win or the draw"
        yield fold(summary, paragraphs(f"{_KEEPS}:"), kept, paragraphs(comparison))
        root = (
            f'The root of the tree below, after "{moves}", as the rule sees it in the select '
            "phase of two simulations; their own visit is not booked yet:"
        )
        tables = [self._table(rows, at) for at, rows in self.tables.items()]
        summary = "N, Q and the bonus of the root's moves, early and late"
        yield fold(summary, paragraphs(root), side_by_side(tables))
        plays = (
            f'After "{moves}", when its {asked.num_simulations} simulations are done, it plays '
            f"{GAME.action_label(self.action)}."
        )
        yield Block(plays, f'<div style="font-size:1.15em"><b>{paragraphs(plays).html}</b></div>')

    def _table(self, rows: list[RootRow], at: int) -> Block:
        cells = []
        for move, visits, q, bonus in rows:
            is_played = move == GAME.action_label(self.action) and at == self.asked.num_simulations
            numbers = "–" if q is None else num(q), "∞" if bonus is None else num(bonus)
            cells.append((move, str(visits), *numbers, "◂ played" if is_played else ""))
        caption = f"simulation {at} of {self.asked.num_simulations}"
        return table(cells, ("move", "N", "Q", "bonus", ""), caption, NUMBERS)


@cache
def scores(letter: str) -> tuple[Score, ...]:
    """The scores of a case's search, of a right one and of random moves, on labelled positions."""
    case = CASES[letter]
    return (
        Score("this search", _held(case)),
        Score("a right search", _held(case, right=True)),
        Score("random moves", _held(None)),
    )


def _held(case: Case | None, right: bool = False) -> tuple[bool, ...]:
    held = []
    for number, position in enumerate(load_positions()[:: 1000 // NUM_POSITIONS][:NUM_POSITIONS]):
        if case is None:
            move = RandomPlayer(GAME).choose(position.state, np.random.default_rng(number))
        else:
            move = search(case, position.moves, number, right=right)[1]
        held.append(position.keeps_value(move))
    return tuple(held)


def _score_row(score: Score) -> tuple[str | Block, ...]:
    low, high = (100 * end for end in score.interval)
    bar = Block("", _bar(100 * score.kept / score.n, low, high))
    return score.who, f"{score.kept} of {score.n}", f"{low:.0f} to {high:.0f} %", bar


def _bar(share: float, low: float, high: float) -> str:
    """A share in per cent, with its interval as a thin line."""
    return (
        '<svg width="204" height="14" viewBox="0 0 204 14" aria-hidden="true" focusable="false">'
        '<rect x="1" y="1" width="202" height="12" rx="2" fill="none" stroke="#8a8a8a"/>'
        f'<rect x="2" y="2" width="{2 * share:.1f}" height="10" fill="{CASE.color}"/>'
        f'<path d="M{2 + 2 * low:.1f} 7H{2 + 2 * high:.1f}" stroke="#d98200" stroke-width="3"/>'
        "</svg>"
    )


def _board(played: Played) -> Block:
    """The board after the move, and what there is to know about it."""
    turn, root = played.turn, played.root
    look = OUTCOMES["right" if played.is_right else "wrong"]
    text = (
        f"{look.symbol} {played.said}\n"
        f"   its root: N = {root.visit_counts}, Q = {[round(q, 2) for q in root.q_values.tolist()]}"
    )
    after = GAME.play(GAME.from_moves(turn.moves), played.action)
    picture = show_board(GAME, after, last=played.action, alt=played.said)
    picture.width = 150
    where = f"after {turn.moves}" if turn.moves else "empty board"
    plays = mark(look, f"plays {GAME.action_label(played.action)}").html
    return Block(
        text,
        f'<div style="width:16.6em">{picture.html()}<div style="line-height:1.35;margin-top:.2em">'
        f'{plays}<small style="white-space:nowrap">{where}</small>'
        f"<br>{turn.truth}</div></div>",
    )


def root_table(record: dict[str, Any], simulation: int) -> list[RootRow]:
    """N, Q and bonus of the root's moves, as the rule saw them when ``simulation`` began."""
    row = record["steps"]["simulation"].index(simulation)
    visits, values = replay(record, row)
    nodes, seen = record["nodes"], record["steps"]["scores"][row][0]
    behind = {nodes["action"][i]: i for i, above in enumerate(nodes["parent"]) if above == 0}
    rows = []
    for action in nodes["legal"][0]:
        node = behind.get(action, 0)
        n = int(visits[node]) if node else 0
        q = float(values[node]) / n if n else None
        bonus = None if q is None or seen[action] is None else seen[action] - q
        rows.append(RootRow(GAME.action_label(action), n, q, bonus))
    return rows


def moves_to(record: dict[str, Any], node: int) -> str:
    """The moves from the root to a node, written from 1."""
    actions = record["nodes"]["action"]
    return "".join(GAME.action_label(actions[i]) for i in path_to(record, node)[1:])


CLINIC = Clinic(CASES, SYMPTOMS, SearchEvidence)
show, cases, choices = CLINIC.show, CLINIC.cases, CLINIC.choices
ward = show  # its name in notebooks of the edition before
case, diagnose = CLINIC.case, CLINIC.diagnose
