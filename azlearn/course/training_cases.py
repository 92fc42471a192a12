"""The cases of the second bug clinic: which training, which fault, and where it shows.

The names of the faults stand here only, never in what a case displays before it is solved.
"""

from azlearn.course.bug_clinic import Case
from azlearn.course.patches import Patch
from azlearn.minimal import AlphaZero

# What the reader chooses from: a fault, and how it would look. Some of them are in no case.
SYMPTOMS = {
    "a draw counted as a loss": "drawn positions would be valued almost as low as lost ones",
    "c of c‖θ‖² far too large": "filters would die, those first that are needed least: their norms "
    "would sink to nothing beside the largest of their layer",
    "evaluation in train mode": "one position would get two values, asked alone and asked among "
    "others",
    "learning rate far too high": "both losses would jump up and down and stay high",
    "noise everywhere": "a search that is repeated with the same network, without noise at its "
    "root, would come out differently",
    "one-hot targets": "the policy loss on the very first games would be that of a network that "
    "knows nothing, ln of the number of legal moves, about 1.5 here; later it would sink far below "
    "the entropy of N",
    "stale replay": "the losses on batches would part from those on fresh games and stay high: "
    "what is learnt are the games of the first networks",
    "the board is never turned": "the batches' losses would sink below those on fresh games, value "
    "and policy alike, and the network alone would play as well as the curves of its losses say",
    "z for the wrong player": "positions that are won would be valued below positions that are "
    "lost",
    "z of the first player": "positions that are won and positions that are lost would be valued "
    "alike: one half of each has the wrong sign",
    "π not mirrored": "the network alone would stay far behind its own search, and its policy loss "
    "on fresh games above the one on batches",
    "τ applied, and π not normalised again": "the policy loss would be far too small from the very "
    "first games on, when the network knows nothing and ln of the number of legal moves, about "
    "1.5, is due",
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
        "losses fall all the same: the wrong sign is learnt as easily as the right one. The search "
        "is led to what the opponent wants, until it sees the end of the game itself, where the "
        "rules speak.",
        "Look at what the network thinks of positions whose truth is known.",
        "wrong player",
    ),
    "I": Case(
        "evaluation in train mode",
        (Patch(AlphaZero.evaluate, (("self.network.eval()", None),)),),
        "The value of the empty board depends on the company in which it is asked: batch norm "
        "measures each batch anew. In self-play sixty-four positions are asked together, in the "
        "explorer's search one at a time: it is a different network there.",
        "Ask the network one and the same question twice.",
        "train mode",
    ),
    "J": Case(
        "stale replay",
        (Patch(AlphaZero.keep, (("[-self.window :]", "[: self.window]"),)),),
        "On fresh games the losses are lower than on the batches that it learns from, and those "
        "stop falling early. The window is full, nothing new gets in: it learns, again and "
        "again, the games of networks that knew less than it does now.",
        "Two sets of positions, one network: on which of the two should it do better?",
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
        "The same search, repeated with the same network, gives other visits: something in it is "
        "drawn at random, which a match must not have. It is in every prior, not only at the root. "
        "In self-play that hardly hurts, which is why no curve shows it.",
        "Suppose that the curves are as they should be. What should happen if you search twice?",
        "noise everywhere",
    ),
    "L": Case(
        "τ applied, and π not normalised again",
        (
            Patch(
                AlphaZero.policy_target,
                (("return visits / visits.sum()", "return (visits / visits.sum()) ** (1 / 0.5)"),),
            ),
        ),
        "On the first games, before any learning, the policy loss is a fraction of ln of the "
        "number of legal moves, which is what a network without a clue must pay. The targets sum "
        "to less than 1, and to least where the search is in doubt: such positions hardly count.",
        "What does a network that knows nothing pay for a policy? Look at the very first games.",
        "not normalised",
    ),
    "M": Case(
        "π not mirrored",
        (
            Patch(
                AlphaZero.turn,
                (("return planes, rows[:, 0], rows", "return planes, policy, rows"),),
            ),
        ),
        "The values are learnt, the policy is not: the network alone stays far behind its "
        "search. The board is turned and π stays, so that one position comes with the advice for "
        "eight. On batches the loss looks fine, since advice that falls on occupied cells is not "
        "counted; on fresh games, which are not turned, it does not.",
        "One of the two heads has learnt nothing useful. Which, and since when?",
        "policy left behind",
    ),
    "N": Case(
        "c of c‖θ‖² far too large",
        (Patch(AlphaZero.decay, (("return 1e-4", "return 3e-2"),)),),
        "In the second block half of the filters are dead. The losses fall, if not as far, and "
        "the strength rises: tic-tac-toe needs no more than what is left. Adam divides the slope "
        "2cθ by its usual size, so a small c makes large steps too: a filter that the games do "
        "not ask for shrinks to nothing, here after some fifty iterations. In a training of an "
        "hour c = 0.0001 is enough for that.",
        "Its games are good, its losses a little high. What has it left to learn with?",
        "heavy decay",
    ),
}
