"""The explorer: a recorded search to step through, in a notebook or in a file of its own."""

import json
import math
import pathlib
import shutil
from collections.abc import Iterable
from typing import Any

import traitlets

from azlearn.search import Node, Recording, Tree
from azlearn.viz import assets, tree_graph, tree_picture
from azlearn.viz.endings import record_of
from azlearn.viz.numerals import signed
from azlearn.viz.opening import opening as moves_to
from azlearn.viz.picture import Picture
from azlearn.viz.record import check, remark
from azlearn.viz.replaying import label_of, replay, winner_at
from azlearn.viz.tour import PHASES, Stop, checked_tour
from azlearn.viz.widget import PageWidget, not_known, whole_number

_GAME_NAMES = {"connect_four": "Connect Four", "tic_tac_toe": "tic-tac-toe"}


class Explorer(PageWidget):
    """Shows a recorded search: its tree, its four phases, and the reasons for every choice.

    Args:
        recording: what ``Recorder.recording()`` gives, or its ``to_dict()``; or a Tree that was
            not recorded, for its final statistics.
        tour: moments to show one after the other, each with a sentence; see ``Stop``.

    Its still pictures show the finished tree.

    Attributes (the ones shared with the browser change on both sides):
        record: the record that the browser replays; see ``Recording.to_dict``. NaN and infinity,
            which JSON does not have, become None.
        step: how many rows of the record have been played, 0 to their number.
        phase: the phase shown of the last of them, one of "select", "expand", "evaluate", "backup".
        selected: index of the node that the side panel is kept on; None while the panel follows
            the search. ``selected_node`` is the Node itself.
        notice: a sentence above the tree; "" for none.
        opening: actions that lead from the start of the game to the root, in one possible order;
            None where nobody knows any.
        knobs: what can be changed about the search; empty where nothing can rerun it.
        tour: the stops as the browser reads them.

    Raises:
        ValueError: a record that was given as a dict cannot be shown, or a stop of the tour does
            not fit.
    """

    record = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    phase = traitlets.Enum(PHASES, "backup").tag(sync=True)
    selected = traitlets.Int(None, allow_none=True).tag(sync=True)
    notice = traitlets.Unicode("").tag(sync=True)
    knobs = traitlets.Dict().tag(sync=True)
    opening = traitlets.List(allow_none=True, default_value=None).tag(sync=True)
    tour = traitlets.List().tag(sync=True)

    def __init__(
        self,
        recording: Recording | Tree | dict[str, Any],
        tour: Iterable[Stop | tuple] = (),
        **kwargs,
    ) -> None:
        self.recording, record = _opened(recording)
        kwargs["tour"] = checked_tour(record, tour)
        kwargs.setdefault("step", len(record["steps"]["leaf"]))
        if self.recording is not None:
            tree = self.recording.tree
            kwargs.setdefault("opening", moves_to(tree.game, tree.root.state))
        super().__init__(record=record, **kwargs)

    _esm = assets.module(assets.EXPLORER)
    _css = assets.styles("explorer.css", "tree.css")

    SET_BY_PAGE = ("step", "phase", "selected")
    IN_A_FILE = ("record", "step", "phase", "selected", "opening", "notice", "tour")

    def _obey(self, content: dict[str, Any]) -> None:
        if content.get("do") != "grow":
            raise not_known(content)
        self.grow(whole_number(content, "node"))

    def _tell(self, sentence: str) -> None:
        self.notice = sentence

    def grow(self, node: int) -> None:
        """Takes in the children of a node, left out of the record for their number.

        Raises:
            ValueError: there is no such node, or only a record was given, without a search.
        """
        if self.recording is None:
            raise ValueError("These nodes are not in the record that this explorer was given.")
        last = len(self.recording.nodes) - 1
        if not 0 <= node <= last:
            raise ValueError(f"node must be a node, 0 to {last}, not {node!r:.60}.")
        self.recording.grow(node)
        self.record = record_of(self.recording)

    @traitlets.validate("record")
    def _valid_record(self, proposal) -> dict[str, Any]:
        return _sendable(proposal["value"])

    @traitlets.validate("step")
    def _valid_step(self, proposal) -> int:
        rows = len(self.record["steps"]["leaf"])
        if not 0 <= proposal["value"] <= rows:
            raise traitlets.TraitError(f"step must be 0 to {rows}, not {proposal['value']}.")
        return proposal["value"]

    @traitlets.validate("selected")
    def _valid_selected(self, proposal) -> int:
        nodes = len(self.record["nodes"]["parent"])
        if proposal["value"] is not None and not 0 <= proposal["value"] < nodes:
            raise traitlets.TraitError(
                f"selected must be a node, 0 to {nodes - 1}, not {proposal['value']}."
            )
        return proposal["value"]

    @property
    def selected_node(self) -> Node | None:
        """The node that was clicked, as the search left it, and the root before any click; None if
        only a dict was given."""
        return None if self.recording is None else self.recording.nodes[self.selected or 0]

    def describe(self) -> str:
        """The finished tree in a few sentences: the alternative text of its still pictures."""
        visits, values = (column.tolist() for column in replay(self.record))
        parent = self.record["nodes"]["parent"]
        moves = sorted(
            (i for i in range(1, len(parent)) if parent[i] == 0 and visits[i]),
            key=lambda i: (-visits[i], -values[i] / visits[i], i),
        )
        size = len(parent)
        text = f"Search tree on {game_name(self.record)} with {size} node{'s' * (size > 1)}."
        if moves:
            listed = []
            for i in moves[:3]:
                visited = f"{visits[i]} visit{'s' * (visits[i] > 1)}"
                mean = signed(values[i] / visits[i])
                listed.append(f"{label_of(self.record, i)} with {visited} and Q {mean}")
            text += f" Most visited moves at the root: {', '.join(listed)}."
        if (winner := winner_at(self.record, 0)) is not None:
            players = self.record["game"]["drawing"]["players"]
            text += f" Proven: {'a draw' if winner < 0 else f'{players[winner]} wins'}."
        return " ".join(filter(None, (remark(self.record), text)))

    def to_svg(self, max_nodes: int = 40) -> str:
        """The part of the finished tree that fits, as SVG text."""
        return tree_picture.to_svg(self.record, max_nodes, self.describe())

    def to_picture(self, max_nodes: int = 20) -> Picture:
        """The still picture with its alternative text, to display in a notebook."""
        alt = self.describe()
        return Picture(alt, svg=tree_picture.to_svg(self.record, max_nodes, alt, follow=True))

    def to_graphviz(self, max_nodes: int = 40):
        """The most visited part of the finished tree as a ``graphviz.Digraph``, for print.

        Without Graphviz's program ``dot`` it cannot be drawn: then one sentence says so and the
        explorer's own picture comes back instead.
        """
        if shutil.which("dot") is None:
            print("Graphviz's program `dot` is not installed; here is the explorer's own picture.")
            return self.to_picture(max_nodes)
        return tree_graph.digraph(self.record, max_nodes)

    def to_html(self, path: str | pathlib.Path | None = None) -> str:
        """One file with everything inside: it opens without a kernel and without a network.

        Args:
            path: where to write it; None only gives the text back.

        Returns:
            The HTML text.

        Raises:
            OSError: the file could not be written; one that was there before is kept.
        """
        state = {name: getattr(self, name) for name in self.IN_A_FILE}
        title = f"A search on {game_name(self.record)}, step by step"
        text = assets.page(title, self._esm, self._css, state)
        if path is not None:
            assets.write_page(path, text)
        return text

    def _repr_mimebundle_(self, **kwargs) -> tuple[dict, dict]:
        data, metadata = super()._repr_mimebundle_(**kwargs)
        picture = self.to_picture()
        picture.caption = "A still picture of the tree: run the cell for the explorer."
        data.update(picture.bundle())
        data["text/plain"] = repr(self)
        return data, metadata

    def __repr__(self) -> str:
        return f"Explorer: {self.describe()}"


def game_name(record: dict[str, Any]) -> str:
    """What to call the game of a record within a sentence."""
    name = record["game"]["name"]
    return _GAME_NAMES.get(name, name.replace("_", " "))


def _opened(recording) -> tuple[Recording | None, dict[str, Any]]:
    """What an explorer keeps of what it is given: the recording if there is one, and the record."""
    if isinstance(recording, Tree):
        recording = Recording.of_tree(recording)
    if isinstance(recording, dict):
        record = _sendable(recording)
        check(record)
        return None, record
    return recording, record_of(recording)


def _sendable(record: dict[str, Any]) -> dict[str, Any]:
    """The same with None for every NaN and infinity, and "?" for every half of a letter."""
    try:
        json.dumps(record, allow_nan=False, ensure_ascii=False).encode()
    except ValueError:
        return _cleaned(record)
    return record


def _cleaned(part: Any) -> Any:
    if isinstance(part, dict):
        return {_cleaned(key): _cleaned(value) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_cleaned(value) for value in part]
    if isinstance(part, str):
        return part.encode(errors="replace").decode()
    return None if isinstance(part, float) and not math.isfinite(part) else part
