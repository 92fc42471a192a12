"""Chapter 6, whose reward: answers as readers could have written them."""

import numpy as np

from tests.course.registry import mutant, right

# --- 6.1 rewards(result, game_number, by_first) ---


def _rewards(change):
    """The right answer, changed."""

    def rewards(result, game_number, by_first):
        return change(result[game_number] * np.where(by_first, 1, -1))

    return rewards


mutant("6.1", "the reward of the player who moves next")(_rewards(lambda z: -z))
mutant("6.1", "a draw counted as a loss")(_rewards(lambda z: np.where(z > 0, 1, -1)))
mutant("6.1", "points instead of values")(_rewards(lambda z: (z + 1) / 2))
mutant("6.1", "only the winner's moves are rewarded")(_rewards(lambda z: z * (z > 0)))
mutant("6.1", "not one reward a move")(_rewards(lambda z: z.sum()))
mutant("6.1", "no named fault")(_rewards(lambda z: z * 2))


@mutant("6.1", "the first player's result for every move")
def rewards_of_the_first(result, game_number, by_first):
    return [result[number] for number in game_number]


@mutant("6.1", "the sign changes from row to row")
def rewards_by_place(result, game_number, by_first):
    signs, z = {}, []
    for number in game_number:
        signs[number] = -signs.get(number, -1)
        z.append(signs[number] * result[number])
    return z


@mutant("6.1", "the sign changes from row to row")
def rewards_by_row(result, game_number, by_first):
    return [result[number] * (-1) ** row for row, number in enumerate(game_number)]


@mutant("6.1", "another game's result")
def rewards_in_turn(result, game_number, by_first):
    return [result[row % len(result)] * (1 if first else -1) for row, first in enumerate(by_first)]


@mutant("6.1", "only the last move is rewarded")
def rewards_at_the_end(result, game_number, by_first):
    z = np.zeros(len(game_number))
    for number in set(game_number.tolist()):
        last = np.flatnonzero(game_number == number)[-1]
        z[last] = result[number] if by_first[last] else -result[number]
    return z


def _fading(factor):
    def rewards(result, game_number, by_first):
        z = (result[game_number] * np.where(by_first, 1, -1)).astype(float)
        for row, number in enumerate(game_number):
            z[row] *= factor ** (game_number[row + 1 :] == number).sum()
        return z

    return rewards


mutant("6.1", "the reward fades")(_fading(0.99))
mutant("6.1", "the reward fades")(_fading(0.5))


@mutant("6.1", "not one reward a move")
def rewards_of_the_games(result, game_number, by_first):
    return result


@mutant("6.1", "returns nothing")
def rewards_forgotten(result, game_number, by_first):
    result[game_number] * np.where(by_first, 1, -1)


@right("6.1")
def rewards_one_by_one(result, game_number, by_first):
    for number, first in zip(game_number, by_first, strict=True):
        yield float(result[number]) if first else -float(result[number])


@right("6.1")
def rewards_by_arithmetic(result, game_number, by_first):
    return (2 * by_first.astype(int) - 1) * np.take(result, game_number)
