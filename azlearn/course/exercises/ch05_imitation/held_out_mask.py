"""Whole games held out (5.2): judged by many draws, which games, how many, and how often each."""

import numpy as np

from azlearn.course.kit import CHANGED, About, Case, gives, show, truths

AGAIN = "two draws with the same seed"
TORN, COUNT, SHARES = "games torn apart", "number of games held out", "how often each is held out"
MIXED = f"{TORN}, their rows mixed"
GAPS, LIMITS = f"{COUNT}, game numbers left out", f"{COUNT}, the share very small or large"
KEYS = (CHANGED, AGAIN, TORN, MIXED, COUNT, GAPS, LIMITS, SHARES)
CLOSE = 0.12  # of a share; 400 draws come within a third of it

NUM_DRAWN = 60
CASES = [
    # 2.04, 2, 1, 2.7, 0.2 and 3.8 games
    Case("six games of 1, 2, 3, 6, 9 and 15 positions, share = 0.34", (np.repeat(np.arange(6), (1, 2, 3, 6, 9, 15)), 0.34, 400), {COUNT: 2}),
    Case("five games of 4 positions each, numbered 3, 7, 20, 21 and 50, share = 0.4", (np.repeat((3, 7, 20, 21, 50), 4), 0.4, 25), {GAPS: 2}),
    Case("four games of 3 positions each, their rows mixed, share = 0.25", (np.array((2, 0, 3, 1, 1, 0, 3, 2, 0, 3, 1, 2)), 0.25, 25), {COUNT: 1}),
    Case("ten games of 2 positions each, share = 0.27", (np.repeat(np.arange(10), 2), 0.27, 25), {COUNT: 3}),
    Case("four games of 3 positions each, share = 0.05", (np.repeat(np.arange(4), 3), 0.05, 25), {LIMITS: 1}),
    Case("four games of 3 positions each, share = 0.95", (np.repeat(np.arange(4), 3), 0.95, 25), {LIMITS: 3}),
]  # fmt: skip


def draw(rng):
    """Two games or more, of one position or some; rows may be mixed, numbers may be left out."""
    num = int(rng.integers(2, 9))
    names = rng.choice(1000, num, replace=False) if rng.random() < 0.5 else np.arange(num)
    number = np.repeat(np.sort(names), rng.integers(1, 5, num))
    number = rng.permutation(number) if rng.random() < 0.5 else number
    nearly = rng.integers(num + 1) + rng.uniform(-0.4, 0.4)  # so many games, far from a half
    share = round(float(np.clip(nearly / num, 0.01, 0.99)), 3)
    return Case(f"game_number = {show(number)}, share = {share}", (number, share, 5))


@gives("a mask")
def observe(held_out_mask, case):
    number, share, draws = case.arguments
    games, sizes = np.unique(number, return_counts=True)
    seen, drawn = dict.fromkeys(KEYS) | {CHANGED: False}, []
    for seed in (*range(draws), 0):
        value = held_out_mask(given := number.copy(), share, np.random.default_rng(seed))
        if not np.array_equal(given, number):
            return {**seen, CHANGED: True}
        drawn.append(truths(value, len(number)))
    seen[AGAIN] = "the same games" if drawn.pop() == drawn[0] else "others"
    masks = np.array(drawn)
    seen[MIXED if (np.diff(number) < 0).any() else TORN] = how_torn(number, masks)
    held = np.stack([masks[:, number == game].any(1) for game in games], 1)
    limits = not 0 < round(share * len(games)) < len(games)
    key = LIMITS if limits else COUNT if games[-1] == len(games) - 1 else GAPS
    found = how_many(held, sizes, share, masks.sum(1))
    seen[key] = found if key == COUNT or isinstance(found, int) else found.split(",")[0]
    if draws > 100 and np.ptp(held.sum(1)) == 0:
        seen[SHARES] = how_often(held.mean(0))
    return seen


def how_torn(number: np.ndarray, masks: np.ndarray) -> str:
    """Which games are, and in which way, if all draws do it in one."""
    parts = {int(game): np.diff(masks[:, number == game]).sum(1) for game in np.unique(number)}
    torn = [game for game, cuts in parts.items() if cuts.any()]
    if torn and (masks == masks[0]).all() and np.diff(masks[0]).sum() == 1:
        return f"game {torn[0]}, by a cut at one place"
    long = [cuts for game, cuts in parts.items() if (number == game).sum() > 5]
    if long and np.all(np.array(long) == 1):
        return "all long ones in two"
    return f"games {show(torn)}" if torn else "none"


def how_many(held: np.ndarray, sizes: np.ndarray, share: float, positions: np.ndarray):
    """The number of games held out; if it is not always the same, in which way it changes."""
    (least, *_, most), num = sorted(held.sum(1).tolist()), len(sizes)
    if least == most:
        return {0: "none", num: "all"}.get(most, most)
    wanted, last = share * sizes.sum(), (held * sizes).max(1)
    full = (positions <= wanted).all() or (
        (positions >= wanted) & (positions - last < wanted)
    ).all()
    reasons = {
        "so that the positions fit": full,
        "never more": least > 0 and most == min(max(1, round(share * num)), num - 1),
        f"about {share * num:.1f}": abs(held.sum(1).mean() - share * num) < 0.4,
    }
    return ", ".join([f"{least} to {most}", *(why for why, holds in reasons.items() if holds)][:2])


def how_often(shares: np.ndarray):
    """The games' shares of the draws, if they are not as good as equal."""
    if np.abs(shares - shares.mean()).max() < CLOSE:
        return "all alike"
    if set(shares) == {0, 1}:
        one_end = np.abs(np.diff(shares)).sum() == 1
        return f"always games {np.flatnonzero(shares).tolist()}{', at one end' * bool(one_end)}"
    never = f"never game {np.argmin(shares)}: {show(shares.round(2))}"
    return About(shares, CLOSE) if shares.all() else never
