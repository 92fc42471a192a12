"""Summarizes random games (length, winners, number of moves) and warns about anything suspicious.

Part of the conformance suite. A game may be consistent and still not be the game that was meant:
for example, it may always end after its first move.
"""

from statistics import mean, median
from typing import Any

from azlearn.games.game import Game

ENOUGH = 20  # with fewer games, a property that all of them share means nothing
MAX_EXPANDED = 3_000  # the most moves to play when counting positions; takes a fraction of a second


def told(game: Game, games: list[list[tuple]]) -> list[str]:
    """Returns three lines of summary, and one for each suspicious property.

    Args:
        games: a list for each game; for each of its positions, the legal mask as a list, the
            outcome and the player to move.
    """
    lengths = [len(positions) - 1 for positions in games]
    masks = [mask for positions in games for mask, _, _ in positions[:-1]]
    widths = [sum(mask) for mask in masks]
    movers = {mover for positions in games for _, _, mover in positions[:-1]}
    results = [outcome * (1 - 2 * mover) for (*_, (_, outcome, mover)) in games]
    won, lost = sum(r > 0 for r in results), sum(r < 0 for r in results)
    sequences, positions = zip(*counts_by_depth(game), strict=True)
    lines = [
        f"{game.name}: {len(games)} random games of {_range(lengths)} moves (median"
        f" {median(lengths):g}). The first player won {won}, the second {lost};"
        f" {len(games) - won - lost} were drawn.",
        f"Legal moves: {_range(widths)}, {mean(widths):.1f} on average.",
        f"Sequences of 1, 2, … moves: {', '.join(f'{n:,}' for n in sequences)}. Different positions"
        f" after them: {', '.join(f'{n:,}' for n in positions)}.",
    ]
    if len(games) < ENOUGH:
        return lines
    if never := [a for a, legal in enumerate(zip(*masks, strict=True)) if not any(legal)]:
        lines[1] += f" Never legal: {_some(game, never)}."
    num_cut = sum(
        length == game.max_plies and sum(positions[-2][0]) > 1
        for length, positions in zip(lengths, games, strict=True)
    )
    suspicious = {
        "every game ended after its first move": max(lengths) == 1,
        "no game had more than two moves": max(lengths) == 2,
        "there was never more than one legal move": max(widths) == 1,
        "the first player won every game": won == len(games),
        "the second player won every game": lost == len(games),
        "every game was drawn": not won and not lost,
        "the second player was never to move": movers == {0} and max(lengths) > 1,
        f"{num_cut} of {len(games)} games were cut off by MAX_PLIES = {game.max_plies} while"
        " several moves were still legal": num_cut > len(games) / 2,
    }
    return lines + [f"Suspicious: {what}." for what, is_so in suspicious.items() if is_so]


def counts_by_depth(game: Game) -> list[tuple[int, int]]:
    """How many sequences of moves and how many different positions there are, by depth.

    Counts of sequences are known as *perft*; for many games they are published. A sequence that
    ends the game early is counted at its end, and not after it. The list begins with one move, and
    has one to five depths, depending on how long each takes.
    """
    level, counts, num_expanded = [(game.initial_state(), 1)], [], 0
    while len(counts) < 5:
        moves = [(state, n, a) for state, n in level for a in game.legal_actions(state)]
        num_expanded += len(moves)
        if not moves or (counts and num_expanded > MAX_EXPANDED):
            break
        # Positions are compared by repr, because a custom game's positions may not be hashable.
        found: dict[str, tuple[Any, int]] = {}
        for state, n, action in moves:
            after = game.next_state(state, action)
            found[repr(after)] = after, n + found.get(repr(after), (None, 0))[1]
        level = list(found.values())
        counts.append((sum(n for _, n in level), len(level)))
    return counts


def _range(numbers: list[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}"


def _some(game: Game, actions: list[int]) -> str:
    """The number of these actions, and the names of the first few."""
    label = getattr(game, "action_label", str)
    first = ", ".join(str(label(action)) for action in actions[:6])
    more = ", …" if len(actions) > 6 else ""
    return f"{len(actions)} of {game.num_actions} moves ({first}{more})"
