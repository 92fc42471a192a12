"""Reads Go files as real programs write them: many games per file, any encoding, odd values.

Games are parsed by ``sgfmill`` (M. Woodcraft, license MIT). It rejects a whole collection if one
game is broken, so a collection is first split where games start.
"""

import re
from typing import NamedTuple

from sgfmill import sgf_grammar, sgf_properties

# A game starts where the first node has a property that only a root has. Old formats have long
# names: "GaMe" is GM. Inside a comment every closing bracket is escaped, so nothing matches there.
_ROOT = "|".join("[a-z]*".join(["", *name, ""]) for name in ("GM", "FF", "SZ", "CA", "AP"))
_VALUE = r"\[[^\]\\]*\]\s*"
_START = re.compile(rf"\(\s*;\s*(?:[A-Za-z]+\s*(?:{_VALUE})+)*?(?:{_ROOT})\s*{_VALUE}".encode())
_CHARSET = re.compile(rb"CA\s*\[\s*([\w.:-]+)\s*\]")

NOT_GO = "it is not a game of Go"
Point = tuple[int, int]  # row and column, row 0 at the top


class Node(NamedTuple):
    """One node of a game's main line."""

    setup: dict[str, set[Point]]  # "AB", "AW", "AE": stones put on the board or removed
    moves: list[tuple[str, Point | None]]  # color, "b" or "w", and point; None is a pass


class Text:
    """One game: the properties of its root, and its main line.

    Attributes:
        size: the size of the board.
        num_brackets: the number of opening brackets within values, a sign of a wrong encoding.
    """

    def __init__(self, tree: sgf_grammar.Coarse_game_tree) -> None:
        """Raises ValueError if the game is not Go, or its board is too large or not square."""
        self._nodes = list(sgf_grammar.main_sequence_iter(tree))
        self._root = self._nodes[0]
        if self.value("GM") not in ("", "1"):
            raise ValueError(NOT_GO)
        self.size = self._size()
        self.num_brackets = sum(
            value.count(b"[")
            for node in self._nodes
            for values in node.values()
            for value in values
        )

    def value(self, name: str) -> str:
        """A property of the root, without surrounding whitespace; "" if it is missing."""
        values = self._root.get(name, [b""])
        return sgf_grammar.simpletext_value(values[0]).decode("utf-8", "replace").strip()

    def komi(self) -> float | None:
        """Points for White; None if no komi is stated, or it cannot be read.

        Fox writes 375 for 3.75 stones, which are 7.5 points.
        """
        text = self.value("KM").replace(",", ".")
        if not (found := re.match(r"[-+]?(\d+\.?\d*|\.\d+)(?![\d.eE])", text)):
            return None
        komi = float(found[0])
        komi = komi / 100 if abs(komi) >= 100 else komi
        komi = 2 * komi if komi % 0.5 == 0.25 else komi
        return komi if abs(komi) < 100 else None

    def main_line(self) -> list[Node]:
        """The main line, up to its last move.

        Raises:
            ValueError: a point is not on the board.
        """
        presenter = sgf_properties.Presenter(self.size, "utf-8")
        line = []
        last = max((i for i, node in enumerate(self._nodes) if node.keys() & {"B", "W"}), default=0)
        for node in self._nodes[: last + 1]:
            try:
                setup = {
                    name: {
                        (self.size - 1 - row, col) for row, col in presenter.interpret(name, raw)
                    }
                    for name, raw in node.items()
                    if name in ("AB", "AW", "AE") and any(part.strip() for part in raw)
                }
            except ValueError:
                raise ValueError("a stone is off the board or is not a point") from None
            moves = [(c.lower(), self._point(node[c][0])) for c in node if c in ("B", "W")]
            line.append(Node(setup, moves))
        return line

    def _size(self) -> int:
        text = self.value("SZ") or "19"
        sides = re.fullmatch(r"(\d+)(?:\s*[:x]\s*(\d+))?", text)
        if not sides or (sides[2] and int(sides[1]) != int(sides[2])):
            raise ValueError(f"bad SZ property: {text!r:.40}")
        if not 1 <= (size := int(sides[1])) <= 26:
            raise ValueError(f"size out of range: {size}")
        return size

    def _point(self, raw: bytes) -> Point | None:
        """The point, or None for a pass.

        Up to 19x19 "tt" is a pass, too, and so is the point just off the board's corner.
        """
        text = raw.strip().lower()
        if text in (b"", b"pass") or (text == b"tt" and self.size <= 19):
            return None
        col, row = (letter - ord("a") for letter in text) if len(text) == 2 else (-1, -1)
        if row == col == self.size:
            return None
        if row not in range(self.size) or col not in range(self.size):
            raise ValueError("a move is off the board or is not a point")
        return row, col


def read_texts(content: bytes | str) -> list[Text | str]:
    """Returns the games of a file; an unreadable game is replaced by the reason, as text.

    The encoding matters for where a value ends: in some encodings, one byte of a letter looks like
    a bracket. The encoding that a file states is often wrong. So valid UTF-8 is read as UTF-8; any
    other file is read in the encoding that leaves the fewest unreadable games and brackets within
    values.
    """
    if isinstance(content, str):
        return _games(content.encode("utf-8", "replace"))
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return _games(content.decode("utf-16", "replace").encode("utf-8"))
    stated = [found.decode() for found in _CHARSET.findall(content)[:1]]
    tried = []
    for encoding in ("utf-8", *stated, "latin-1", "gb18030", "shift_jis"):
        try:
            games = _games(content.decode(encoding).encode("utf-8"))
        except (UnicodeError, LookupError):
            continue
        if encoding == "utf-8":
            return games
        tried.append(games)
    return min(tried, key=_num_faults)


def _num_faults(games: list[Text | str]) -> int:
    return sum(1 if isinstance(game, str) else game.num_brackets for game in games)


def _games(content: bytes) -> list[Text | str]:
    starts = [found.start() for found in _START.finditer(content)]
    parts = [content[a:b] for a, b in zip([0, *starts], [*starts, len(content)], strict=True)]
    # Before the first start there is usually nothing, or prose, or a game that states no size.
    if starts and not re.search(rb"\(\s*;", parts[0]):
        del parts[0]
    games: list[Text | str] = []
    for part in parts:
        trees, faults = [], []
        try:
            trees = sgf_grammar.parse_sgf_collection(part)
        except ValueError:
            try:
                trees = [sgf_grammar.parse_sgf_game(part)]
                faults = ["the text after the previous game cannot be read"]
            except ValueError as error:
                faults = [str(error)]
        for tree in trees:
            try:
                games.append(Text(tree))
            except ValueError as error:
                games.append(str(error))
        games += faults
    return games
