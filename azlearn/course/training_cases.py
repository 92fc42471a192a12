"""The cases of the second bug clinic: each training run, its fault, and where it can be seen.

The names of the faults are only in this file: a case never displays them before it is solved.
"""

from azlearn.course.bug_clinic import Case
from azlearn.course.patches import Patch
from azlearn.minimal import AlphaZero

# The faults to choose from, and how each would look. Some of them are in no case.
SYMPTOMS = {
    "a draw counted as a loss": "drawn positions would be valued almost as low as lost ones",
    "c of c‖θ‖² far too large": "filters would die, starting with those that are needed least: "
    "their norms would shrink to almost nothing compared with the largest in their layer",
    "evaluation in train mode": "the network would give a position one value when it is evaluated "
    "alone, and another when it is evaluated in a batch with others",
    "learning rate far too high": "both losses would jump up and down and stay high",
    "noise everywhere": "repeating a search with the same network, without noise at its root, "
    "would give different visits",
    "one-hot targets": "the policy loss on the very first games would be that of a network that "
    "knows nothing: ln of the number of legal moves, about 1.5 here. Later it would sink far below "
    "the entropy of N",
    "stale replay": "the losses on batches would move away from those on fresh games and stay "
    "high, because the network only learns from the games of the first networks",
    "the board is never rotated or mirrored": "the losses on batches would sink below those on "
    "fresh games, for value and policy alike, and without search the network would play as well as "
    "its loss curves suggest",
    "z for the wrong player": "won positions would be valued below lost positions",
    "z of the first player": "won and lost positions would get similar values, because half of "
    "each have the wrong sign",
    "π not mirrored": "the network without search would play far worse than with search, and its "
    "policy loss would be higher on fresh games than on batches",
    "τ applied, and π not normalized again": "the policy loss would be far too small from the very "
    "first games on. A network that knows nothing should have a loss of ln of the number of legal "
    "moves, about 1.5",
}

# The evidence of a case is the name of its run in ``training_runs.json``.
CASES = {
    "H": Case(
        "z for the wrong player",
        (
            Patch(
                AlphaZero.value_target,
                (
                    ("return result if", "return -result if"),
                    ("else -result", "else result"),
                ),
            ),
        ),
        "Positions that are won for the player to move are valued below those that are lost. The "
        "losses fall all the same: the wrong sign is as easy to learn as the right one. The "
        "network leads the search to the moves that the opponent wants, until the search reaches "
        "the end of the game, where the value comes from the rules.",
        "Look at the network's values of positions whose true value is known.",
        "wrong player",
    ),
    "I": Case(
        "evaluation in train mode",
        (Patch(AlphaZero.evaluate, (("self.network.eval()", None),)),),
        "The value of the empty board depends on the other positions in its batch: in train mode "
        "batch norm uses the mean and variance of each batch. Self-play evaluates sixty-four "
        "positions per batch and the explorer's search one at a time, so in effect they use "
        "different networks.",
        "Ask the network about the same position twice.",
        "train mode",
    ),
    "J": Case(
        "stale replay",
        (Patch(AlphaZero.keep, (("[-self.window :]", "[: self.window]"),)),),
        "The losses are lower on fresh games than on the batches that the network learns from, "
        "and on batches they stop falling early. The window is full and nothing new gets in, so "
        "the network keeps learning from the games of networks that knew less than it does now.",
        "Compare the losses on fresh games and on batches: on which should a network do better?",
        "stale replay",
    ),
    "K": Case(
        "noise everywhere",
        (
            Patch(
                AlphaZero.evaluate,
                (
                    (
                        "return p.numpy(), v.numpy()",
                        "return 0.75 * p.numpy() + 0.25 * self.noise(states), v.numpy()",
                    ),
                ),
            ),
        ),
        "The same search, repeated with the same network, gives different visits: something in it "
        "is random, and in a match nothing should be. The noise is in every prior, not only at the "
        "root. In self-play that does little harm, so no curve shows it.",
        "Suppose that the curves are as they should be. What should happen if you search twice?",
        "noise everywhere",
    ),
    "L": Case(
        "τ applied, and π not normalized again",
        (
            Patch(
                AlphaZero.policy_target,
                (("return visits / visits.sum()", "return (visits / visits.sum()) ** (1 / 0.5)"),),
            ),
        ),
        "On the first games, before any learning, the policy loss is a fraction of ln of the "
        "number of legal moves, the loss of a network that knows nothing. The targets sum to less "
        "than 1, and the more uncertain the search, the smaller the sum: such positions hardly "
        "count.",
        "What policy loss does a network have that knows nothing? Look at the very first games.",
        "not normalized",
    ),
    "M": Case(
        "π not mirrored",
        (
            Patch(
                AlphaZero.turn,
                (("return planes, rows[:, 0], rows", "return planes, policy, rows"),),
            ),
        ),
        "The network learns the values but not the policy: without search it plays far worse than "
        "with search. The board is rotated or mirrored but π is not, so each position gets the "
        "targets of its eight symmetric forms. On batches the loss looks fine, because the part of "
        "π on occupied cells is not counted; on fresh games, which are not transformed, it is "
        "high.",
        "One of the two heads has learned nothing useful. Which one, and since when?",
        "policy left behind",
    ),
    "N": Case(
        "c of c‖θ‖² far too large",
        (Patch(AlphaZero.decay, (("return 1e-4", "return 3e-2"),)),),
        "Half of the filters in the second block are dead. The losses still fall, though less "
        "far, and the strength rises: for tic-tac-toe the remaining filters are enough. Adam "
        "divides the gradient 2cθ by its usual size, so even a small c makes large steps. A "
        "filter that the games do not need shrinks to nothing, here after about fifty iterations. "
        "In an hour of training, c = 0.0001 is enough to do that.",
        "Its games are good and its losses a little high. What does it have left to learn with?",
        "heavy decay",
    ),
}
