"""The base class of games in which players place stones and a line of stones wins."""

from functools import cached_property

from azlearn.games.game import State
from azlearn.games.rules_game import RulesGame


class LineGame(RulesGame):
    """A line of ``rules.CONNECT`` stones wins; a full board is a draw. A state is two bitboards."""

    def to_play(self, state: State) -> int:
        """0 if the first player is to move, 1 if the second is: the parity of the stones."""
        return (state.me | state.opp).bit_count() & 1

    def num_plies(self, state: State) -> int:
        """The number of stones."""
        return (state.me | state.opp).bit_count()

    def cell(self, state: State, action: int) -> int:
        """The cell that a legal ``action`` fills: ``row * cols + col``, with row 0 at the top."""
        stone = int(self.rules.stone(state.me | state.opp, action))
        return self._cell_of_bit[stone.bit_length() - 1]

    def highlights(self, state: State) -> list[int]:
        """The cells of a completed line, or an empty list."""
        for stones in state:
            for step in self.rules.DIRECTIONS:
                line = int(stones)
                for i in range(1, self.rules.CONNECT):
                    line &= stones >> (i * step)
                if line:
                    start = line.bit_length() - 1
                    return [self._cell_of_bit[start + i * step] for i in range(self.rules.CONNECT)]
        return []

    @cached_property
    def _cell_of_bit(self) -> dict[int, int]:
        return {int(bit): cell for cell, bit in enumerate(self.cell_bits.ravel())}
