"""Compares two searches of the same position side by side, with shared controls and selection."""

import functools
from typing import Any

import traitlets

from azlearn.search import Recording, Tree
from azlearn.viz import assets, tree_picture
from azlearn.viz.explorer import Explorer, game_name
from azlearn.viz.formatting import counted, num
from azlearn.viz.picture import Picture
from azlearn.viz.replaying import Record, preferred
from azlearn.viz.widget import TreeWidget, not_known, whole_number

Comparable = Explorer | Recording | Tree | dict[str, Any]


class Comparison(TreeWidget):
    """Shows two searches of one position as two explorers that move together.

    A table lists the differences between them.

    Args:
        a: the search on the left: an Explorer, a Recording, a Tree or a record.
        b: the search on the right. If an Explorer searches again, its side is updated.
        labels: names for the two searches; None to name them by their differences.

    The browser shares its attributes.

    Attributes:
        left, right: the records; see ``Recording.to_dict``.
        labels: the two names.
        simulation: the number of simulations shown; a shorter search shows its last one.
        phase: the phase of the last simulation: "select", "expand", "evaluate" or "backup".
        line: the actions that lead from the root to the selected position.
        notice: a message above the trees; "" for none.

    Raises:
        ValueError: the searches are of different games or positions, or there are not two labels.
        TypeError: a or b cannot be compared.
    """

    left = traitlets.Dict().tag(sync=True)
    right = traitlets.Dict().tag(sync=True)
    labels = traitlets.List(traitlets.Unicode()).tag(sync=True)
    simulation = traitlets.Int(0).tag(sync=True)
    line = traitlets.List(traitlets.Int()).tag(sync=True)

    _esm = assets.module(assets.COMPARE)
    _css = assets.styles("explorer.css", "tree.css", "compare.css")
    _watches = _own = ()  # close() needs them even if __init__ fails

    def __init__(
        self, a: Comparable, b: Comparable, labels: tuple[str, str] | None = None, **kwargs
    ) -> None:
        one, two = _explorer(a), _explorer(b)
        left, right = one.record, two.record
        _check_same(left, right)
        names = default_labels(left, right) if labels is None else [str(name) for name in labels]
        if len(names) != 2:
            raise ValueError(f"labels must be two names, not {len(names)}.")
        kwargs.setdefault("simulation", max(_length(left), _length(right)))
        super().__init__(left=left, right=right, labels=names, **kwargs)
        self._named = labels is not None
        self._explorers = {"left": one, "right": two}
        self._own = [shown for shown, given in ((one, a), (two, b)) if shown is not given]
        self._watches = [(x, functools.partial(self._renew, s)) for s, x in self._explorers.items()]
        for explorer, watch in self._watches:
            explorer.observe(watch, "record")

    @traitlets.validate("simulation")
    def _valid_simulation(self, proposal) -> int:
        longest = max(_length(self.left), _length(self.right))
        if not 0 <= proposal["value"] <= longest:
            raise traitlets.TraitError(
                f"simulation must be 0 to {longest}, not {proposal['value']}."
            )
        return proposal["value"]

    SET_BY_PAGE = ("simulation", "phase", "line")
    STILL = "A still picture of the trees. Run the cell to step through both."
    IN_A_FILE = ("left", "right", "labels", "simulation", "phase", "line")

    def _handle_message(self, content: dict[str, Any]) -> None:
        if content.get("do") != "grow" or content.get("side") not in ("left", "right"):
            raise not_known(content)
        self._explorers[content["side"]].grow(whole_number(content, "node"))

    def close(self) -> None:
        """Removes the comparison from the page; explorers passed to it keep working."""
        for explorer, watch in self._watches:
            explorer.unobserve(watch, "record")
        self._watches = ()  # close() is called again when the comparison is garbage-collected
        for explorer in self._own:
            explorer.close()
        super().close()

    def _renew(self, side: str, change: dict[str, Any]) -> None:
        """Updates one side after its explorer has searched again."""
        longest = max(_length(self.left), _length(self.right))
        at_end = self.simulation == longest
        with self.hold_sync():
            setattr(self, side, change["new"])
            now = max(_length(self.left), _length(self.right))
            self.simulation = now if at_end else min(self.simulation, now)
            if not self._named:
                self.labels = default_labels(self.left, self.right)

    def describe(self) -> str:
        """Describes both finished searches in a few sentences, as the alternative text."""
        parts = [f"Two searches of one position of {game_name(self.left)}."]
        for label, record in zip(self.labels, (self.left, self.right), strict=True):
            shares = _shares(record)
            moves = [f"{record['game']['labels'][a]} with {_percent(s)}" for a, s in shares[:3]]
            visited = f"most visited moves {', '.join(moves)}" if moves else "no visits"
            parts.append(f"{label}: {visited}.")
        return " ".join([self.verdict(), *parts])

    def verdict(self) -> str:
        """One sentence on the move that each finished search prefers at the root."""
        first, second = (_shares(record)[:1] for record in (self.left, self.right))
        counts = dict.fromkeys(_visits(record) for record in (self.left, self.right))
        when = f"After {counted('simulation', *counts)}"
        if not first or not second:
            return "A tree without visits prefers no move."
        label = self.left["game"]["labels"]
        (move, share), (other, rest) = first[0], second[0]
        one, two = self.labels
        if move == other:
            shares = f"{_percent(share)} in {one}, {_percent(rest)} in {two}"
            return f"{when}: both prefer {label[move]} ({shares})."
        mine, theirs = f"{label[move]} ({_percent(share)})", f"{label[other]} ({_percent(rest)})"
        return f"{when}: {one} prefers {mine}, {two} prefers {theirs}."

    def to_svg(self, max_nodes: int = 20) -> str:
        """Both finished trees side by side, as SVG text."""
        return tree_picture.pair_to_svg(self._pair(), max_nodes, self.describe())

    def to_picture(self, max_nodes: int = 14) -> Picture:
        """The still picture with its alternative text, to display in a notebook."""
        alt = self.describe()
        svg = tree_picture.pair_to_svg(self._pair(), max_nodes, alt, follow=True)
        return Picture(alt, svg=svg, caption=self.verdict())

    def _pair(self) -> list[tuple[str, Record]]:
        return list(zip(self.labels, (self.left, self.right), strict=True))

    def _title(self) -> str:
        return f"Two searches on {game_name(self.left)}"

    def __repr__(self) -> str:
        return f"Comparison: {self.describe()}"


