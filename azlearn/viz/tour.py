"""Guided tours of a recorded search: the moments to show, each with a text."""

from collections.abc import Iterable
from numbers import Integral
from typing import Any, NamedTuple

from azlearn.viz.replaying import Record, children, replay

PHASES = ("select", "expand", "evaluate", "backup")
PARTS = (
    "node", "lead", "tree", "table", "board", "formula",
    "phases", "play", "timeline", "settings", "filters", "icicle",
)  # fmt: skip


class Stop(NamedTuple):
    """One moment of a tour.

    Attributes:
        simulation: from 0 (before the search) to the number of simulations.
        phase: the phase of that simulation: "select", "expand", "evaluate" or "backup".
        text: a few short sentences; ``**two stars**`` make text bold.
        part: the part to ring, one of ``PARTS``; None for none.
        node: the moves from the root to the node to show, as the game prints them, such as "3 4";
            None for the node that the phase is about.
    """

    simulation: int
    phase: str
    text: str
    part: str | None = None
    node: str | None = None


def checked_tour(record: Record, stops: Iterable[Stop | tuple]) -> list[dict[str, Any]]:
    """Checks the stops and returns them for the browser, each as a dict of the fields of ``Stop``.

    Raises:
        ValueError: a stop has too few or too many entries, or refers to a simulation, phase, part
            or node that the record does not have at that moment.
    """
    found = []
    for number, given in enumerate(stops, start=1):
        try:
            stop = Stop(*given)
        except TypeError:
            raise _wrong(number, "it must be (simulation, phase, text), or a Stop") from None
        if fault := _fault(record, stop):
            raise _wrong(number, fault)
        found.append(stop._replace(simulation=int(stop.simulation))._asdict())
    return found


def _wrong(number: int, what: str) -> ValueError:
    return ValueError(f"Stop {number} of the tour: {what}.")


def _fault(record: Record, stop: Stop) -> str:
    """Describes what is wrong with a stop; "" if nothing is."""
    simulations = record["steps"]["simulation"]
    last = simulations[-1] if simulations else 0
    if not isinstance(stop.simulation, Integral) or not 0 <= stop.simulation <= last:
        return f"simulation must be 0 to {last}, not {stop.simulation!r}"
    if stop.phase not in PHASES:
        return f"phase must be one of {', '.join(PHASES)}, not {stop.phase!r}"
    if not isinstance(stop.text, str) or not stop.text.strip():
        return f"text must be a non-empty string, not {stop.text!r}"
    if stop.part is not None and stop.part not in PARTS:
        return f"part must be one of {', '.join(PARTS)}, or None, not {stop.part!r}"
    if stop.node is not None and not isinstance(stop.node, str):
        return f"node must be a string of moves, such as '3 4', or None, not {stop.node!r}"
    return "" if stop.node is None else _lost(record, stop)


def _lost(record: Record, stop: Stop) -> str:
    """Describes why a stop's node cannot be shown; "" if it can."""
    labels, behind, here = record["game"]["labels"], children(record), 0
    for label in stop.node.split():
        if label not in labels:
            return f"{label!r} of node {stop.node!r} is not a move of this game"
        here = behind.get((here, labels.index(label)), -1)
        if here < 0:
            return f"the tree has no node {stop.node!r}"
    last = stop.simulation - (stop.phase == "select")  # "expand" adds the node
    done = sum(simulation <= last for simulation in record["steps"]["simulation"])
    if here and not replay(record, done)[0][here]:
        return f"node {stop.node!r} is not in the tree yet in simulation {stop.simulation}"
    return ""
