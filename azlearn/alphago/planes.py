"""The input planes of networks: the raw board, or features that an expert would notice.

AlphaGo's networks had 48 planes (Silver et al. 2016, Extended Data Table 2). With all of them its
policy network predicted 57.0% of the expert's moves; with only the stones and the move history it
predicted 55.7% ("Supervised learning of policy networks"). These are the planes for Connect Four:

| plane | content                                                     | AlphaGo's counterpart     |
|-------|-------------------------------------------------------------|---------------------------|
| 0, 1  | stones of the player to move, of the opponent               | stone color               |
| 2     | empty cells                                                 | stone color               |
| 3     | ones, to distinguish the board from a convolution's padding | ones                      |
| 4     | where the next stone of every column lands                  | sensibleness, as legality |
| 5, 6  | empty cells that complete four: for me, for the opponent    | capture, self-atari size  |
| 7, 8  | those of them that can be played now: win, or block         | ladder capture, escape    |
| 9     | odd rows: 1, 3 and 5, counted from the bottom               | none                      |
| 10    | ones if the first player is to move                         | player color              |

Planes 9 and 10 together show zugzwang: if all columns but one are full, the first player gets the
odd cells of that column (Allis 1988). AlphaGo showed the player's color only to its value network.
A position does not contain its history, so "turns since" has no counterpart. Stones are never
captured, so "liberties" has none either.
"""

import numpy as np

from azlearn.alphago.pattern_bits import BOTTOM, winning_cells
from azlearn.games import ConnectFour, Go, State
from azlearn.games.bits import parity
from azlearn.games.connect_four_rules import FULL

ODD_ROWS = 0b010101 * BOTTOM  # bits 0, 2 and 4 of every column


class AllPlanes(ConnectFour):
    """Connect Four with the eleven planes of the table above: float32 [11, rows, cols].

    Use it as the game of networks, ``NetworkEvaluator`` and ``augment``. Players need
    ``ConnectFour()``, because ``play_match`` only accepts players whose games are equal; a search
    needs no planes.
    """

    num_planes = 11

    def plane_boards(self, state: State) -> tuple:
        """Returns one bitboard for each plane of the table above."""
        me, opp = state
        occ = me | opp
        ones = occ - occ + FULL
        playable = (occ + BOTTOM) & FULL
        mine, theirs = winning_cells(me, occ), winning_cells(opp, occ)
        return (
            me,
            opp,
            ones & ~occ,
            ones,
            playable,
            mine,
            theirs,
            mine & playable,
            theirs & playable,
            ones & ODD_ROWS,
            ones * (1 - parity(occ)),
        )


class GoPlanes(Go):
    """Go with a small version of AlphaGo's planes: float32 [21 + history, size, size].

    | planes | content                                                    | AlphaGo's counterpart  |
    |--------|------------------------------------------------------------|------------------------|
    | 0-2    | stones of the player to move, of the other; empty points   | stone color            |
    | 3      | ones                                                       | ones                   |
    | 4-10   | stones that were placed 1, 2, …, 7 moves ago               | turns since (8 planes) |
    | 11-14  | stones whose group has 1, 2, 3, 4 or more liberties        | liberties (8)          |
    | 15-18  | moves that capture 1, 2, 3, 4 or more stones               | capture size (8)       |
    | 19-22  | moves that put 1, 2, 3, 4 or more own stones in atari      | self-atari size (8)    |
    | 23-26  | moves whose group then has 1, 2, 3, 4 or more liberties    | liberties after (8)    |
    | 27     | legal moves that do not fill an own eye                    | sensibleness           |
    | 28     | ones if Black is to move                                   | player color           |

    AlphaGo's ladder planes and its plane of zeros are left out. With a shorter ``history`` there
    are fewer planes of turns. The planes are always computed on the CPU, wherever the positions
    are, so they cannot be part of a CUDA graph.

    Args, Raises:
        as for ``Go``.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "num_planes", 21 + self.history)

    def bit_planes(self, state, like) -> list:
        """Returns the planes of the table above."""
        from azlearn.alphago.go_features import go_features  # numba takes a second to load

        history = super().bit_planes(state, like)
        legal = self.batch_legal_mask(self.State(*(word.reshape(-1) for word in state)))
        if isinstance(legal, np.ndarray):
            planes = go_features(np.stack(history, axis=-3), legal)
            return list(np.moveaxis(planes, -3, 0))
        import torch  # the input is a tensor, so torch is loaded already

        planes = go_features(torch.stack(history, dim=-3).cpu().numpy(), legal.cpu().numpy())
        return list(torch.from_numpy(planes).to(legal.device).unbind(-3))


# For each name of planes, the game whose ``encode`` makes them; "raw" has only the stones.
PLANES = {"raw": ConnectFour, "all": AllPlanes}
