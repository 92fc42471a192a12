"""The tour of a first search, for chapter 00: 600 simulations on "44443" with seed 2."""

# Each stop: simulation, phase, what to say, the part to ring, and the node to show.
TOUR = [
    (0, "select",
     "So far the tree is just the **root**: this board, with Yellow (■) to move.", "tree"),
    (1, "expand",
     "One round is a **simulation**. The first one adds one box: the board after column 1. "
     "A box at the end of the tree is a **leaf**.", "node"),
    (1, "evaluate",
     "What is this leaf worth? The search knows only the rules. So it plays random moves "
     "until the game is over. This is a **rollout**.", "board"),
    (1, "backup",
     "The result goes back up. Red won, so Yellow's move 1 gets −1. **N** counts the visits of "
     "a move, and **W** adds up its results (+1 for a win, 0 for a draw, −1 for a loss). "
     "**Q** = W / N is their mean.", "table"),
    (7, "backup",
     "After seven simulations, each column has been tried once.", "tree"),
    (8, "select",
     "Now **select** has something to compare: the mean Q, plus a bonus U for moves that "
     "were tried rarely. It follows the highest sum; ties go to the first move.", "table"),
    (8, "backup",
     "This path is two moves long. What is good for Yellow is bad for Red, so the value "
     "changes sign at each step up.", "table"),
    (400, "backup",
     "After 400 simulations, column 5 has the most visits.", "node", "5"),
    (600, "backup",
     "After 600 simulations, it is column 2. The search plays the move with the most visits.",
     "node", "2"),
]  # fmt: skip