def compare(
    a: Comparable,
    b: Comparable,
    labels: tuple[str, str] | None = None,
    simulation: int | None = None,
) -> Comparison:
    """Shows two searches of one position side by side, stepped together.

    Args:
        a: the search on the left: an Explorer, a Recording, a Tree or a record.
        b: the search on the right.
        labels: names for the two searches; None to name them by their differences.
        simulation: the simulation to start at: 0 for just the roots; None for the end of the longer
            search.

    Raises:
        ValueError: the searches are of different games or positions, or there are not two labels.
        TypeError: a or b cannot be compared.
        TraitError: neither search has this simulation.
    """
    begin = {} if simulation is None else {"simulation": simulation}
    return Comparison(a, b, labels, **begin)


def default_labels(left: Record, right: Record) -> list[str]:
    """Short names that say how two searches differ, or "left" and "right" if that is impossible."""
    ways = []
    for record in (left, right):
        rule = record["rule"]
        if rule["name"] == "puct":
            rule = {"fpu_reduction": 0, **rule}  # a record omits it if it is 0
        name = {"uct": "UCT", "puct": "PUCT"}.get(rule["name"], rule.get("label", "custom rule"))
        numbers = {k: v for k, v in rule.items() if k not in ("name", "label", "adds")}
        way = {"": name} | {k: f"{k} = {_short(v)}" for k, v in numbers.items()}
        evaluator = (record.get("info") or {}).get("evaluator")
        way |= {"evaluator": evaluator} if evaluator else {}
        way["simulations"] = counted("simulation", _visits(record))
        ways.append(way)
    different = [k for k in ways[0] | ways[1] if ways[0].get(k) != ways[1].get(k)]
    if "" in different:  # the names "UCT" and "PUCT" suffice: parameters differ anyway
        different = [k for k in different if k in ("", "simulations")]
    elif different != ["evaluator"]:
        different = [k for k in different if k != "evaluator"]
    names = [", ".join(way[k] for k in different if k in way) for way in ways]
    return names if all(names) and names[0] != names[1] else ["left", "right"]


def _short(value: Any) -> str:
    return f"{value:g}".replace("-", "−") if isinstance(value, int | float) else str(value)


def _explorer(thing: Comparable) -> Explorer:
    if isinstance(thing, Explorer):
        return thing
    if isinstance(thing, Recording | Tree | dict):
        return Explorer(thing)
    raise TypeError(
        f"compare needs explorers, recordings, trees or records, not {type(thing).__name__}."
    )


def _check_same(left: Record, right: Record) -> None:
    if any(left["game"][k] != right["game"][k] for k in ("name", "rows", "cols", "num_actions")):
        raise ValueError(
            f"The two searches are from different games: {game_name(left)} and {game_name(right)}."
        )
    same = all(left["root"][k] == right["root"][k] for k in ("to_play", "cells"))
    if not same or left["nodes"]["legal"][:1] != right["nodes"]["legal"][:1]:
        raise ValueError(
            "The searches start from different positions. Compare two searches of one position."
        )


def _length(record: Record) -> int:
    """The number of simulations in the record; 0 for a tree that was not recorded."""
    simulation = record["steps"]["simulation"]
    return simulation[-1] if simulation else 0


def _visits(record: Record) -> int:
    """The number of simulations in the record; for an unrecorded tree, the visits of its root."""
    totals = record.get("totals")
    return _length(record) or (totals["visit_counts"][0] if totals else 0)


def _shares(record: Record) -> list[tuple[int, float]]:
    """(action, share of the visits) of the root's visited moves, in the order of preference."""
    moves = preferred(record)
    total = sum(n for _, n, _ in moves)
    return [(record["nodes"]["action"][i], n / total) for i, n, _ in moves]


def _percent(share: float) -> str:
    return f"{num(100 * share, 0)}%"
