"""`azlearn play`: a game in the terminal."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional, arg

from azlearn.cli.output import (
    Patience,
    begin,
    console,
    like_a_game,
    like_a_player,
    number,
    refused,
)

if TYPE_CHECKING:
    from azlearn.arena import Player
    from azlearn.games import Forfeit, State
    from azlearn.games.rules_game import RulesGame

_HELP = "u takes your last move back; ? shows what it was thinking; q leaves"
_STONES = (("●", "bold red"), ("■", "bold yellow"))  # of the first and the second player
_CROSSES = (("X", "bold"), ("O", "bold"))


def play(
    player: Annotated[Positional[str | None], arg(metavar="PLAYER")] = None,
    simulations: Annotated[int | None, arg(metavar="N")] = None,
    game: Annotated[str | None, arg(metavar="GAME")] = None,
    you: Literal["first", "second"] = "first",
    seed: int = 0,
    sgf: Annotated[Path | None, arg(metavar="FILE")] = None,
    patience: Patience = (),
) -> int:
    """Play against a trained network, or any other player, in the terminal.

    Args:
        player: as in `azlearn evaluate`: a run's folder, "uct@1000", …; if not given, the network
            that comes with the game, or uct where none does.
        simulations: simulations a move; 0: the network alone.
        game: as in `azlearn match`; if not given, the network's own, else connect4.
        you: which side you play.
        seed: of the opponent's own draws.
        sgf: a new file for the game, of Go, written when it ends or you leave.
        patience: seconds to wait for an answer of a GTP program, and for its first; if not given,
            120 and 900.
    """
    word = player or _usual(game)
    begin(f"{word}: loading …")

    import numpy as np

    from azlearn import arena
    from azlearn.games import Go
    from azlearn.games.named import find_game

    with refused(lambda: like_a_game(game), lambda: like_a_player(word)):
        waits = {"patience": patience} if patience else {}
        opponent = arena.find_player(word, game and find_game(game), simulations, **waits)
        if sgf and not isinstance(opponent.game, Go):
            raise ValueError(f"--sgf keeps a game of Go, and {word} plays {opponent.game.name}.")
        if sgf and sgf.exists():
            raise ValueError(f"{sgf} is there already: name a new file with --sgf.")
        table = _Game(opponent, 0 if you == "first" else 1, np.random.default_rng(seed))
        try:
            return table.play()
        finally:
            if sgf:
                table.save(sgf)


def _usual(game: str | None) -> str:
    """Who plays if nobody is named: the game's shipped network, or UCT where there is none."""
    name = game or "connect4"
    network = Path(__file__).parents[1] / "data" / name / "network.safetensors"
    return name if network.is_file() else "uct"


