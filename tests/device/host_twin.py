"""The host's self-play with the device's dice: what a ``DeviceSelfPlay`` must do, move by move."""

from itertools import islice

import numpy as np
import torch

from azlearn.learning.device import hashed_draws as draws
from azlearn.search import BatchedPUCT
from tests.learning.readable_self_play import GameUnderWay, ReadableSelfPlay, Record


class Lockstep(BatchedPUCT):
    """The host's engine, whose games wait for each other before they move; plain Python, which is
    faster than compiling for few games."""

    @property
    def idle(self):
        idle = super().idle
        return idle if len(idle) == self.num_games else idle[:0]


class HostTwin(ReadableSelfPlay):
    """Trees, moves, results, resignation, samples and counts as on the host, in lockstep."""

    def __init__(self, settings, openings, rank=0, world_size=1) -> None:
        self._openings = [column.tolist() for column in openings]
        self._seed = settings.seed
        engine = Lockstep(
            settings.make_game(), settings.num_games, settings.simulations, settings.plan(),
            noise_fraction=settings.noise_fraction, compiled=False,
        )  # fmt: skip
        super().__init__(settings, rank, world_size, engine=engine)

    def _noise(self, legal_mask, number, ply):
        legal, place = (
            torch.from_numpy(legal_mask)[None],
            (torch.tensor([number]), torch.tensor([ply])),
        )
        if self._engine.plan.mixes_noise:
            return draws.dirichlet(self.settings.noise_total, legal, self._seed, *place)[0].numpy()
        return draws.gumbel(legal, self._seed, *place)[0].numpy()

    def _drawn(self, policy, number, ply):
        u = float(draws.uniform(self._seed, draws.MOVE, torch.tensor(number), torch.tensor(ply)))
        shares = np.cumsum(policy)
        return int(np.argmax(shares > u * shares[-1]))

    def _new_game(self):
        number = self.next_number
        self.next_number += self.world_size
        states, plies = self._openings
        u = float(draws.uniform(self._seed, draws.START, torch.tensor(number)))
        which = int(u * len(plies))
        return GameUnderWay(number, self.game.state_of(states[which]), plies[which])

    def state_dict(self):
        """As ``SelfPlay.state_dict``."""
        records = [record for game in self.games for record in game.records]
        state, policy, root_value, proven, surprise = (
            zip(*records, strict=True) if records else [()] * 5
        )
        words, num_actions = len(self.game.State._fields), self.game.num_actions
        whole, real = torch.int64, torch.float64
        return {
            "games.state": torch.tensor([game.state for game in self.games], dtype=whole),
            "games.number": torch.tensor([game.number for game in self.games]),
            "games.ply": torch.tensor([game.ply for game in self.games]),
            "games.num_records": torch.tensor([len(game.records) for game in self.games]),
            "records.state": torch.tensor(state, dtype=whole).reshape(-1, words),
            "records.policy": torch.tensor(np.array(policy, np.float32)).reshape(-1, num_actions),
            "records.root_value": torch.tensor(root_value, dtype=real),
            "records.proven": torch.tensor(proven).bool(),
            "records.surprise": torch.tensor(surprise, dtype=real),
            "resignation.lowest": torch.tensor(self.resignation.lowest, dtype=real),
            "next_number": self.next_number,
            "threshold": self.resignation.threshold,
        }

    def load_state_dict(self, state):
        """As ``SelfPlay.load_state_dict``."""
        names = ("state", "policy", "root_value", "proven", "surprise")
        columns = zip(*(state[f"records.{name}"] for name in names), strict=True)
        records = (
            Record(
                self.game.state_of(words),
                policy.numpy().copy(),
                float(value),
                bool(proven),
                float(found),
            )
            for words, policy, value, proven, found in columns
        )
        columns = (state[f"games.{name}"] for name in ("number", "state", "ply", "num_records"))
        known = [
            GameUnderWay(
                int(number), self.game.state_of(words), int(ply), list(islice(records, count))
            )
            for number, words, ply, count in zip(*columns, strict=True)
        ]
        self.next_number = state["next_number"]
        self.games = [known.pop(0) if known else self._new_game() for _ in self.games]
        self.resignation.threshold = state["threshold"]
        self.resignation.lowest.extend(state["resignation.lowest"].tolist())
