"""How the bug clinic looks: cards in a notebook, plain text in a terminal."""

import html
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from azlearn.course.looks import CASE, OUTCOMES, Look
from azlearn.course.results import card, inline_html
from azlearn.games import Game
from azlearn.viz import show_board
from azlearn.viz.numerals import num

_CELL = "text-align:right;padding:.1em .7em;font-variant-numeric:tabular-nums"
_LEFT = _CELL.replace("right", "left")


@dataclass(frozen=True)
class RootRow:
    """One move of the root: N, Q and what its score adds to Q; None where there is nothing yet."""

    move: str
    visits: int
    q: float | None
    bonus: float | None


@dataclass(frozen=True)
class TurnPlayed:
    """A position, the move that was played there, and what a solver or the rules say of it.

    ``is_right`` is true if that move is one of those which ``truth`` names.
    """

    moves: str
    action: int
    truth: str
    is_right: bool
    visits: list[int] = field(repr=False)
    q_values: list[float] = field(repr=False)


@dataclass(frozen=True, repr=False)
class CaseCard:
    """What is known of one search. ``at`` holds the simulations of the two tables.

    ``told_apart`` is true if the scores tell this search from a right one.
    """

    letter: str
    game: Game
    moves: str
    num_simulations: int
    c: float
    turns: tuple[TurnPlayed, ...]
    tables: tuple[tuple[RootRow, ...], ...]
    at: tuple[int, ...]
    scores: tuple[Any, ...]
    told_apart: bool

    @property
    def _head(self) -> str:
        return (
            f"Connect Four. It is meant to be UCT: score Q + c · √(ln ΣN / N) with c = {self.c:g}, "
            f"one random rollout a leaf, {self.num_simulations} simulations a move, a new tree for "
            "every move, and it is to play the most visited move. A position is written as the "
            f'columns played so far, in order: "{self.moves}".'
        )

    def _said(self, turn: TurnPlayed) -> str:
        after = f'After "{turn.moves}"' if turn.moves else "On the empty board"
        return f"{after} it plays {self.game.action_label(turn.action)}. {turn.truth}"

    @property
    def _plays(self) -> str:
        first = self.turns[0]
        return (
            f'After "{first.moves}", when its {self.num_simulations} simulations are done, it '
            f"plays {self.game.action_label(first.action)}."
        )

    @property
    def _root(self) -> str:
        return (
            f'The root of the tree below, after "{self.moves}", as the rule sees it in the select '
            "phase of two simulations; their own visit is not booked yet"
        )

    @property
    def _comparison(self) -> str:
        n = self.scores[0].n
        if self.told_apart:
            return f"On these {n} positions it differs from a right search by more than chance."
        return (
            f"On these {n} positions it is too close to a right search to tell the two apart: the "
            "score decides nothing here."
        )

    def _scores(self) -> Iterator[str]:
        for score in self.scores:
            low, high = (round(100 * end) for end in score.interval)
            yield f"{score.who}: {score.kept} of {score.n} (95 % interval {low} to {high} %)"

    def __str__(self) -> str:
        lines = [f"Case {self.letter}", self._head, ""]
        for turn in self.turns:
            lines.append(f"{_mark(turn).symbol} {self._said(turn)}")
            lines.append(
                f"   its root: N = {turn.visits}, Q = {[round(q, 2) for q in turn.q_values]}"
            )
        lines += ["", f"{_KEEPS}: {'; '.join(self._scores())}. {self._comparison}"]
        lines += ["", f"{self._root}."]
        for table, at in zip(self.tables, self.at, strict=True):
            lines += [f"   simulation {at} of {self.num_simulations}:"]
            lines += ["   move     N      Q  bonus"]
            lines += [
                f"   {r.move:>4}{r.visits:6}{_number(r.q):>7}{_number(r.bonus, '∞'):>7}"
                f"{self._note(r, at)}".rstrip()
                for r in table
            ]
        lines += ["", self._plays]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        boards = "".join(self._board(turn) for turn in self.turns)
        body = (
            inline_html(self._head)
            + f'<div style="display:flex;flex-wrap:wrap;gap:1.2em;margin:.6em 0">{boards}</div>'
            + _folded("How often its move keeps the win or the draw", self._kept_html())
            + _folded("N, Q and the bonus of the root's moves, early and late", self._tables_html())
            + '<div style="font-size:1.15em;margin-top:.5em">'
            + f"<b>{html.escape(self._plays)}</b></div>"
        )
        return card(CASE.color, "What is wrong with this search?", body, word=f"Case {self.letter}")

    def _kept_html(self) -> str:
        return inline_html(f"{_KEEPS}:") + self._bars() + inline_html(self._comparison)

    def _tables_html(self) -> str:
        tables = "".join(self._table(t, at) for t, at in zip(self.tables, self.at, strict=True))
        return (
            inline_html(f"{self._root}:")
            + f'<div style="display:flex;flex-wrap:wrap;gap:2em;margin:.3em 0">{tables}</div>'
        )

    def _bars(self) -> str:
        lines = []
        for score in self.scores:
            low, high = (100 * end for end in score.interval)
            share = 100 * score.kept / score.n
            lines.append(
                f'<tr><th scope="row" style="{_LEFT};font-weight:normal">{score.who}</th>'
                f'<td style="{_CELL}">{score.kept} of {score.n}</td>'
                f'<td style="{_CELL}">{low:.0f} to {high:.0f} %</td>'
                f'<td style="{_LEFT}">{_bar(share, low, high)}</td></tr>'
            )
        head = "".join(
            f'<th scope="col" style="{style};font-weight:normal"><small>{name}</small></th>'
            for name, style in (("", _LEFT), ("kept", _CELL), ("95 % interval", _CELL), ("", _LEFT))
        )
        return (
            f'<table style="border-collapse:collapse"><thead><tr>{head}</tr></thead>'
            f"<tbody>{''.join(lines)}</tbody></table>"
        )

    def _note(self, row: RootRow, at: int) -> str:
        """Marks the move that was played, once the simulations are done."""
        played = self.game.action_label(self.turns[0].action)
        return "  ◂ played" if row.move == played and at == self.num_simulations else ""

    def _board(self, turn: TurnPlayed) -> str:
        game = self.game
        after = game.play(game.from_moves(turn.moves), turn.action)
        picture = show_board(game, after, last=turn.action, alt=self._said(turn))
        picture.width = 150
        shown = picture.html()
        look = _mark(turn)
        played = (
            f'<b style="background:{look.color};color:#fff;border-radius:4px;padding:.05em .45em">'
            f"{look.symbol} plays {html.escape(game.action_label(turn.action))}</b>"
        )
        where = f"after {turn.moves}" if turn.moves else "empty board"
        return (
            f'<div style="width:16.6em">{shown}<div style="line-height:1.35;margin-top:.2em">'
            f'{played} <small style="white-space:nowrap">{where}</small>'
            f"<br>{html.escape(turn.truth)}</div></div>"
        )

    def _table(self, rows: tuple[RootRow, ...], at: int) -> str:
        head = "".join(
            f'<th scope="col" style="{_CELL}">{name}</th>' for name in ("move", "N", "Q", "bonus")
        )
        lines = "".join(
            f'<tr><th scope="row" style="{_CELL}">{html.escape(r.move)}</th>'
            f'<td style="{_CELL}">{r.visits}</td><td style="{_CELL}">{_number(r.q)}</td>'
            f'<td style="{_CELL}">{_number(r.bonus, "∞")}</td>'
            f'<td style="{_LEFT}">{self._note(r, at)}</td></tr>'
            for r in rows
        )
        return (
            f'<table style="border-collapse:collapse"><caption style="{_LEFT}">simulation {at} '
            f"of {self.num_simulations}</caption><thead><tr>{head}<td></td></tr></thead>"
            f"<tbody>{lines}</tbody></table>"
        )


_KEEPS = "How often its move keeps the win or the draw, on positions whose truth is known"


def _folded(summary: str, body: str) -> str:
    return f"<details><summary>{html.escape(summary)}</summary>{body}</details>"


def _bar(share: float, low: float, high: float) -> str:
    """A share in per cent, with its interval as a thin line."""
    return (
        '<svg width="204" height="14" viewBox="0 0 204 14" aria-hidden="true" focusable="false">'
        '<rect x="1" y="1" width="202" height="12" rx="2" fill="none" stroke="#8a8a8a"/>'
        f'<rect x="2" y="2" width="{2 * share:.1f}" height="10" fill="{CASE.color}"/>'
        f'<path d="M{2 + 2 * low:.1f} 7H{2 + 2 * high:.1f}" stroke="#d98200" stroke-width="3"/>'
        "</svg>"
    )


def _number(value: float | None, missing: str = "–") -> str:
    return missing if value is None else num(value)


def _mark(turn: TurnPlayed) -> Look:
    return OUTCOMES["right" if turn.is_right else "wrong"]
