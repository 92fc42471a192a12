"""Chapter 5, the split: answers as readers could have written them."""

import math

import numpy as np
import torch

from tests.course.registry import mutant, right

# --- 5.2 held_out_mask(game_number, share, rng) ---


def _size(share, num_games):
    return min(max(1, round(share * num_games)), num_games - 1)


def _mask(count=lambda share, games: _size(share, len(games))):
    """The right way with another number of games."""

    def held_out_mask(game_number, share, rng):
        games = np.unique(game_number)
        chosen = rng.choice(games, size=count(share, games), replace=False)
        return np.isin(game_number, chosen)

    return held_out_mask


mutant("5.2", "nothing is held out")(_mask(lambda share, games: round(share * len(games))))
mutant("5.2", "rounded down")(_mask(lambda share, games: int(share * len(games))))
mutant("5.2", "rounded down")(_mask(lambda share, games: max(1, int(share * len(games)))))
mutant("5.2", "rounded up")(_mask(lambda share, games: math.ceil(share * len(games))))
mutant("5.2", "nothing is held out")(
    _mask(lambda share, games: min(round(share * len(games)), len(games) - 1))
)
mutant("5.2", "rounded up")(
    _mask(lambda share, games: min(math.ceil(share * len(games)), len(games) - 1))
)
mutant("5.2", "nothing stays for training")(
    _mask(lambda share, games: max(1, round(share * len(games))))
)
mutant("5.2", "no named fault")(_mask(lambda share, games: len(games) // 2))


@mutant("5.2", "nothing is held out")
def mask_of_nothing(game_number, share, rng):
    return np.zeros(len(game_number), dtype=bool)


@mutant("5.2", "everything is held out")
def mask_of_everything(game_number, share, rng):
    return np.ones(len(game_number), dtype=bool)


@mutant("5.2", "training and held out exchanged")
def mask_of_training(game_number, share, rng):
    return ~_mask()(game_number, share, rng)


@mutant("5.2", "training and held out exchanged")
def mask_of_training_without_a_limit(game_number, share, rng):
    return ~_mask(lambda share, games: max(1, round(share * len(games))))(game_number, share, rng)


@mutant("5.2", "a game is drawn twice")
def mask_with_replacement_and_no_limit(game_number, share, rng):
    games = np.unique(game_number)
    return np.isin(game_number, rng.choice(games, max(1, round(share * len(games)))))


@mutant("5.2", "positions are drawn, not games")
def mask_of_positions(game_number, share, rng):
    return rng.random(len(game_number)) < share


@mutant("5.2", "positions are drawn, not games")
def mask_of_exact_positions(game_number, share, rng):
    rows = rng.choice(len(game_number), round(share * len(game_number)), replace=False)
    return np.isin(np.arange(len(game_number)), rows)


@mutant("5.2", "positions are drawn, not games")
def mask_of_every_third(game_number, share, rng):
    return np.arange(len(game_number)) % round(1 / share) == 0


@mutant("5.2", "a block of rows")
def mask_of_the_last_rows(game_number, share, rng):
    return np.arange(len(game_number)) >= (1 - share) * len(game_number)


@mutant("5.2", "a block of rows")
def mask_of_the_first_rows(game_number, share, rng):
    return np.arange(len(game_number)) < int(share * len(game_number))


@mutant("5.2", "a part of every game")
def mask_of_the_endings(game_number, share, rng):
    mask = np.zeros(len(game_number), dtype=bool)
    for game in np.unique(game_number):
        rows = np.flatnonzero(game_number == game)
        mask[rows[len(rows) - round(share * len(rows)) :]] = True
    return mask


@mutant("5.2", "counts on rows that stand together")
def mask_repeated(game_number, share, rng):
    games, sizes = np.unique(game_number, return_counts=True)
    chosen = rng.choice(len(games), _size(share, len(games)), replace=False)
    return np.repeat(np.isin(np.arange(len(games)), chosen), sizes)


@mutant("5.2", "changes what it was given")
def mask_by_shuffling(game_number, share, rng):
    num_games = len(np.unique(game_number))
    rng.shuffle(game_number)
    chosen = list(dict.fromkeys(game_number.tolist()))[: _size(share, num_games)]
    return np.isin(game_number, chosen)


@mutant("5.2", "not a mask of the positions")
def mask_of_games(game_number, share, rng):
    games = np.unique(game_number)
    return rng.choice(games, _size(share, len(games)), replace=False)


@mutant("5.2", "not a mask of the positions")
def mask_as_rows(game_number, share, rng):
    return np.flatnonzero(_mask()(game_number, share, rng))


@mutant("5.2", "another generator than the one given")
def mask_of_the_global_generator(game_number, share, rng):
    games = np.random.permutation(np.unique(game_number))  # noqa: NPY002
    return np.isin(game_number, games[: _size(share, len(games))])


@mutant("5.2", "game numbers taken for 0, 1, 2, …")
def mask_up_to_the_last(game_number, share, rng):
    num_games = game_number.max() + 1
    return np.isin(game_number, rng.permutation(num_games)[: _size(share, num_games)])


@mutant("5.2", "game numbers taken for 0, 1, 2, …")
def mask_of_places(game_number, share, rng):
    num_games = len(np.unique(game_number))
    return np.isin(game_number, rng.permutation(num_games)[: _size(share, num_games)])


@mutant("5.2", "a share of the positions, not of the games")
def mask_until_full(game_number, share, rng):
    mask = np.zeros(len(game_number), dtype=bool)
    for game in rng.permutation(np.unique(game_number)):
        if mask.mean() < share:
            mask |= game_number == game
    return mask


@mutant("5.2", "a share of the positions, not of the games")
def mask_below_the_share(game_number, share, rng):
    games, sizes = np.unique(game_number, return_counts=True)
    order = rng.permutation(len(games))
    fit = sizes[order].cumsum() <= share * len(game_number)
    return np.isin(game_number, games[order[fit]])


@mutant("5.2", "a game is drawn twice")
def mask_with_replacement(game_number, share, rng):
    games = np.unique(game_number)
    return np.isin(game_number, rng.choice(games, _size(share, len(games))))


@mutant("5.2", "a game is drawn twice")
def mask_of_drawn_positions(game_number, share, rng):
    size = _size(share, len(set(game_number.tolist())))
    return np.isin(game_number, rng.choice(game_number, size, replace=False))


@mutant("5.2", "a coin for every game")
def mask_by_coins(game_number, share, rng):
    games = np.unique(game_number)
    return np.isin(game_number, games[rng.random(len(games)) < share])


@mutant("5.2", "the first or the last games, not random ones")
def mask_of_the_first(game_number, share, rng):
    games = np.unique(game_number)
    return np.isin(game_number, games[: _size(share, len(games))])


@mutant("5.2", "the first or the last games, not random ones")
def mask_of_the_last(game_number, share, rng):
    games = np.unique(game_number)
    return game_number >= games[-_size(share, len(games))]


@mutant("5.2", "the same games every time")
def mask_with_a_seed(game_number, share, rng):
    return _mask()(game_number, share, np.random.default_rng(0))


@mutant("5.2", "long games are likelier")
def mask_of_shuffled_positions(game_number, share, rng):
    games = list(dict.fromkeys(rng.permutation(game_number).tolist()))
    return np.isin(game_number, games[: _size(share, len(games))])


@mutant("5.2", "a game is never held out")
def mask_never_of_the_first(game_number, share, rng):
    games = np.unique(game_number)
    size = _size(share, len(games))
    return np.isin(game_number, rng.choice(games[1:], size, replace=False))


@mutant("5.2", "returns nothing")
def mask_forgotten(game_number, share, rng):
    _mask()(game_number, share, rng)


@right("5.2")
def mask_by_permutation(game_number, share, rng):
    games = list(set(game_number.tolist()))
    num_held_out = sorted([1, round(share * len(games)), len(games) - 1])[1]
    held_out = {games[i] for i in rng.permutation(len(games))[:num_held_out]}
    return [number in held_out for number in game_number.tolist()]


@right("5.2")
def mask_by_ranks(game_number, share, rng):
    games, index = np.unique(game_number, return_inverse=True)
    rank = rng.random(len(games)).argsort().argsort()
    return torch.from_numpy(rank[index] < np.clip(round(share * len(games)), 1, len(games) - 1))
