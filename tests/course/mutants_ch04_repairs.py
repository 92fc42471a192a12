"""Chapter 4, a path by hand and the two repairs: answers as readers could have given them."""

import math

import numpy as np

from tests.course.registry import mutant, right

# --- 4.1 path ---


def _answer(value):
    """A value, as the check gets it from a variable."""
    return lambda: value


for _diagnosis, _values in {
    "best mean at every node": ("47441",),
    "most visits at every node": ("47111", [4, 7, 1, 1, 1]),
    "Yellow's W read as Red's": ("711",),
    "ΣN of the root at every node": ("7411",),
    "logarithm to base 10": ("4747",),
    "bonus only": ("111",),
    "stops at the last node of the tree": ("7477", [7, 4, 7, 7]),
    "first move only": ("7", 7, [7]),
    "from the leaf to the root": ("17747",),
    "counted from 0": ([6, 3, 6, 6, 0],),
    "through a column that is not open": ("2", "745", "78", "40", "4123456"),
    "not a row of columns": ("left", 7.5, [[7], [4]]),
    "no named fault": ("74471", "747711", "1", "4", "74", ""),
}.items():
    for _value in _values:
        if _value != "":
            mutant("4.1", _diagnosis)(_answer(_value))

right("4.1")(_answer([7, 4, 7, 7, 1]))
right("4.1")(_answer("7 4 7 7 1"))
right("4.1")(_answer(np.array([7, 4, 7, 7, 1])))
right("4.1")(_answer(74771))


# --- 4.2 leaf_value(game, leaf, evaluate, rng) ---


@mutant("4.2", "finished game valued for the wrong player")
def leaf_unrepaired(game, leaf, evaluate, rng):
    if leaf.outcome is not None:
        return -leaf.outcome
    return evaluate(game, leaf.state, rng)


@mutant("4.2", "the other sign was changed")
def leaf_wrong_sign_changed(game, leaf, evaluate, rng):
    if leaf.outcome is not None:
        return -leaf.outcome
    return -evaluate(game, leaf.state, rng)


@mutant("4.2", "the evaluator's value is negated")
def leaf_both_changed(game, leaf, evaluate, rng):
    if leaf.outcome is not None:
        return leaf.outcome
    return -evaluate(game, leaf.state, rng)


@mutant("4.2", "a draw is taken for no result")
def leaf_truth_of_zero(game, leaf, evaluate, rng):
    return leaf.outcome or evaluate(game, leaf.state, rng)


@mutant("4.2", "evaluator asked about a finished game")
def leaf_asks_always(game, leaf, evaluate, rng):
    return evaluate(game, leaf.state, rng)


@mutant("4.2", "every end is a loss")
def leaf_always_lost(game, leaf, evaluate, rng):
    return -1.0 if leaf.outcome is not None else evaluate(game, leaf.state, rng)


@mutant("4.2", "every end is a win")
def leaf_always_won(game, leaf, evaluate, rng):
    return 1 if leaf.outcome is not None else evaluate(game, leaf.state, rng)


@mutant("4.2", "in the first player's view")
def leaf_first_player(game, leaf, evaluate, rng):
    if leaf.outcome is None:
        return evaluate(game, leaf.state, rng)
    return leaf.outcome if leaf.to_play == 0 else -leaf.outcome


@mutant("4.2", "finished game counted as 0")
def leaf_no_value(game, leaf, evaluate, rng):
    return 0.0 if leaf.outcome is not None else evaluate(game, leaf.state, rng)


@mutant("4.2", "draw counted as a loss")
def leaf_two_outcomes(game, leaf, evaluate, rng):
    if leaf.outcome is None:
        return evaluate(game, leaf.state, rng)
    return 1.0 if leaf.outcome == 1 else -1.0


@mutant("4.2", "returns nothing")
def leaf_forgets_the_return(game, leaf, evaluate, rng):
    if leaf.outcome is not None:
        return leaf.outcome
    evaluate(game, leaf.state, rng)


@mutant("4.2", "no named fault")
def leaf_half(game, leaf, evaluate, rng):
    return 0.5 if leaf.outcome is not None else evaluate(game, leaf.state, rng)


@right("4.2")
def leaf_asks_the_rules(game, leaf, evaluate, rng):
    outcome = game.outcome(leaf.state)
    return evaluate(game, leaf.state, rng) if outcome is None else np.float64(outcome)


# --- 4.3 scores(node, c) ---


def _with_total(node, c, total, *, inside=False, unvisited=math.inf):
    scores = []
    for n, w in zip(node.visit_counts, node.value_sum, strict=True):
        if not n:
            scores.append(unvisited)
            continue
        log_total = math.log(max(total(n), 1))
        bonus = math.sqrt(c * log_total / n) if inside else c * math.sqrt(log_total / n)
        scores.append(w / n + bonus)
    return scores


@mutant("4.3", "counts the moves, not their visits")
def scores_unrepaired(node, c):
    return _with_total(node, c, lambda n: sum(x > 0 for x in node.visit_counts))


@mutant("4.3", "counts the legal moves")
def scores_of_legal(node, c):
    return _with_total(node, c, lambda n: len(node.legal_actions))


@mutant("4.3", "the largest N for the total")
def scores_of_max(node, c):
    return _with_total(node, c, lambda n: max(node.visit_counts))


@mutant("4.3", "the other moves' visits only")
def scores_of_others(node, c):
    return _with_total(node, c, lambda n: node.num_visits - n)


@mutant("4.3", "one visit too many")
def scores_of_one_more(node, c):
    return _with_total(node, c, lambda n: node.num_visits + 1)


@mutant("4.3", "c inside the square root")
def scores_c_inside(node, c):
    return _with_total(node, c, lambda n: node.num_visits, inside=True)


@mutant("4.3", "N and ΣN swapped in the bonus")
def scores_swapped(node, c):
    total = sum(node.visit_counts)
    return [
        w / n + c * math.sqrt(math.log(n) / total) if n else math.inf
        for n, w in zip(node.visit_counts, node.value_sum, strict=True)
    ]


@mutant("4.3", "logarithm to base 10")
def scores_base_10(node, c):
    log_total = math.log10(sum(node.visit_counts) or 1)
    return _with_total(node, c, lambda n: math.exp(log_total))


@mutant("4.3", "unvisited move scores 0")
def scores_unvisited_zero(node, c):
    return _with_total(node, c, lambda n: node.num_visits, unvisited=0.0)


@mutant("4.3", "unvisited move divides by zero")
def scores_divides(node, c):
    log_total = math.log(node.num_visits or 1)
    return [
        w / n + c * math.sqrt(log_total / n)
        for w, n in zip(node.value_sum, node.visit_counts, strict=True)
    ]


@mutant("4.3", "a fresh node has no logarithm")
def scores_log_first(node, c):
    log_total = math.log(sum(node.visit_counts))
    return _with_total(node, c, lambda n: math.exp(log_total))


@mutant("4.3", "not one score an action")
def scores_of_the_legal_only(node, c):
    every = _with_total(node, c, lambda n: node.num_visits)
    return [every[action] for action in node.legal_actions]


@mutant("4.3", "no named fault")
def scores_squared(node, c):
    return _with_total(node, c, lambda n: node.num_visits**2)


@right("4.3")
def scores_with_arrays(node, c):
    n, w = np.array(node.visit_counts, float), np.array(node.value_sum)
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = w / n + c * np.sqrt(np.log(max(n.sum(), 1)) / n)
    return np.where(n > 0, scores, np.inf)
