"""`azlearn play`: a game in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional, arg

from azlearn.cli.output import CommandError

if TYPE_CHECKING:
    from azlearn.arena import Player
    from azlearn.games import State
    from azlearn.games.bitboard import BitboardGame

_HELP = "a number plays there; u takes your last move back; ? shows what it is thinking; q leaves"
_STONES = (".", "[bold red]●[/]", "[bold yellow]■[/]")


def play(
    player: Annotated[Positional[str], arg(metavar="PLAYER")] = "connect4",
    simulations: Annotated[int | None, arg(metavar="N")] = None,
    game: Annotated[Literal["connect4", "tictactoe"] | None, arg(metavar="GAME")] = None,
    you: Literal["first", "second"] = "first",
    seed: int = 0,
) -> int:
    """Play against a trained network, or any other player, in the terminal.

    Args:
        player: as in `azlearn evaluate`: connect4, tictactoe, a run's folder, "uct@1000", …
        simulations: simulations a move; 0: the network alone.
        game: for players that play both; the network's own if not given.
        you: which side you play.
        seed: of the opponent's own draws.
    """
    import numpy as np

    from azlearn import arena
    from azlearn.learning.settings import GAMES

    try:
        opponent = arena.find_player(player, game and GAMES[game](), simulations)
    except (ValueError, OSError) as error:
        raise CommandError(str(error)) from error
    return _Game(opponent, 0 if you == "first" else 1, np.random.default_rng(seed)).play()


class _Game:
    """The positions so far, and who sits where."""

    def __init__(self, opponent: Player, your_side: int, rng) -> None:
        from rich.console import Console

        self.opponent, self.your_side, self.rng = opponent, your_side, rng
        self.game: BitboardGame = opponent.game
        self.states: list[State] = [self.game.initial_state()]
        self.console = Console(highlight=False)

    def play(self) -> int:
        self.console.print(f"You play {_STONES[1 + self.your_side]} against {self.opponent.name}.")
        self.console.print(f"[dim]{_HELP}[/]")
        while self.game.outcome(self.states[-1]) is None:
            if self.game.to_play(self.states[-1]) != self.your_side:
                action = self.opponent.choose(self.states[-1], self.rng)
                self.console.print(f"It plays {self.game.action_label(action)}.")
                self.states.append(self.game.play(self.states[-1], action))
            elif not self._your_turn():
                return 0
        self._show()
        outcome = self.game.outcome(self.states[-1])  # for the player to move now
        yours = outcome if self.game.to_play(self.states[-1]) == self.your_side else -outcome
        self.console.print({1: "You win.", 0: "A draw.", -1: "It wins."}[yours])
        return 0

    def _your_turn(self) -> bool:
        """One answer of yours; False if you leave."""
        self._show()
        try:
            word = self.console.input("your move: ").strip().lower()
        except EOFError:
            return False
        if word in ("q", "quit"):
            return False
        if word == "u":
            self._take_back()
        elif word == "?":
            self._show_thoughts()
        else:
            self._your_move(word)
        return True

    def _your_move(self, word: str) -> None:
        labels = {self.game.action_label(a): a for a in self.game.legal_actions(self.states[-1])}
        if word in labels:
            self.states.append(self.game.play(self.states[-1], labels[word]))
        else:
            self.console.print(f"{word!r} is no move here: {', '.join(labels)}, or u, ?, q.")

    def _take_back(self) -> None:
        """To before your last move; nothing happens where there is none."""
        yours = [
            i for i, s in enumerate(self.states[:-1]) if self.game.to_play(s) == self.your_side
        ]
        del self.states[yours[-1] + 1 if yours else len(self.states) :]

    def _show_thoughts(self) -> None:
        tree = getattr(self.opponent, "last_tree", None)
        if tree is None:
            self.console.print("It has not searched yet, or does not search.")
            return
        label = self.game.action_label
        for action in sorted(tree.root.legal_actions, key=lambda a: -tree.root.visit_counts[a]):
            visits, q = tree.root.visit_counts[action], tree.root.q_values[action]
            self.console.print(f"  {label(action)}: {visits:5,} visits, Q {q:+.2f} for it")
        line = " ".join(map(label, tree.principal_variation()))
        self.console.print(f"  it expected {line}")

    def _show(self) -> None:
        cells, cols = self.game.cells(self.states[-1]), self.game.cols
        for row in range(self.game.rows):
            line = cells[row * cols : (row + 1) * cols]
            if self.game.num_actions == cols:  # a move is a column: its number stands below
                self.console.print("  " + " ".join(_STONES[cell] for cell in line))
            else:  # a move is a cell: the empty ones show their numbers
                self.console.print(
                    "  "
                    + " ".join(
                        _STONES[cell]
                        if cell
                        else f"[dim]{self.game.action_label(row * cols + col)}[/]"
                        for col, cell in enumerate(line)
                    )
                )
        if self.game.num_actions == cols:
            labels = (self.game.action_label(action) for action in range(cols))
            self.console.print("[dim]  " + " ".join(labels) + "[/]")
