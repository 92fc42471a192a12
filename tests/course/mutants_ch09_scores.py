"""Chapter 9, scores and shares: answers as readers could have written them."""

import math

import numpy as np

from tests.course.registry import mutant, right

# --- 9.2 puct_scores(node, c) ---


def _scores(
    bonus=lambda p, n, total, c: c * p * math.sqrt(total or 1) / (1 + n),
    mean=lambda w, n: w / n if n else 0.0,
):
    """A score with another bonus or another mean."""

    def puct_scores(node, c):
        total = sum(node.visit_counts)
        edges = zip(node.value_sum, node.visit_counts, node.prior, strict=True)
        return [mean(w, n) + bonus(p, n, total, c) for w, n, p in edges]

    return puct_scores


mutant("9.2", "√0 at the root")(_scores(lambda p, n, total, c: c * p * math.sqrt(total) / (1 + n)))
mutant("9.2", "one visit too many under the root")(
    _scores(lambda p, n, total, c: c * p * math.sqrt(1 + total) / (1 + n))
)
mutant("9.2", "1 + N forgotten")(
    _scores(lambda p, n, total, c: c * p * math.sqrt(total or 1) / n if n else math.inf)
)
mutant("9.2", "1 + N forgotten")(
    _scores(lambda p, n, total, c: c * p * math.sqrt(total or 1) / (n or 1))
)
mutant("9.2", "ΣN below the line")(
    _scores(lambda p, n, total, c: c * p * math.sqrt(total or 1) / (1 + total))
)
mutant("9.2", "the move's own N under the root")(
    _scores(lambda p, n, total, c: c * p * math.sqrt(n) / (1 + n))
)
mutant("9.2", "the root around the whole fraction")(
    _scores(lambda p, n, total, c: c * p * math.sqrt((total or 1) / (1 + n)))
)
mutant("9.2", "ΣN without its root")(_scores(lambda p, n, total, c: c * p * (total or 1) / (1 + n)))
mutant("9.2", "a logarithm under the root")(
    _scores(lambda p, n, total, c: c * p * math.sqrt(math.log(total or 1)) / (1 + n))
)
mutant("9.2", "the prior is not used")(
    _scores(lambda p, n, total, c: c * math.sqrt(total or 1) / (1 + n))
)
mutant("9.2", "no exploration")(_scores(lambda p, n, total, c: 0.0))
mutant("9.2", "exploration only")(_scores(mean=lambda w, n: 0.0))
mutant("9.2", "opponent's view of Q")(_scores(mean=lambda w, n: -w / n if n else 0.0))
mutant("9.2", "sum instead of mean")(_scores(mean=lambda w, n: w))
mutant("9.2", "W divided by 1 + N")(_scores(mean=lambda w, n: w / (n + 1)))
mutant("9.2", "unvisited move scores infinity")(_scores(mean=lambda w, n: w / n if n else math.inf))
mutant("9.2", "a move without visits divides by zero")(_scores(mean=lambda w, n: w / n))
mutant("9.2", "no named fault")(_scores(lambda p, n, total, c: c * p))


@mutant("9.2", "c is ignored")
def scores_without_c(node, c):
    return _scores()(node, 1.0)


@mutant("9.2", "the node's own value for a move without visits")
def scores_first_play(node, c):
    return _scores(mean=lambda w, n: w / n if n else node.raw_value)(node, c)


@mutant("9.2", "not one score an action")
def scores_of_the_legal(node, c):
    scores = _scores()(node, c)
    return [scores[action] for action in node.legal_actions]


@mutant("9.2", "not one score an action")
def scores_best(node, c):
    scores = _scores()(node, c)
    return max(node.legal_actions, key=scores.__getitem__)


@right("9.2")
def scores_with_arrays(node, c):
    n, w, p = (np.array(x, float) for x in (node.visit_counts, node.value_sum, node.prior))
    q = np.divide(w, n, out=np.zeros_like(w), where=n > 0)
    return q + c * p * np.sqrt(max(n.sum(), 1)) / (1 + n)


@right("9.2")
def scores_illegal_never(node, c):
    scores = _scores()(node, c)
    return [s if a in node.legal_actions else -math.inf for a, s in enumerate(scores)]


# --- 9.3 score_in_points(n_parent, w, n, prior, c, fpu) ---


def _points(q=lambda w, n: 1 - (w / n + 1) / 2, first=lambda fpu: (fpu + 1) / 2, share=0.5):
    def score_in_points(n_parent, w, n, prior, c, fpu):
        mean = first(fpu) if n == 0 else q(w, n)
        return mean + share * c * (math.sqrt(n_parent) / (n + 1)) * prior

    return score_in_points


