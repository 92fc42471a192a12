"""The games of a match (11.2): every opening twice, colors swapped, no position twice over."""

from azlearn.course.drawing import drawn_game, drawn_moves
from azlearn.course.kit import FOUR, THREE, Case, returned, show


def in_order(games) -> str:
    """Each opening, and who is first, in order: 51 a–b, 51 b–a."""
    try:
        pairs = [(opening + "" or "''", {True: " a–b", False: " b–a"}[a]) for opening, a in games]
    except (TypeError, ValueError, KeyError):
        return f"not pairs: {show(games)}"
    return ", ".join(opening + first for opening, first in sorted(pairs)) or "none"


CASES = [
    Case(f"{words}: {list(openings)}", (THREE, list(openings)), in_order([(o, first) for o in kept for first in (True, False)]))
    for words, openings, kept in (
        ("three openings", ("51", "15", "52"), ("51", "15", "52")),
        ("three openings, one of them twice", ("51", "52", "51"), ("51", "52")),
        ("two ways to one position", ("159", "152", "951"), ("159", "152")),
        ("an opening in which X has won", ("51", "14253", "52"), ("51", "52")),
        ("an opening that ends in a draw", ("51", "512346987"), ("51",)),
        ("all of it at once", ("951", "53", "14253", "35", "159", "53"), ("951", "53", "35")),
    )
]  # fmt: skip


def draw(rng):
    """None to seven openings of any length; some come again, some with two moves exchanged."""
    game, openings = (THREE, FOUR)[rng.integers(2)], []
    for _ in range(rng.integers(8)):
        new = drawn_moves(rng, FOUR, 6) if game is FOUR else drawn_game(rng, THREE)
        again = str(rng.choice(openings or [""]))
        exchanged = again[2:3] + again[1:2] + again[:1] + again[3:]
        openings.append((new, again, exchanged)[rng.integers(3)])
    return Case(f"{game.name}, {openings}", (game, openings))


def observe(schedule, case):
    seen = returned(lambda *given: list(schedule(*given)), case)
    return seen | {"": in_order(seen[""])}
