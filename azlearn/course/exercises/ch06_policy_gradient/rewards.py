"""The reward of every move (6.1): games, and who has won them, are written out by hand."""

import numpy as np

from azlearn.course.kit import Case, numbers, returned, signed

X_WINS, O_WINS, DRAW = "14253", "142596", "512837469"
RESULTS = {X_WINS: 1, O_WINS: -1, DRAW: 0}

# words, the moves of the games, the rows as game and player, z
GAMES = (
    (f'the game "{X_WINS}", which X wins', (X_WINS,), "0X 0O 0X 0O 0X", (1, -1, 1, -1, 1)),
    (f'the game "{O_WINS}", which O wins, from its third move on', (O_WINS,), "0X 0O 0X 0O", (-1, 1, -1, 1)),
    (f'the game "{O_WINS}", which O wins, from its second move on', (O_WINS,), "0O 0X 0O 0X 0O", (1, -1, 1, -1, 1)),
    ("the learner's own moves in four games: won with X, won with O, drawn with O, lost with O", (X_WINS, O_WINS, DRAW, X_WINS), "0X 0X 0X 1O 1O 1O 2O 2O 2O 2O 3O 3O", (1, 1, 1, 1, 1, 1, 0, 0, 0, 0, -1, -1)),
    (f'two games in lockstep, "{X_WINS}" (X wins) and "{O_WINS}" (O wins), ply by ply', (X_WINS, O_WINS), "0X 1X 0O 1O 0X 1X 0O 1O 0X 1X 1O", (1, -1, -1, 1, 1, -1, -1, 1, 1, -1, 1)),
)  # fmt: skip


def table(words: str, games: tuple[str, ...], rows: str, z: tuple[int, ...]) -> Case:
    game_number, mover = zip(*rows.split(), strict=True)
    columns = [RESULTS[game] for game in games], [*map(int, game_number)], np.equal(mover, "X")
    return Case(words, tuple(map(np.array, columns)), {"": z})


form = signed
CASES = [table(*row) for row in GAMES]


def draw(rng):
    """Rows in any order; not every game need have one."""
    num_games, n = rng.integers(1, 5), rng.integers(1, 9)
    results = rng.integers(-1, 2, num_games)
    return Case("", (results, rng.integers(num_games, size=n), rng.random(n) < 0.5))


def observe(rewards, case):
    seen = returned(rewards, case)
    z = seen[""] = numbers(seen[""])
    count = len(z) if isinstance(z, list) else "no list"
    fading = count == len(case.arguments[1]) and fades(np.array(z), *case.arguments[:2])
    return {"how many rewards": count, "whether earlier moves get less": fading, **seen}


def fades(z: np.ndarray, result: np.ndarray, game_number: np.ndarray) -> bool:
    """Whether z never shrinks within a game that was not drawn, grows in one, and is 0 nowhere."""
    sizes = [np.abs(z[game_number == game]) for game in np.flatnonzero(result)]
    steady = all((np.diff(own) >= 0).all() and own.all() for own in sizes)
    return bool(steady and any((np.diff(own) > 0).any() for own in sizes))