mutant("9.3", "unvisited means lost, whatever fpu says")(_points(first=lambda fpu: 0))
mutant("9.3", "unvisited means drawn, whatever fpu says")(_points(first=lambda fpu: 0.5))
mutant("9.3", "fpu not turned into points")(_points(first=lambda fpu: fpu))
mutant("9.3", "fpu taken for the other player's")(_points(first=lambda fpu: 1 - (fpu + 1) / 2))
mutant("9.3", "the child's view of Q")(_points(q=lambda w, n: (w / n + 1) / 2))
mutant("9.3", "c not halved")(_points(share=1))
mutant("9.3", "still in [-1, 1]")(_points(q=lambda w, n: -w / n, first=lambda fpu: fpu, share=1))
mutant("9.3", "turned over, but not into points")(_points(q=lambda w, n: 1 - w / n))
mutant("9.3", "negated instead of 1 - q")(_points(q=lambda w, n: -(w / n + 1) / 2))
mutant("9.3", "halved but not shifted")(
    _points(q=lambda w, n: -w / (2 * n), first=lambda fpu: fpu / 2)
)
mutant("9.3", "no named fault")(_points(share=0))


@mutant("9.3", "unvisited move divides by zero")
def points_divides(n_parent, w, n, prior, c, fpu):
    return 1 - (w / n + 1) / 2 + c / 2 * math.sqrt(n_parent) / (n + 1) * prior


@mutant("9.3", "returns nothing")
def points_forgets(n_parent, w, n, prior, c, fpu):
    _points()(n_parent, w, n, prior, c, fpu)


@right("9.3")
def points_of_our_score(n_parent, w, n, prior, c, fpu):
    q = -w / n if n else fpu
    return np.float64((q + c * prior * n_parent**0.5 / (1 + n) + 1) / 2)


# --- 9.5 visit_policy(visit_counts, temperature) ---


def _policy(weight, *, total=sum):
    """Weights of the counts, normalised; right at temperature 0."""

    def visit_policy(visit_counts, temperature):
        if temperature == 0:
            best = visit_counts.index(max(visit_counts))
            return [1.0 if a == best else 0.0 for a in range(len(visit_counts))]
        weights = [weight(n, visit_counts, temperature) for n in visit_counts]
        return [w / total(weights) for w in weights]

    return visit_policy


def _ones(weights):
    return 1


mutant("9.5", "not normalised")(_policy(lambda n, counts, t: n ** (1 / t), total=_ones))
mutant("9.5", "normalised before the power only")(
    _policy(lambda n, counts, t: (n / sum(counts)) ** (1 / t), total=_ones)
)
mutant("9.5", "τ instead of 1 / τ")(_policy(lambda n, counts, t: n**t))
mutant("9.5", "the temperature has no effect")(_policy(lambda n, counts, t: n / t))
mutant("9.5", "soft-max of the visits")(
    _policy(lambda n, counts, t: math.exp((n - max(counts)) / t))
)
mutant("9.5", "soft-max of the shares")(
    _policy(lambda n, counts, t: math.exp((n - max(counts)) / sum(counts) / t))
)
mutant("9.5", "1 + N instead of N")(
    _policy(lambda n, counts, t: ((1 + n) / (1 + max(counts))) ** (1 / t))
)
mutant("9.5", "overflows at a small τ")(_policy(lambda n, counts, t: float(n) ** (1 / t)))
mutant("9.5", "overflows at a small τ")(
    _policy(lambda n, counts, t: (n / sum(counts)) ** (1 / t))  # underflows, all of them
)
mutant("9.5", "no named fault")(_policy(lambda n, counts, t: math.sqrt(n)))


@mutant("9.5", "always the most visited move")
def policy_greedy(visit_counts, temperature):
    return np.eye(len(visit_counts))[np.argmax(visit_counts)]


@mutant("9.5", "τ = 0 divides by zero")
def policy_divides(visit_counts, temperature):
    weights = [(n / max(visit_counts)) ** (1 / temperature) for n in visit_counts]
    return [w / sum(weights) for w in weights]


@mutant("9.5", "τ = 0 divides by zero")
def policy_divides_silently(visit_counts, temperature):
    counts = np.array(visit_counts, float)
    with np.errstate(all="ignore"):
        weights = (counts / counts.max()) ** (np.float64(1) / temperature)
        weights = weights if temperature else weights * np.nan
        return weights / weights.sum()


@mutant("9.5", "τ = 0 taken for τ = 1")
def policy_or_one(visit_counts, temperature):
    weights = [(n / max(visit_counts)) ** (1 / (temperature or 1)) for n in visit_counts]
    return [w / sum(weights) for w in weights]


@mutant("9.5", "equal visits share at τ = 0")
def policy_shares(visit_counts, temperature):
    counts = np.array(visit_counts) / max(visit_counts)
    weights = counts ** (1 / temperature) if temperature else (counts == 1).astype(float)
    return weights / weights.sum()


@mutant("9.5", "not one share an action")
def policy_move(visit_counts, temperature):
    return int(np.argmax(visit_counts))


@mutant("9.5", "returns nothing")
def policy_prints(visit_counts, temperature):
    policy_shares(visit_counts, temperature or 1)


@right("9.5")
def policy_in_logarithms(visit_counts, temperature):
    counts = np.array(visit_counts, float)
    if temperature < 1e-9:
        return np.eye(len(counts))[counts.argmax()]
    with np.errstate(divide="ignore"):
        exponents = np.log(counts) / temperature
    weights = np.exp(exponents - exponents.max())
    return (weights / weights.sum()).tolist()
