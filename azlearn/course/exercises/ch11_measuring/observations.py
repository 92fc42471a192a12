"""What a match has observed (11.1). The games are of tic-tac-toe, written by hand; so are the answers."""

from azlearn.arena import PlayedGame
from azlearn.course.kit import Case, gives, parts, row

BOTH = "the number of games, and the scores in order"
# What each game is worth to the first player.
VALUES = {"5186432": 1, "51679384": 0, "512346987": 0.5, "125834697": 1, "127439658": 0.5}
PAIR_51, PAIR_12 = "51|86432 -51|2346987", "12|7439658 -12|5834697"


def case(words: str, games: str, *right) -> Case:
    """Each game as its opening | the rest of its moves, with "-" before it if b was first."""
    return Case(words, (tuple(map(played, games.split())),), {BOTH: right} if right else None)


def played(text: str) -> PlayedGame:
    opening, rest = text.lstrip("-").split("|")
    value, a_first = VALUES[opening + rest], text[0] != "-"
    return PlayedGame(opening, opening + rest, a_first, value if a_first else 1 - value)


CASES = [
    case("two openings, a pair of games each", f"{PAIR_51} {PAIR_12}", 4, [0.25, 0.75]),
    case("the same two pairs, three times over", f"{PAIR_51} {PAIR_12} " * 3, 4, [0.25, 0.75]),
    case("twins: one game, played with both colors", f"51|86432 -51|86432 {PAIR_12}", 3, [0.25, 0.5]),
    case("five games that are not sorted by opening", "51|86432 12|7439658 -51|2346987 51|679384 -12|5834697", 5, [0.25, 0.5]),
]  # fmt: skip


def draw(rng):
    """No game or some, with openings of one ply to three; one may begin as another does."""
    games, most = [], rng.integers(2, 5)
    for _ in range(rng.integers(8)):
        moves, num_plies = str(rng.choice([*VALUES])), rng.integers(1, most)
        games.append(f"{rng.choice(['', '-'])}{moves[:num_plies]}|{moves[num_plies:]}")
    return case(f"these games (opening|rest, - if b is first): {' '.join(games)}", " ".join(games))


@gives("a number and a list")
def observe(observations, case):
    distinct, scores = parts(observations(*case.arguments), (), None)
    return {BOTH: (distinct, sorted(map(float, row(scores))))}
