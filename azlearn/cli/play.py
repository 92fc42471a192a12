"""`azlearn play`: a game in the terminal, or a page to play on."""

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional, arg

from azlearn.cli.output import (
    PATIENCE,
    Count,
    Flag,
    Game,
    Patience,
    announce,
    check_is_new,
    command_errors,
    console,
    number,
)

if TYPE_CHECKING:
    from azlearn.arena import Player
    from azlearn.games import Forfeit, State
    from azlearn.games.rules_game import RulesGame

_HELP = "u takes back your last move; ? shows the opponent's search; q quits"
_STONES = (("●", "bold red"), ("■", "bold yellow"))  # of the first and the second player
_CROSSES = (("X", "bold"), ("O", "bold"))


def play(
    player: Annotated[Positional[str | None], arg(metavar="PLAYER")] = None,
    simulations: Count = None,
    game: Game = None,
    you: Literal["first", "second"] = "first",
    seed: int = 0,
    sgf: Annotated[Path | None, arg(metavar="FILE")] = None,
    patience: Patience = PATIENCE,
    out: Annotated[Path | None, arg(metavar="FILE.html")] = None,
    open: Flag = False,
) -> int:
    """Play against a trained network, or any other player, in the terminal or in a page.

    Args:
        player: the opponent, as in `azlearn evaluate`: a run's folder, "uct@1000", …. If not given:
            the network that ships with the game, or uct if there is none.
        simulations: simulations per move; 0 means the network without search.
        you: which side you play.
        seed: seed of the opponent's random choices.
        sgf: (Go only) save the game to this SGF file when it ends or you quit; the file must not
            exist yet.
        out: instead of playing here, write a page with the board, the search and the network to
            this new HTML file. It needs no server and no internet, and it works on a phone.
        open: open the page in the browser.
    """
    announce(f"{player or game or 'connect4'}: loading …")

    import numpy as np

    from azlearn import arena
    from azlearn.games import Go
    from azlearn.games.named import make_game

    with command_errors():
        rules = game and make_game(game)
        word = player or default_player(rules)
        opponent = arena.make_player(word, rules, simulations, patience=patience)
        if sgf and not isinstance(opponent.game, Go):
            raise ValueError(f"--sgf is only for Go, but {word} plays {opponent.game.name}.")
        if out and sgf:
            raise ValueError("--sgf cannot be combined with --out, which plays in a page.")
        if open and not out:
            raise ValueError("--open opens the page that --out names. Add --out.")
        if sgf:
            check_is_new(sgf, "--sgf")
        if out:
            return _write_page(opponent, out, you, seed, open)
        table = _Game(opponent, 0 if you == "first" else 1, np.random.default_rng(seed))
        try:
            return table.play()
        finally:
            if sgf:
                table.save(sgf)


def _write_page(opponent: "Player", out: Path, you: str, seed: int, open: bool) -> int:
    """Writes a page in which you play against the same search."""
    from azlearn.viz import play_page

    check_is_new(out, "--out")
    play_page(opponent, out, you=you, seed=seed)
    print(f"Open {out} in any browser.")
    if open:
        webbrowser.open(out.resolve().as_uri())
    return 0


def default_player(rules: "RulesGame | None") -> str:
    """The player if none is named: the network that ships with this very game, or else UCT.

    Args:
        rules: None for Connect Four.
    """
    from azlearn.games.named import make_game, shipped_name

    name = shipped_name(rules or make_game("connect4"))
    network = Path(__file__).parents[1] / "data" / name / "network.safetensors"
    return name if network.is_file() else "uct"


