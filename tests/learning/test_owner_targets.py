"""Who owns each point at the end of a game, as something to learn."""

import numpy as np
import pytest
import torch

from azlearn.games import Go
from azlearn.learning import Budget, Hooks, ResNet, Training, load_network
from azlearn.learning.loss import loss
from azlearn.learning.settings import TrainSettings, preset
from tests.learning.self_played import plain_python

__all__ = ["plain_python"]
pytestmark = pytest.mark.usefixtures("plain_python")

SMALL = preset("go:3", "cpu").with_changes({
    "network": "tiny", "num_games": 8, "simulations": 4, "first_simulations": 4,
    "moves_per_iteration": 150, "first_window": 100, "window": 3_000, "ownership_weight": 1.0,
    "precision": "float32", "value_target_mix": 0.0, "snapshots_per_doubling": 0,
})  # fmt: skip


def trained(folder, settings=SMALL, iterations=3):
    rows = []
    training = Training(settings, Budget(iterations=iterations), folder, hooks=Hooks(rows.append))
    training.run()
    return training, rows


def test_the_targets_are_the_areas_of_the_last_position(tmp_path):
    """Point by point, counted by hand: a stone is its owner's, an empty point theirs who reach it.

    With its sum, less komi, the sign of z: so nobody's view is mixed up.
    """
    training, _ = trained(tmp_path)
    game = training.game
    batch = training.worker.batch()
    assert batch.owner_target.shape == (SMALL.batch_size, 3, 3)
    assert set(batch.owner_target.unique().tolist()) <= {-1.0, 0.0, 1.0}
    assert batch.planes.shape[1] == game.num_planes
    black = batch.planes[:, -1, 0, 0].bool()  # Black moves
    lead = batch.owner_target.sum((1, 2))
    wins = torch.where(black, lead > game.komi, lead > -game.komi)
    assert torch.equal(wins, batch.value_target > 0)
    assert len(wins.unique()) == 2

    known = {}
    for words in training.replay.state_dict()["words"]:
        state, end = (game.state_of(part) for part in words.split(len(game.State._fields)))
        owners = owners_by_hand(game, end) * (1 - 2 * game.to_play(state))
        for planes, turned in game.symmetries(game.encode(state), np.append(owners, 0)):
            known.setdefault(np.ascontiguousarray(planes).tobytes(), set()).add(tuple(turned[:9]))
    for planes, owners in zip(batch.planes, batch.owner_target, strict=True):
        found = tuple(owners.flatten().tolist())
        assert found in known[planes.contiguous().numpy().tobytes()]


def owners_by_hand(game, end) -> np.ndarray:
    """+1 Black's, -1 White's, point by point."""
    stones = np.array(game.cells(end)).reshape(3, 3)
    owners = np.zeros((3, 3))
    for point in np.ndindex(3, 3):
        seen, todo, colours = {point}, [point], set()
        while todo:
            row, col = todo.pop()
            if stones[row, col]:
                colours.add(stones[row, col])
                continue
            near = ((row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1))
            new = {(r, c) for r, c in near if r in range(3) and c in range(3)} - seen
            seen |= new
            todo += new
        if len(colours) == 1:
            owners[point] = 1 if colours == {1} else -1
    return owners.ravel()


def test_it_is_learnt_and_kept(tmp_path):
    training, rows = trained(tmp_path, iterations=8)
    learnt = [row["owner_loss"] for row in rows if "owner_loss" in row]
    assert learnt[-1] < learnt[0] - 0.1
    loaded = load_network(tmp_path).network
    planes = training.worker.batch().planes
    logits, value, owners = loaded.with_owners(planes)
    assert owners.shape == (SMALL.batch_size, 3, 3)
    for one, other in zip(loaded(planes), (logits, value), strict=True):
        assert torch.equal(one, other)
    resumed = Training.resumed(tmp_path, Budget(iterations=9))
    words = training.replay.contents().words
    assert words.shape[1] == 2 * len(training.game.State._fields)
    assert torch.equal(resumed.replay.contents().words, words)
    assert resumed.run().iteration == 9


def test_the_loss_by_hand():
    """Two points differ by 1 and by 2: (1 + 4) / 9 of a board of nine, times the weight."""

    class Known(torch.nn.Module):
        def with_owners(self, planes):
            owners = torch.zeros(1, 3, 3)
            owners[0, 0, 0], owners[0, 2, 1] = 1.0, -1.0
            return torch.zeros(1, 10), torch.zeros(1), owners

    target = torch.zeros(1, 3, 3)
    target[0, 2, 1] = 1.0
    legal = torch.ones(1, 10, dtype=torch.bool)
    pi = torch.full((1, 10), 0.1)
    parts = loss(Known(), torch.zeros(1, 17, 3, 3), legal, pi, torch.zeros(1), 0.0, target, 1.5)
    assert float(parts.owners) == pytest.approx(1.5 * 5 / 9)
    assert float(parts.total) == pytest.approx(1.5 * 5 / 9 + np.log(10))


def test_other_weights_begin_as_without():
    torch.manual_seed(0)
    plain = ResNet(Go(3), channels=4, blocks=1)
    torch.manual_seed(0)
    other = ResNet(Go(3), channels=4, blocks=1, owners=True)
    for name, weight in plain.state_dict().items():
        assert torch.equal(weight, other.state_dict()[name])
    with pytest.raises(ValueError, match="no head for owners"):
        plain.with_owners(torch.zeros(1, 17, 3, 3))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "connect4", "ownership_weight": 1.0}, "ownership_weight must be 0 in connect4"),
        ({"game": "go5", "ownership_weight": 1.0, "resign_rate": 0.05}, "needs resign_rate=0"),
        ({"game": "go5", "ownership_weight": -1.0}, "ownership_weight must be 0 or more"),
    ],
)
def test_impossible_settings_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        TrainSettings().with_changes(changes)
