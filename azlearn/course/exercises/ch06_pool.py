"""Chapter 6, the pool (6.5): copies of earlier versions, p_σ among them, drawn alike.

The network of the check is a single weight that a step of learning makes larger by 1, so a version
is known by it: the number of steps that it has learnt.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, Case, Fault, as_list, compare, show
from azlearn.course.sections import explained_for

# steps, every; the versions in the pool afterwards
_CASES = ((7, 3, (0, 3, 6)), (4, 2, (0, 2, 4)), (2, 5, (0,)), (3, 1, (0, 1, 2, 3)))
_LONG = (8000, 2000)  # while the pool has 1, 2, 3 and 4 versions 2,000 opponents each are drawn
_CLOSE = 0.05  # of a share; 2,000 draws come within a third of it


def new_network():
    """A torch module of one weight, 0."""
    import torch

    network = torch.nn.Linear(1, 1, bias=False)
    network.weight.data.zero_()
    return network.requires_grad_(False)


def version(network: Any) -> int | None:
    """The steps that it has learnt; None for what is no such network."""
    weight = getattr(network, "weight", None)
    return None if weight is None else round(float(weight))


class Diary:
    """A step of learning that notes whom it was called with.

    Attributes:
        opponents: the version of each opponent, step by step.
        others: the steps at which another network than `learner` was to learn.
        itself: the steps at which the opponent was the network that learns, no copy of it.
    """

    def __init__(self, learner: Any) -> None:
        self.learner = learner
        self.opponents: list[int | None] = []
        self.others: list[int] = []
        self.itself: list[int] = []

    def __call__(self, network: Any, opponent: Any) -> None:
        step = len(self.opponents)
        self.opponents.append(version(opponent))
        if network is not self.learner:
            self.others.append(step)
        if opponent is network:
            self.itself.append(step)
        network.weight += 1


def cases() -> list[Case]:
    """Arguments: steps, every; right: the versions in the pool."""
    return [
        Case(f"{steps} steps, every = {every}", (steps, every), list(versions))
        for steps, every, versions in _CASES
    ]


_GOT = "after {case}, the pool should hold the versions {right}; yours holds {yours}. "
_ALIAS = (
    "Your pool holds the *same* network several times, and it goes on learning: every “earlier "
    "version” is the newest. Put a copy in, `copy.deepcopy(network)`."
)
_FAULTS = (
    Fault("references instead of copies",
          lambda steps, every: [steps] * (1 + steps // every), _GOT + _ALIAS),
    Fault("references instead of copies",
          lambda steps, every: [0] + [steps] * (steps // every), _GOT + _ALIAS),
    Fault("p_σ is not in the pool",
          lambda steps, every: [*range(every, steps + 1, every)],
          _GOT + "p_σ, the network before the first step, belongs to the pool, and stays in it: it "
          "keeps the learner from unlearning what it knew."),
    Fault("only the newest version stays",
          lambda steps, every: [steps // every * every],
          _GOT + "Nobody leaves the pool. Against a single opponent the learner finds what beats "
          "that one, and forgets the rest."),
    Fault("a version at every step",
          lambda steps, every: [*range(steps + 1)],
          _GOT + "The network joins after every `every` steps only. Neighbours in time are nearly "
          "the same opponent."),
    Fault("the version before the step",
          lambda steps, every: [0, *(k - 1 for k in range(every, steps + 1, every))],
          _GOT + "First learn, then copy: after `every` steps the network has learnt `every` times."),
    Fault("the last version is missing",
          lambda steps, every: [0, *range(every, steps, every)],
          _GOT + "A version is due after the last step, too, if that is a multiple of `every`. Do you "
          "look for what is due at the beginning of the next step?"),
    Fault("steps counted from 0",
          lambda steps, every: [0, *(k + 1 for k in range(0, steps, every))],
          _GOT + "The first step is number 1: after it no copy is due, unless `every` is 1."),
    Fault("steps counted from 0",
          lambda steps, every: [0, *range(0, steps, every)],
          _GOT + "p_σ is in the pool already. The first step is number 1, and nothing is due "
          "before it."),
)  # fmt: skip

Chances = Callable[[int], np.ndarray]  # pool size -> a share for each version, the oldest first


def _alike(size: int) -> np.ndarray:
    """The right one."""
    return np.full(size, 1 / size)


def _one(place: int) -> Chances:
    return lambda size: np.eye(size)[place]


def _without(place: int) -> Chances:
    def chances(size: int) -> np.ndarray:
        shares = np.ones(size)
        shares[place] = size == 1
        return shares / shares.sum()

    return chances


def _rising(size: int) -> np.ndarray:
    return np.arange(1, size + 1) / np.arange(1, size + 1).sum()


_DRAW_FAULTS: tuple[tuple[str, Chances, str], ...] = (
    (
        "always the newest version",
        _one(-1),
        "The others are kept for nothing. Whoever plays the newest alone runs in circles: it finds "
        "what beats that one, and loses what beat the others.",
    ),
    (
        "always p_σ",
        _one(0),
        "The learner finds what beats p_σ, and that may be worth nothing against anybody else.",
    ),
    ("p_σ is never drawn", _without(0), "The first version in the pool is as likely as any other."),
    (
        "the newest version is never drawn",
        _without(-1),
        "`rng.integers(n)` gives 0 to n − 1 already.",
    ),
    ("the newer, the likelier", _rising, "Every version in the pool is as likely as every other."),
)


@explained_for("6.5")
def check_pool(call: Call) -> str:
    given = []
    for case in cases():
        pool, diary = _run(call, *case.arguments, np.random.default_rng(0), case.shown)
        _check_learner(diary, case)
        given.append(pool)
    compare(cases(), given, _FAULTS)
    _check_generator(call)
    _compare_draws(call)
    return "Copies that no longer learn, the first of them p_σ, and each as likely as the others."


def _run(call: Call, steps: int, every: int, rng: np.random.Generator, shown: str):
    network = new_network()
    diary = Diary(network)
    value = call(network, steps, every, diary, rng, shown=shown)
    pool = as_list(value)
    versions = None if pool is None else [version(member) for member in pool]
    if versions is None or None in versions:
        raise Wrong(
            "not a list of networks",
            f"With {shown}, the pool is asked for: a list of networks. You gave {show(value):.80}.",
        )
    return versions, diary


def _check_learner(diary: Diary, case: Case) -> None:
    steps = case.arguments[0]
    if len(diary.opponents) != steps:
        raise Wrong(
            "not as many steps as asked",
            f"With {case.shown}, `learn` was called {len(diary.opponents)} times. It is called once "
            "a step.",
        )
    if diary.others:
        raise Wrong(
            "another network learns",
            f"With {case.shown}, `learn` was called for another network than the one given (step "
            f"{diary.others[0] + 1}). `learn(network, opponent)`: the network that you were given "
            "learns, the members of the pool stay as they are.",
        )


def _check_generator(call: Call) -> None:
    """The same generator, seeded alike, draws the same opponents; and not always the same."""
    steps, every = 30, 1
    shown = f"{steps} steps, every = {every}"
    one, two, three = (
        _run(call, steps, every, np.random.default_rng(seed), shown)[1].opponents
        for seed in (5, 5, 6)
    )
    if one != two:
        raise Wrong(
            "another generator than the one given",
            f"With {shown}, two generators with the same seed drew the opponents {show(one[:12])} … "
            f"and {show(two[:12])} …. Draw from `rng`, or no run can be repeated.",
        )
    is_random = any(drawn not in (0, step) for step, drawn in enumerate(one))
    if one == three and is_random:
        raise Wrong(
            "the same draw every time",
            f"With {shown}, generators with different seeds both drew the opponents "
            f"{show(one[:12])} …. Draw from `rng`.",
        )


def _compare_draws(call: Call) -> None:
    steps, every = _LONG
    shown = f"{steps:,} steps, every = {every:,}"
    diary = _run(call, steps, every, np.random.default_rng(0), shown)[1]
    found = []
    for size in range(1, steps // every + 1):
        drawn = diary.opponents[(size - 1) * every : size * every]
        found.append(np.array([drawn.count(k * every) for k in range(size)]) / every)

    def off(chances: Chances) -> list[float]:
        return [
            float(np.abs(chances(size) - shares).max())
            for size, shares in enumerate(found, start=1)
        ]

    if max(off(_alike)) < _CLOSE:
        return
    if diary.itself:
        raise Wrong(
            "the opponent is the network that learns",
            f"With {shown}, the opponent was the learning network itself in {len(diary.itself):,} "
            "steps, not a member of the pool. Draw from the pool: `pool[rng.integers(len(pool))]`.",
        )
    size = 1 + int(np.argmax(off(_alike)))
    name, message = UNRECOGNISED, ""
    for fault, chances, said in _DRAW_FAULTS:
        if max(off(chances)) < _CLOSE:
            name, message = fault, said
    shares = show(found[size - 1].round(2))
    raise Wrong(
        name,
        f"With {shown}, while the pool held {size} versions they were drawn with the shares "
        f"{shares}, the oldest first; each should have {1 / size:.2f}. {message}".rstrip(),
        [(f"shares of {every:,} draws", _alike(size).round(3), found[size - 1].round(3))],
    )


EXERCISES = (
    Exercise(
        id="6.5",
        title="A pool of earlier versions",
        minutes=12,
        difficulty=2,
        function="learn_against_pool(network, steps, every, learn, rng)",
        check=check_pool,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _FAULTS),
            *(name for name, _, _ in _DRAW_FAULTS),
            "not a list of networks",
            "not as many steps as asked",
            "another network learns",
            "another generator than the one given",
            "the same draw every time",
            "the opponent is the network that learns",
        ),
        hints=(
            "`learn` changes the network's weights in place. What must happen to a version before "
            "it goes into the pool, so that it stays what it was? And who is in it at step 1?",
            "`pool = [copy.deepcopy(network)]` before the first step; "
            "`opponent = pool[rng.integers(len(pool))]` in every step.",
            "In near-code:\n\n"
            "    pool = [a copy of network]\n"
            "    for step 1, 2, … steps:\n"
            "        opponent = a random member of the pool, all alike\n"
            "        learn(network, opponent)\n"
            "        if step is a multiple of every: a copy of network joins the pool\n"
            "    return pool",
        ),
    ),
)
