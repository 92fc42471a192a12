"""Chapter 15: answers as readers could have written them."""

import heapq
import math

import numpy as np

from tests.course.registry import mutant, right

# --- 15.1 gumbel_top_k(prior, noise, k) ---


@right("15.1")
def top_k_by_repeated_draws(prior, noise, k):
    with np.errstate(divide="ignore"):
        keys = np.array(noise, float) + np.log(prior)
    drawn = []
    while len(drawn) < k and keys.max() > -np.inf:
        drawn.append(keys.argmax())
        keys[drawn[-1]] = -np.inf
    return np.array(drawn)


@mutant("15.1", "not a list of actions")
def top_1_as_a_number(prior, noise, k):
    return max(range(len(prior)), key=lambda a: noise[a] + math.log(prior[a] or 1e-300))


# --- 15.2 halving_round(left, ranking, num_considered, num_simulations) ---


@right("15.2")
def halving_with_a_heap(left, ranking, num_considered, num_simulations):
    rounds = max(1, (num_considered - 1).bit_length())
    each = max(num_simulations // rounds // len(left), 1)
    best = heapq.nsmallest(max(len(left) >> 1, 2), left, key=lambda a: (-ranking[a], a))
    return [each, best]


# --- 15.3 completed_q(visit_counts, value_sum, prior, raw_value) ---


@right("15.3")
def completed_by_arrays(visit_counts, value_sum, prior, raw_value):
    n, w, p = map(np.array, (visit_counts, value_sum, prior))
    q, tried = w / np.maximum(n, 1), n > 0
    known = np.average(q, weights=p * tried) if tried.any() else 0.0
    return np.where(tried, q, (raw_value + n.sum() * known) / (1 + n.sum()))


# --- 15.4 improved_policy(prior, q_values, most_visits, c_visit, c_scale) ---


@right("15.4")
def improved_by_logarithms(prior, q_values, most_visits, c_visit, c_scale):
    with np.errstate(divide="ignore"):
        logits = np.log(prior) + (c_visit + most_visits) * c_scale * np.array(q_values)
    return np.exp(logits - np.logaddexp.reduce(logits))


@mutant("15.4", "not one probability an action")
def best_move_only(prior, q_values, most_visits, c_visit, c_scale):
    return int(np.argmax(prior))


# --- 15.5 prove(to_play, children) ---


@right("15.5")
def prove_by_cases(to_play, children):
    best, is_open = -1, False
    for child in children:
        if child is None or child[1] is None:
            is_open = True
            continue
        best = max(best, child[1] if child[0] == to_play else -child[1])
    return best if best == 1 or not is_open else None


# --- 15.6 capped_loss(draws, share, losses) ---


@right("15.6")
def capped_by_a_mask(draws, share, losses):
    mask = np.less(draws, share)
    return (mask * losses).sum() / max(1, mask.sum())
