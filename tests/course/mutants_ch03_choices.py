"""Chapter 3, select and final move: answers as readers could have written them."""

import math

import numpy as np

from tests.course.registry import mutant, right

# --- 3.1 select(node, c) ---


def score(node, action, c, sign=1, unvisited=math.inf):
    n, w = node.visit_counts[action], node.value_sum[action]
    if n == 0:
        return unvisited
    return sign * w / n + c * math.sqrt(math.log(node.num_visits) / n)


@mutant("3.1", "an illegal move")
def select_from_all(node, c):
    scores = [score(node, action, c) for action in range(len(node.visit_counts))]
    return scores.index(max(scores))


@mutant("3.1", "an illegal move")
def select_from_all_last(node, c):
    scores = [score(node, action, c) for action in range(len(node.visit_counts))]
    return max(reversed(range(len(scores))), key=scores.__getitem__)


@mutant("3.1", "index among the legal moves")
def select_argmax(node, c):
    return int(np.argmax([score(node, action, c) for action in node.legal_actions]))


@mutant("3.1", "no exploration")
def select_greedy(node, c):
    return max(node.legal_actions, key=lambda a: score(node, a, 0.0))


@mutant("3.1", "exploration only")
def select_bonus(node, c):
    return max(node.legal_actions, key=lambda a: score(node, a, c, sign=0))


@mutant("3.1", "sum instead of mean")
def select_by_sum(node, c):
    def score(a):
        n = node.visit_counts[a]
        if not n:
            return math.inf
        return node.value_sum[a] + c * math.sqrt(math.log(node.num_visits) / n)

    return max(node.legal_actions, key=score)


@mutant("3.1", "opponent's view of Q")
def select_for_the_other(node, c):
    return max(node.legal_actions, key=lambda a: score(node, a, c, sign=-1))


@mutant("3.1", "unvisited move scores 0")
def select_unvisited_zero(node, c):
    return max(node.legal_actions, key=lambda a: score(node, a, c, unvisited=0))


@mutant("3.1", "lowest score")
def select_min(node, c):
    return min(node.legal_actions, key=lambda a: score(node, a, c))


@mutant("3.1", "most visits")
def select_most_visited(node, c):
    return max(node.legal_actions, key=lambda a: node.visit_counts[a])


@mutant("3.1", "a fresh node has no logarithm")
def select_log_first(node, c):
    log_total = math.log(sum(node.visit_counts))
    scores = {}
    for a in node.legal_actions:
        n, w = node.visit_counts[a], node.value_sum[a]
        scores[a] = w / n + c * math.sqrt(log_total / n) if n else math.inf
    return max(scores, key=scores.get)


def _running_maximum(start, first):
    def select(node, c):
        best, best_action = start, first(node)
        for action in node.legal_actions:
            if score(node, action, c) > best:
                best, best_action = score(node, action, c), action
        return best_action

    return select


for _start in (-1, 0):
    for _first in (lambda node: None, lambda node: -1, lambda node: 0):
        mutant("3.1", "running maximum starts too high")(_running_maximum(_start, _first))
mutant("3.1", "running maximum starts too high")(
    _running_maximum(0, lambda node: node.legal_actions[0])
)


@mutant("3.1", "running maximum starts too high")
def select_without_a_first_choice(node, c):
    best = 0
    for action in node.legal_actions:
        if score(node, action, c) > best:
            best, best_action = score(node, action, c), action
    return best_action


@mutant("3.1", "running maximum starts too high")
def select_without_a_first_choice_from_minus_one(node, c):
    best = -1
    for action in node.legal_actions:
        if score(node, action, c) > best:
            best, best_action = score(node, action, c), action
    return best_action


@mutant("3.1", "a list instead of a move")
def select_scores(node, c):
    return [score(node, a, c) for a in range(9)]


@mutant("3.1", "returns nothing")
def select_prints(node, c):
    max(node.legal_actions, key=lambda a: score(node, a, c))


@mutant("3.1", "no named fault")
def select_first(node, c):
    return node.legal_actions[0]


@right("3.1")
def select_with_arrays(node, c):
    n = np.array(node.visit_counts, float)
    w = np.array(node.value_sum)
    legal = np.array(node.legal_actions)
    if (n[legal] == 0).any():
        return legal[n[legal] == 0][0]
    scores = w[legal] / n[legal] + c * np.sqrt(np.log(n.sum()) / n[legal])
    return legal[np.argmax(scores)]


right("3.1")(_running_maximum(-math.inf, lambda node: None))


# --- 3.4 final_move(node) ---


def _mean(node, action):
    n = node.visit_counts[action]
    return node.value_sum[action] / n if n else 0.0


@mutant("3.4", "best mean instead of most visits")
def final_best_mean(node):
    visited = [a for a in node.legal_actions if node.visit_counts[a]]
    return max(visited, key=lambda a: _mean(node, a))


@mutant("3.4", "best mean, unvisited counted as 0")
def final_q_values(node):
    q = node.q_values
    return max(node.legal_actions, key=lambda a: q[a])


@mutant("3.4", "best mean, illegal moves counted as 0")
def final_argmax_of_q(node):
    return int(np.argmax(node.q_values))


@mutant("3.4", "largest sum of values")
def final_largest_sum(node):
    return max(node.legal_actions, key=lambda a: node.value_sum[a])


@mutant("3.4", "the selection score")
def final_uct(node):
    return max(node.legal_actions, key=lambda a: score(node, a, 1.0))


@mutant("3.4", "least visited")
def final_least(node):
    return min(node.legal_actions, key=lambda a: node.visit_counts[a])


@mutant("3.4", "equal visits: the first is taken")
def final_argmax(node):
    return int(np.argmax(node.visit_counts))


@mutant("3.4", "equal visits: the worse mean is taken")
def final_worse_of_equals(node):
    return min(node.legal_actions, key=lambda a: (-node.visit_counts[a], _mean(node, a)))


@mutant("3.4", "all equal: the last is taken")
def final_last(node):
    return max((node.visit_counts[a], _mean(node, a), a) for a in node.legal_actions)[2]


@mutant("3.4", "index among the legal moves")
def final_index(node):
    pairs = [(node.visit_counts[a], _mean(node, a)) for a in node.legal_actions]
    return pairs.index(max(pairs))


@mutant("3.4", "unvisited move divides by zero")
def final_divides(node):
    def key(a):
        return node.visit_counts[a], node.value_sum[a] / node.visit_counts[a]

    return max(node.legal_actions, key=key)


@mutant("3.4", "a list instead of a move")
def final_policy(node):
    return [n / node.num_visits for n in node.visit_counts]


@right("3.4")
def final_sorted(node):
    def key(a):
        return -node.visit_counts[a], -node.q_values[a], a

    return np.int64(sorted(node.legal_actions, key=key)[0])