class _Game:
    """A game in the terminal: its positions so far, its players, and how it is drawn."""

    def __init__(self, opponent: "Player", your_side: int, rng) -> None:
        self.opponent, self.your_side, self.rng = opponent, your_side, rng
        self.game: RulesGame = opponent.game
        self.states: list[State] = [self.game.initial_state()]
        self.actions: list[int] = []
        self.given_up = ""  # the opponent's message when it gave up the game
        self.console = console(highlight=False, soft_wrap=True)
        drawing, is_plain = self.game.drawing, not self.console.encoding.startswith("utf")
        self.is_go_board = drawing.field == "crossings"
        own = tuple((mark, "bold") for mark in drawing.marks)
        crosses = is_plain or drawing.marks[0] == "✕"
        self.marks = _CROSSES if crosses else own if self.is_go_board else _STONES

    def play(self) -> int:
        from rich.text import Text

        from azlearn.games.footprints import coordinates_of
        from azlearn.viz.game_results import margin, owners

        yours, theirs = self.marks[self.your_side], self.marks[1 - self.your_side]
        said = Text.assemble("You are ", yours, f", {self.opponent.name} is ", theirs, ".")
        self.console.print(said)
        known = self._known(self.states[0])
        has_numbers = known.startswith("1,") and not coordinates_of(self.game)
        how = "type a number to play there" if has_numbers else f"your moves: {known}"
        self.console.print(f"{how}; {_HELP}", style="dim")
        if self.is_go_board:
            rule = "Two passes end the game; all stones still on the board then count as alive."
            self.console.print(rule, style="dim")
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
            komi = f" plus {self.game.komi:g} komi" if self.is_go_board else ""
            parts = ", ".join(f"{who} has {n}" for who, n in count)
            self.console.print(f"{parts}{komi}; nobody owns {whose.count('0')}.", style="dim")
        return 0

    def save(self, path: Path) -> None:
        """Writes the game so far as an SGF file."""
        from azlearn.arena.records import result_of
        from azlearn.atomic_io import write_user_path
        from azlearn.games.go.records import to_sgf

        names = ["you", self.opponent.name][:: 1 if self.your_side == 0 else -1]
        result = result_of("BW"[self.your_side], self.given_up) if self.given_up else None
        write_user_path(path, to_sgf(self.game, self.actions, *names, result, self.given_up))
        self.console.print(f"Saved the game to {path}.")

    def _move(self, action: int) -> None:
        self.states.append(self.game.play(self.states[-1], action))
        self.actions.append(int(action))

    def _its_turn(self) -> bool:
        """Plays the opponent's move. Returns False if the opponent gives up or you quit."""
        from azlearn.games import Forfeit
        from azlearn.games.footprints import told

        try:
            with self.console.status("Thinking … (the first move takes longer)"):
                action = self.opponent.choose(self.states[-1], self.rng)
        except Forfeit as forfeit:
            return self._without_move(forfeit)
        self._move(action)
        word = told(self.game, self.states[-2], int(action))
        self.console.print("It passes." if word == "pass" else f"It plays {word}.")
        return True

    def _without_move(self, forfeit: "Forfeit") -> bool:
        from azlearn.games.game import Fault

        if not isinstance(forfeit, Fault):
            self.given_up = str(forfeit)
            self.console.print(f"{self.given_up.removesuffix('.')}: you have won.")
            return False
        self.console.print(f"{forfeit}")
        word = self._typed("Enter: let it try again; u: take back your last move; q: quit: ")
        if word.lower() == "u":
            self._take_back()
        return word.lower() not in ("q", "quit")

    def _typed(self, prompt: str) -> str:
        """Returns what you type at the prompt; "q" at the end of the input."""
        try:
            return self.console.input(prompt).strip()
        except EOFError:
            self.console.print()
            return "q"

    def _your_turn(self) -> bool:
        """Asks for your move until the position changes. Returns False if you quit."""
        self._show()
        here = self.states[-1]
        while self.states[-1] == here:
            word = self._typed("your move: ")
            if word.lower() in ("q", "quit"):
                return False
            if word.lower() == "u":
                self._take_back()
            elif word == "?":
                self._show_thoughts()
            else:
                self._your_move(word)
        return True

    def _your_move(self, word: str) -> None:
        from azlearn.games.notation import action_called, labels

        action = action_called(labels(self.game), word)
        if action in self.game.legal_actions(self.states[-1]):
            self._move(action)
            if self.game.outcome(self.states[-1]) is None:
                self._show()
        else:
            why = self._why_not(word) if self.is_go_board else ""
            known = self._known(self.states[-1])
            self.console.print(f"{word!r} is not a legal move{why}. Type {known}, or u, ? or q.")

    def _known(self, state: "State") -> str:
        """The legal moves, in the game's notation."""
        from azlearn.games.footprints import told
        from azlearn.games.notation import listed

        legal = self.game.legal_actions(state)
        return listed([told(self.game, state, action) for action in legal])

    def _why_not(self, word: str) -> str:
        """Why a point of a Go board is illegal; "" if ``word`` is not a point."""
        points = map(self.game.action_label, range(self.game.num_actions - 1))
        taken = dict(zip(map(str.lower, points), self.game.cells(self.states[-1]), strict=True))
        if (word := word.lower()) not in taken:
            return ""
        return " (there is a stone)" if taken[word] else " (the ko rule or suicide forbids it)"

    def _take_back(self) -> None:
        """Goes back to the position before your last move."""
        yours = [
            i for i, s in enumerate(self.states[:-1]) if self.game.to_play(s) == self.your_side
        ]
        if yours:
            del self.states[yours[-1] + 1 :], self.actions[yours[-1] :]
        else:
            self.console.print("There is nothing to take back: you have not moved yet.")

    def _show_thoughts(self) -> None:
        tree = getattr(self.opponent, "last_tree", None)
        if tree is None or tree.root.state not in self.states:
            self.console.print(
                "There is no search to show: the opponent has not moved yet, or it does not search."
            )
            return
        label, root = self.game.action_label, tree.root
        self.console.print("The opponent's search, with Q from its point of view:")
        for action in sorted(root.legal_actions, key=lambda a: -root.visit_counts[a]):
            visits, q = root.visit_counts[action], number(root.q_values[action], "+.2f")
            self.console.print(f"  {label(action)}: {visits:5,} visits, Q {q}")
        line = " ".join(map(label, tree.principal_variation()))
        self.console.print(f"  expected line: {line}")

    def _show(self) -> None:
        """Prints the board with coordinates, and labels the cells where a piece can be placed."""
        from rich.text import Text

        from azlearn.games.footprints import coordinates_of, footprint

        game, state = self.game, self.states[-1]
        if game.drawing.field == "dots":
            self.console.print(game.to_text(state))
            return
        cells, cols, falls, beside = (
            game.cells(state), game.cols, game.drawing.falls, coordinates_of(game),
        )  # fmt: skip
        steps = {a: footprint(game, state, a) for a in game.legal_actions(state)}
        lands = {
            step.target: game.action_label(action)
            for action, step in steps.items()
            if step.origin < 0 <= step.target and not (falls or self.is_go_board)
        }
        wide = max(map(len, lands.values()), default=1)
        rows = [f"{name:>3} " for name in beside.rows] if beside else ["  "] * game.rows
        slant = " " * (game.drawing.field == "hexagons")
        for row, name in enumerate(rows):
            parts = [
                Text(f"{mark:{wide}}", style)
                for cell in range(row * cols, (row + 1) * cols)
                for mark, style in [self._mark(cells[cell], lands.get(cell, "."))]
            ]
            self.console.print(Text(name + slant * row, "dim") + Text(" ").join(parts))
        below = beside.cols if beside else map(game.action_label, range(cols)) if falls else ()
        if line := " ".join(f"{name:{wide}}" for name in below).rstrip():
            self.console.print(" " * len(rows[-1]) + slant * (game.rows - 1) + line, style="dim")

    def _mark(self, content: int, empty: str) -> tuple[str, str]:
        """The mark of a cell, and its style."""
        return [(empty, "dim"), *self.marks, ("#", "dim")][content]
