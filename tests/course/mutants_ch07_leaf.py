"""Chapter 7, priors, values and the threshold: answers as readers could have written them."""

import math

import numpy as np
import torch

from tests.course.registry import mutant, right

# --- 7.1 priors(logits, legal_mask, temperature) ---


def _soft_max(x):
    with np.errstate(all="ignore"):
        weights = np.exp(x - np.max(x))
        return weights / weights.sum()


@mutant("7.1", "not renormalised over the legal moves")
def priors_masked_after(logits, legal_mask, temperature):
    return np.where(legal_mask, _soft_max(logits / temperature), 0)


@mutant("7.1", "illegal moves keep their part")
def priors_without_mask(logits, legal_mask, temperature):
    return _soft_max(logits / temperature)


@mutant("7.1", "illegal logits set to 0")
def priors_zeroed(logits, legal_mask, temperature):
    return _soft_max(np.where(legal_mask, logits, 0) / temperature)


@mutant("7.1", "illegal logits set to 0")
def priors_zeroed_twice(logits, legal_mask, temperature):
    return _soft_max(legal_mask * logits / temperature) * legal_mask


@mutant("7.1", "mask upside down")
def priors_of_the_illegal(logits, legal_mask, temperature):
    return _soft_max(np.where(legal_mask, -math.inf, logits / temperature))


@mutant("7.1", "what is missing is shared out evenly")
def priors_evened_out(logits, legal_mask, temperature):
    p = _soft_max(logits / temperature)
    p[~legal_mask] = 0
    p[legal_mask] += (1 - p.sum()) / legal_mask.sum()
    return p


@mutant("7.1", "β upside down")
def priors_times(logits, legal_mask, temperature):
    return _soft_max(np.where(legal_mask, logits * temperature, -math.inf))


@mutant("7.1", "β upside down")
def priors_power(logits, legal_mask, temperature):
    p = _soft_max(np.where(legal_mask, logits, -math.inf)) ** temperature
    return p / p.sum()


@mutant("7.1", "the temperature has no effect")
def priors_tempered_too_late(logits, legal_mask, temperature):
    p = _soft_max(np.where(legal_mask, logits, -math.inf)) / temperature
    return p / p.sum()


@mutant("7.1", "not normalised")
def priors_weights(logits, legal_mask, temperature):
    return [math.exp(x / temperature) * ok for x, ok in zip(logits, legal_mask, strict=True)]


@mutant("7.1", "normalised before the temperature only")
def priors_power_only(logits, legal_mask, temperature):
    return _soft_max(np.where(legal_mask, logits, -math.inf)) ** (1 / temperature)


@mutant("7.1", "no exponential")
def priors_shares(logits, legal_mask, temperature):
    x = np.where(legal_mask, logits / temperature, 0)
    return x / x.sum()


@mutant("7.1", "only the best move")
def priors_greedy(logits, legal_mask, temperature):
    p = np.zeros(len(logits))
    p[np.argmax(np.where(legal_mask, logits, -math.inf))] = 1
    return p


@mutant("7.1", "the logits are changed")
def priors_in_place(logits, legal_mask, temperature):
    logits /= temperature
    logits[~legal_mask] = -math.inf
    return _soft_max(logits)


@mutant("7.1", "not one prior an action")
def priors_of_the_legal(logits, legal_mask, temperature):
    return _soft_max(logits[legal_mask] / temperature)


@mutant("7.1", "overflows")
def priors_large(logits, legal_mask, temperature):
    with np.errstate(all="ignore"):
        weights = np.exp(logits / temperature) * legal_mask
        return weights / weights.sum()


@mutant("7.1", "overflows")
def priors_large_by_math(logits, legal_mask, temperature):
    weights = [math.exp(x / temperature) * ok for x, ok in zip(logits, legal_mask, strict=True)]
    return [weight / sum(weights) for weight in weights]


@mutant("7.1", "overflows")
def priors_largest_of_all(logits, legal_mask, temperature):
    """The largest logit belongs to an illegal move: nothing is left of the others."""
    with np.errstate(all="ignore"):
        weights = np.exp((logits - logits.max()) / temperature) * legal_mask
        return weights / weights.sum()


@mutant("7.1", "returns nothing")
def priors_print(logits, legal_mask, temperature):
    _soft_max(logits)