class _Game:
    """The positions so far, and who sits where."""

    def __init__(self, opponent: "Player", your_side: int, rng) -> None:
        self.opponent, self.your_side, self.rng = opponent, your_side, rng
        self.game: RulesGame = opponent.game
        self.states: list[State] = [self.game.initial_state()]
        self.actions: list[int] = []
        self.given_up = ""  # what the opponent said as it gave the game up
        drawing = self.game.drawing
        self.is_go_board = drawing.field == "crossings"
        own = tuple((mark, "bold") for mark in drawing.marks)
        crosses = drawing.marks[0] == "✕"
        self.marks = own if self.is_go_board else _CROSSES if crosses else _STONES
        self.console = console(highlight=False, soft_wrap=True)

    def play(self) -> int:
        from rich.text import Text

        from azlearn.viz.endings import margin, owners

        yours, theirs = self.marks[self.your_side], self.marks[1 - self.your_side]
        said = Text.assemble("You are ", yours, f", {self.opponent.name} is ", theirs, ".")
        self.console.print(said)
        labels = [self.game.action_label(a) for a in self.game.legal_actions(self.states[0])]
        how = "a number plays there" if labels[0] == "1" else f"moves are {_listed(labels)}"
        self.console.print(f"{how}; {_HELP}", style="dim")
        if self.is_go_board:
            self.console.print("Two passes end the game; what then stands is alive.", style="dim")
        while self.game.outcome(self.states[-1]) is None:
            is_yours = self.game.to_play(self.states[-1]) == self.your_side
            if not (self._your_turn() if is_yours else self._its_turn()):
                return 0
        self._show()
        outcome = self.game.outcome(self.states[-1])  # for the player to move now
        yours = outcome if self.game.to_play(self.states[-1]) == self.your_side else -outcome
        by = margin(self.game, self.states[-1])
        self.console.print({1: f"You win{by}.", 0: "A draw.", -1: f"It wins{by}."}[yours])
        if whose := owners(self.game, self.states[-1]):
            count = zip(self.game.drawing.players, map(whose.count, "12"), strict=True)
            komi = f" and {self.game.komi:g} of komi" if self.is_go_board else ""
            parts = ", ".join(f"{who} has {n}" for who, n in count)
            self.console.print(f"{parts}{komi}; {whose.count('0')} are nobody's.", style="dim")
        return 0

    def save(self, path: Path) -> None:
        """Writes the game so far as an SGF record."""
        from azlearn.arena.records import result_of
        from azlearn.games.go.records import to_sgf
        from azlearn.whole_file import write_where_told

        names = ["you", self.opponent.name][:: 1 if self.your_side == 0 else -1]
        result = result_of("BW"[self.your_side], self.given_up) if self.given_up else None
        write_where_told(path, to_sgf(self.game, self.actions, *names, result, self.given_up))
        self.console.print(f"The game is in {path}.")

    def _move(self, action: int) -> None:
        self.states.append(self.game.play(self.states[-1], action))
        self.actions.append(int(action))

    def _its_turn(self) -> bool:
        """Its move, if it has one; False if it gives the game up, or you leave."""
        from azlearn.games import Forfeit

        try:
            with self.console.status("It thinks; its first move takes longer."):
                action = self.opponent.choose(self.states[-1], self.rng)
        except Forfeit as forfeit:
            return self._without_move(forfeit)
        label = self.game.action_label(action)
        self.console.print("It passes." if label == "pass" else f"It plays {label}.")
        self._move(action)
        return True

    def _without_move(self, forfeit: "Forfeit") -> bool:
        from azlearn.games.game import Fault

        if not isinstance(forfeit, Fault):
            self.given_up = str(forfeit)
            self.console.print(f"{self.given_up.removesuffix('.')}: you have won.")
            return False
        self.console.print(f"{forfeit}")
        word = self._typed("enter lets it try again; u takes your last move back; q leaves: ")
        if word == "u":
            self._take_back()
        return word not in ("q", "quit")

    def _typed(self, prompt: str) -> str:
        """What you answer; "q" where nobody types any more."""
        try:
            return self.console.input(prompt).strip().lower()
        except EOFError:
            self.console.print()
            return "q"

    def _your_turn(self) -> bool:
        """Asks until the position is another one; False if you leave."""
        self._show()
        here = self.states[-1]
        while self.states[-1] == here:
            word = self._typed("your move: ")
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
        legal = self.game.legal_actions(self.states[-1])
        labels = {self.game.action_label(a): a for a in legal}
        word = next((label for label in labels if label.lower() == word), word)
        if word in labels:
            self._move(labels[word])
            if self.game.outcome(self.states[-1]) is None:
                self._show()
        else:
            why = self._why_not(word) if self.is_go_board else ""
            refusal = f"{word!r} is no move here{why}: {_listed(list(labels))}, or u, ?, q."
            self.console.print(refusal)

    def _why_not(self, word: str) -> str:
        """What forbids a point of a board of Go; "" for what is no point."""
        points = map(self.game.action_label, range(self.game.num_actions - 1))
        taken = dict(zip(map(str.lower, points), self.game.cells(self.states[-1]), strict=True))
        if word not in taken:
            return ""
        return ", a stone stands there" if taken[word] else ", by the rule of ko or as suicide"

    def _take_back(self) -> None:
        """To before your last move."""
        yours = [
            i for i, s in enumerate(self.states[:-1]) if self.game.to_play(s) == self.your_side
        ]
        if yours:
            del self.states[yours[-1] + 1 :], self.actions[yours[-1] :]
        else:
            self.console.print("There is no move of yours to take back.")

    def _show_thoughts(self) -> None:
        tree = getattr(self.opponent, "last_tree", None)
        if tree is None or tree.root.state not in self.states:
            self.console.print("It has no search to show: it has not moved yet, or never searches.")
            return
        label, root = self.game.action_label, tree.root
        for action in sorted(root.legal_actions, key=lambda a: -root.visit_counts[a]):
            visits, q = root.visit_counts[action], number(root.q_values[action], "+.2f")
            self.console.print(f"  {label(action)}: {visits:5,} visits, Q {q} for it")
        line = " ".join(map(label, tree.principal_variation()))
        self.console.print(f"  it expected {line}")

    def _show(self) -> None:
        """The board; where a move can be made, how it is written."""
        from rich.text import Text

        game, state = self.game, self.states[-1]
        if game.drawing.field == "dots":
            self.console.print(game.to_text(state))
            return
        if self.is_go_board:
            self._show_go_board()
            return
        cells, cols = game.cells(state), game.cols
        falls = game.drawing.falls  # the columns' numbers stand below
        lands = {} if falls else {game.cell(state, a): a for a in game.legal_actions(state)}
        wide = 1 if falls else max(len(game.action_label(a)) for a in range(cols))
        for row in range(game.rows):
            slant = row if game.drawing.field == "hexagons" else 0
            parts = []
            for cell in range(row * cols, (row + 1) * cols):
                if cells[cell]:
                    mark, style = self.marks[cells[cell] - 1]
                else:
                    mark, style = game.action_label(lands[cell]) if cell in lands else ".", "dim"
                parts.append(Text(f"{mark:{wide}}", style))
            self.console.print(Text("  " + " " * slant) + Text(" ").join(parts))
        if falls:
            labels = (game.action_label(action) for action in range(cols))
            self.console.print("  " + " ".join(labels), style="dim")

    def _show_go_board(self) -> None:
        """With coordinates on its sides, as Go programs print it."""
        from rich.text import Text

        game, cells = self.game, self.game.cells(self.states[-1])
        for row in range(game.rows):
            points = range(row * game.cols, (row + 1) * game.cols)
            marks = (self.marks[cells[i] - 1] if cells[i] else (".", "dim") for i in points)
            label = Text(f"{game.action_label(points[0])[1:]:>3} ", "dim")
            self.console.print(label + Text(" ").join(Text(*mark) for mark in marks))
        letters = (game.action_label(col)[0] for col in range(game.cols))
        self.console.print("    " + " ".join(letters), style="dim")


def _listed(labels: list[str]) -> str:
    """Moves in a sentence: all of a few, the ends of many."""
    shown = labels if len(labels) <= 16 else [*labels[:3], "…", *labels[-2:]]
    return ", ".join(shown)
