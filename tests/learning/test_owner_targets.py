"""Who owns each point at the end of a game, as something to learn."""

import numpy as np
import torch

from azlearn.games import Go
from azlearn.learning import Budget, Hooks, Training, load_network, preset

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


def test_a_batch_keeps_each_sample_together_with_the_areas_of_its_last_position(tmp_path):
    """Every row is a mirror image of one sample, with its π, mask, z and owners.

    Owners are counted by hand: a stone is its owner's, an empty point theirs who reach it. Their
    sum, less komi, has the sign of z: so nobody's view is mixed up.
    """
    training, _ = trained(tmp_path)
    game, batch, known = training.game, training.worker.batch(), {}
    assert batch.planes.shape == (SMALL.batch_size, game.num_planes, 3, 3)
    assert batch.legal_mask.dtype == torch.bool
    black = batch.planes[:, -1, 0, 0].bool()  # Black moves
    lead = batch.owner_target.sum((1, 2))
    wins = torch.where(black, lead > game.komi, lead > -game.komi)
    assert torch.equal(wins, batch.value_target > 0)
    assert len(wins.unique()) == 2

    for words, pi, z in zip(*training.replay.contents(), strict=True):
        state, end = (game.state_of(part) for part in words.split(len(game.State._fields)))
        owners = owners_by_hand(game, end) * (1 - 2 * game.to_play(state))
        rows = np.stack([pi, game.legal_mask(state), [*owners, 0]]).astype(np.float32)
        for planes, moved in game.symmetries(game.encode(state), rows):
            known.setdefault(planes.tobytes(), []).append((*moved.flatten().tolist(), float(z)))
    parts = (batch.policy_target, batch.legal_mask, batch.owner_target.flatten(1))
    columns = [*parts, torch.zeros(len(lead), 1), batch.value_target[:, None]]
    rows = torch.cat([column.float() for column in columns], 1)
    for planes, row in zip(batch.planes, rows.tolist(), strict=True):
        assert tuple(row) in known[planes.contiguous().numpy().tobytes()]


def owners_by_hand(game, end) -> np.ndarray:
    """+1 Black's, -1 White's, point by point."""
    stones = np.array(game.cells(end)).reshape(3, 3)
    owners = np.zeros((3, 3))
    for point in np.ndindex(3, 3):
        seen, todo, colors = {point}, [point], set()
        while todo:
            row, col = todo.pop()
            if stones[row, col]:
                colors.add(stones[row, col])
                continue
            near = ((row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1))
            new = {(r, c) for r, c in near if r in range(3) and c in range(3)} - seen
            seen |= new
            todo += new
        if len(colors) == 1:
            owners[point] = 1 if colors == {1} else -1
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


def test_the_preset_of_9x9_for_a_gpu_starts_and_learns(tmp_path):
    """Two games that end, searched little, with a tiny network; the rest as it is."""
    changes = {
        "network": "tiny", "precision": "float32", "num_games": 2, "simulations": 2,
        "first_simulations": 2, "random_opening_fraction": 1.0, "opening_plies": 155,
        "moves_per_iteration": 164, "batch_size": 16, "first_window": 20, "window": 1000,
    }  # fmt: skip
    training, rows = trained(tmp_path, preset("go9", "gpu").with_changes(changes), iterations=2)
    assert rows[-1]["steps"] >= 1
    assert {"value_loss", "policy_loss", "owner_loss"} <= set(rows[-1])
    assert load_network(tmp_path).game == training.game == Go(9)