@right("7.1")
def priors_in_torch(logits, legal_mask, temperature):
    x = torch.tensor(logits).masked_fill(~torch.tensor(legal_mask), -math.inf)
    return (x / temperature).softmax(0)


@right("7.1")
def priors_of_a_network(logits, legal_mask, temperature):
    """In float32, with a gradient, as a network gives them."""
    x = torch.tensor(logits, dtype=torch.float32, requires_grad=True)
    return x.where(torch.tensor(legal_mask), -math.inf).div(temperature).softmax(0)


@mutant("7.1", "not renormalised over the legal moves")
def priors_masked_after_in_torch(logits, legal_mask, temperature):
    return torch.softmax(torch.tensor(logits) / temperature, 0) * torch.tensor(legal_mask)


@mutant("7.1", "not one prior an action")
def priors_of_the_legal_in_torch(logits, legal_mask, temperature):
    return torch.softmax(torch.tensor(logits[legal_mask]) / temperature, 0)


@mutant("7.1", "overflows")
def priors_large_in_torch(logits, legal_mask, temperature):
    weights = (torch.tensor(logits) / temperature).exp() * torch.tensor(legal_mask)
    return weights / weights.sum()


@right("7.1")
def priors_by_powers(logits, legal_mask, temperature):
    p = np.zeros(len(logits))
    p[legal_mask] = np.exp(logits[legal_mask] - logits[legal_mask].max())
    p = (p / p.sum()) ** (1 / temperature)
    return (p / p.sum()).tolist()


@right("7.1")
def priors_in_a_loop(logits, legal_mask, temperature):
    legal = [a for a in range(len(logits)) if legal_mask[a]]
    total = {a: sum(math.exp((logits[b] - logits[a]) / temperature) for b in legal) for a in legal}
    return [1 / total[a] if a in total else 0 for a in range(len(logits))]


# --- 7.2 leaf_value(game, leaf, v, final, mixing_lambda) ---


def _leaf_value(
    mix=lambda v, z, weight: (1 - weight) * v + weight * z,
    result=lambda game, leaf, final: _for_the_leaf(game, leaf, final),
    over=lambda outcome: outcome,
):
    """A value with another mix, another z, or another way at the end."""

    def leaf_value(game, leaf, v, final, mixing_lambda):
        outcome = game.outcome(leaf)
        if outcome is not None and over(outcome) is not None:
            return over(outcome)
        return mix(v, result(game, leaf, final), mixing_lambda)

    return leaf_value


def _for_the_leaf(game, leaf, final):
    z = game.outcome(final)
    return z if game.to_play(leaf) == game.to_play(final) else -z


mutant("7.2", "λ upside down")(_leaf_value(lambda v, z, weight: weight * v + (1 - weight) * z))
mutant("7.2", "the rollout's result for the player to move at its end")(
    _leaf_value(result=lambda game, leaf, final: game.outcome(final))
)
mutant("7.2", "the rollout's result always turned over")(
    _leaf_value(result=lambda game, leaf, final: -game.outcome(final))
)
mutant("7.2", "the rollout's result for the first player")(
    _leaf_value(result=lambda game, leaf, final: game.outcome(final) * [1, -1][game.to_play(final)])
)
mutant("7.2", "z not turned, and a finished game mixed")(
    lambda game, leaf, v, final, weight: (1 - weight) * v + weight * game.outcome(final)
)
mutant("7.2", "a finished game is mixed")(_leaf_value(over=lambda outcome: None))
mutant("7.2", "finished game valued for the wrong player")(_leaf_value(over=lambda x: -x))
mutant("7.2", "λ has no effect")(_leaf_value(lambda v, z, weight: 0.5 * v + 0.5 * z))
mutant("7.2", "the weights do not sum to 1")(_leaf_value(lambda v, z, weight: v + weight * z))
mutant("7.2", "two scales in one mix")(
    _leaf_value(lambda v, z, weight: v + weight * ((z + 1) / 2 - v))
)
mutant("7.2", "the rollout is not used")(_leaf_value(lambda v, z, weight: v))
mutant("7.2", "the network is not used")(_leaf_value(lambda v, z, weight: z))
mutant("7.2", "no named fault")(_leaf_value(lambda v, z, weight: (1 - weight) * v - weight * z))


@mutant("7.2", "the network's value turned over too")
def leaf_value_turned(game, leaf, v, final, mixing_lambda):
    """Mixes first, and turns the whole mix."""
    if game.outcome(leaf) is not None:
        return game.outcome(leaf)
    value = (1 - mixing_lambda) * v + mixing_lambda * game.outcome(final)
    return value if game.to_play(leaf) == game.to_play(final) else -value


