"""A run goes on with another number of processes: every game and every position goes somewhere."""

from collections import Counter
from itertools import chain

import pytest
import torch

from azlearn.learning import ReplayBuffer
from azlearn.learning.replay import Samples
from azlearn.learning.reshard import resharded
from azlearn.learning.self_play import SelfPlay
from tests.engines import evaluators
from tests.learning.tiny_runs import SETTINGS

GAME = SETTINGS.make_game()


def states_of(world_size, moves=60):
    """What the ranks of a run have once the window slides; every position's z is its own number."""
    states = []
    for rank in range(world_size):
        play = SelfPlay(SETTINGS, rank, world_size, compiled=False)
        _, batch = evaluators(GAME, "hash")
        samples, _ = play.play(batch, moves + 7 * rank)
        marks = torch.arange(len(samples.words)) / 10_000 + rank / 10
        replay = ReplayBuffer(GAME, len(marks))
        replay.add(samples)
        replay.add(samples._replace(value_target=marks))  # in place of those
        play.resignation.lowest.extend([-0.1 * rank, 0.3])
        state = {f"replay.{name}": part for name, part in replay.state_dict().items()}
        states.append(state | play.state_dict())
    return states


def gone_on(states, world_size, window=1000):
    return [resharded(states, rank, world_size, window) for rank in range(world_size)]


def games_of(state):
    """(number, state, ply, its records) of every game."""
    counts = state["games.num_records"].tolist()
    columns = [state[f"records.{n}"].split(counts) for n in ("state", "policy", "root_value")]
    records = [str([part.tolist() for part in parts]) for parts in zip(*columns, strict=True)]
    head = [state[f"games.{name}"].tolist() for name in ("number", "state", "ply")]
    return Counter(map(str, zip(*head, records, strict=True)))


def assert_full(state, window=1000):
    """A replay buffer with this state contains its positions, and nothing else."""
    replay = ReplayBuffer(GAME, window)
    replay.load_state_dict({name: state[f"replay.{name}"] for name in replay.state_dict()})
    assert len(replay) == len(state["replay.words"]) > 0
    for name, found in replay.contents()._asdict().items():
        assert torch.equal(found, state[f"replay.{name}"])


def numbers_of(states, name):
    return sorted(chain(*(state[name].tolist() for state in states)))


@pytest.mark.parametrize(("before", "after"), [(2, 1), (1, 3), (3, 2)])
def test_every_game_and_every_position_goes_to_one_rank_and_no_number_comes_twice(before, after):
    states = states_of(before)
    new = gone_on(states, after)
    assert sum(map(games_of, new), Counter()) == sum(map(games_of, states), Counter())
    marks = numbers_of(states, "replay.value_target")
    assert numbers_of(new, "replay.value_target") == marks
    assert len(set(marks)) == len(marks)
    assert numbers_of(new, "resignation.lowest") == numbers_of(states, "resignation.lowest")
    lengths = [len(state["replay.words"]) for state in new]
    assert max(lengths) - min(lengths) <= 1
    for state in new:
        assert_full(state)

    started, plays = numbers_of(states, "games.number"), []
    for rank, state in enumerate(new):
        play = SelfPlay(SETTINGS, rank, after, compiled=False)
        play.load_state_dict(state)
        assert len(play.games.number) >= SETTINGS.num_games  # all slots are played in
        plays.append(play)
        other = SelfPlay(SETTINGS, rank, after, compiled=False)
        other.load_state_dict(play.state_dict())  # a checkpoint of these
        assert other.games.number.tolist() == play.games.number.tolist()
    under_way = [n for play in plays for n in play.games.number.tolist()]
    assert {*started} <= {*under_way}
    assert min({*under_way} - {*started}, default=10**9) > max(started)
    _, batch = evaluators(GAME, "hash")
    for play in plays:
        play.play(batch, 400)
    for numbers in (under_way, [n for play in plays for n in play.games.number.tolist()]):
        assert len({*numbers}) == len(numbers)


def test_the_newest_positions_stay_in_their_order():
    states = []
    for rank in range(2):
        marks = torch.arange(5) / 10 + rank / 100
        words, policies = torch.zeros(5, 2, dtype=torch.int64), torch.eye(9)[:5]
        state = Samples(words, policies, marks)._asdict()
        state = {f"replay.{name}": part for name, part in state.items()}
        states.append(states_of(1)[0] | state | {"replay.num_added": 50})
    (one,) = gone_on(states, 1, window=6)
    marks = [round(float(mark), 2) for mark in one["replay.value_target"]]
    assert marks == [0.2, 0.21, 0.3, 0.31, 0.4, 0.41]
    assert_full(one, window=6)