@mutant("7.2", "the value for the player who has just moved")
def leaf_value_of_the_parent(game, leaf, v, final, mixing_lambda):
    return -_leaf_value()(game, leaf, v, final, mixing_lambda)


@mutant("7.2", "a draw is taken for no result")
def leaf_value_draw(game, leaf, v, final, mixing_lambda):
    if game.outcome(leaf):
        return game.outcome(leaf)
    return (1 - mixing_lambda) * v + mixing_lambda * _for_the_leaf(game, leaf, final)


@mutant("7.2", "returns nothing")
def leaf_value_forgets(game, leaf, v, final, mixing_lambda):
    if game.outcome(leaf) is not None:
        return game.outcome(leaf)


@right("7.2")
def leaf_value_by_steps(game, leaf, v, final, mixing_lambda):
    z = game.outcome(final)
    if game.to_play(final) != game.to_play(leaf):
        z *= -1
    return np.float64(z if leaf == final else v + mixing_lambda * (z - v))


@right("7.2")
def leaf_value_for_the_first_player(game, leaf, v, final, mixing_lambda):
    """Everything for player 0, turned at the end."""
    sign = [1, -1]
    mine, last = sign[game.to_play(leaf)], sign[game.to_play(final)]
    if (outcome := game.outcome(leaf)) is not None:
        return float(outcome)
    mixed = (1 - mixing_lambda) * v * mine + mixing_lambda * game.outcome(final) * last
    return mixed * mine


# --- 7.3 should_expand(path, leaf, expand_threshold) ---


def _should_expand(passes, over=lambda outcome: outcome is not None):
    def should_expand(path, leaf, expand_threshold):
        return not over(leaf.outcome) and passes(path, leaf, expand_threshold)

    return should_expand


def _last(path):
    node, action = path[-1]
    return node.visit_counts[action]


mutant("7.3", "one visit late")(_should_expand(lambda path, leaf, t: _last(path) > t))
mutant("7.3", "one visit early")(_should_expand(lambda path, leaf, t: _last(path) + 1 >= t))
mutant("7.3", "counted on the parent")(
    _should_expand(lambda path, leaf, t: sum(path[-1][0].visit_counts) + 1 > t)
)
mutant("7.3", "counted on the parent")(
    _should_expand(lambda path, leaf, t: path[-1][0].num_visits > t)
)
mutant("7.3", "counted on the root's edge")(
    _should_expand(lambda path, leaf, t: _last(path[:1]) + 1 > t)
)
mutant("7.3", "counted on the root's edge")(
    _should_expand(lambda path, leaf, t: _last(path[:1]) > t)
)
mutant("7.3", "counted on the leaf's moves")(
    _should_expand(lambda path, leaf, t: leaf.num_visits + 1 > t)
)
mutant("7.3", "counted on the leaf's moves")(
    _should_expand(lambda path, leaf, t: sum(leaf.visit_counts) > t)
)
mutant("7.3", "only the visit that reaches it")(
    _should_expand(lambda path, leaf, t: _last(path) + 1 == t + 1)
)
mutant("7.3", "upside down")(_should_expand(lambda path, leaf, t: not _last(path) + 1 > t))
mutant("7.3", "finished game expanded")(
    _should_expand(lambda path, leaf, t: _last(path) + 1 > t, over=lambda outcome: False)
)
mutant("7.3", "a draw is taken for no result")(
    _should_expand(lambda path, leaf, t: _last(path) + 1 > t, over=bool)
)
mutant("7.3", "no named fault")(lambda path, leaf, expand_threshold: True)


@mutant("7.3", "returns nothing")
def should_expand_or_nothing(path, leaf, expand_threshold):
    if leaf.outcome is None and _last(path) >= expand_threshold:
        return True


@right("7.3")
def should_expand_by_cases(path, leaf, expand_threshold):
    if leaf.outcome is not None:
        return False
    parent, action = path[-1]
    return np.bool_(parent.visit_counts[action] >= expand_threshold)


@right("7.3")
def should_expand_by_legal_moves(path, leaf, expand_threshold):
    *_, (node, action) = path
    before = node.visit_counts[action]
    return bool(leaf.legal_actions) and before > expand_threshold - 1
