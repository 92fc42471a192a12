"""Chapter 9, noise in the root's prior: answers as readers could have written them."""

import numpy as np

from tests.course.registry import mutant, right

# --- 9.4 noisy_prior(prior, legal_actions, alpha, fraction, rng) ---


def _noise(prior, legal_actions, alpha, rng):
    noise = np.zeros(len(prior))
    noise[legal_actions] = rng.dirichlet([alpha] * len(legal_actions))
    return noise


def _mixed(alpha_of=lambda alpha, num_legal: alpha, weights=lambda f: (1 - f, f)):
    def noisy_prior(prior, legal_actions, alpha, fraction, rng):
        noise = _noise(prior, legal_actions, alpha_of(alpha, len(legal_actions)), rng)
        of_prior, of_noise = weights(fraction)
        return of_prior * np.array(prior) + of_noise * noise

    return noisy_prior


mutant("9.4", "the fraction the wrong way round")(_mixed(weights=lambda f: (f, 1 - f)))
mutant("9.4", "the prior is lost")(_mixed(weights=lambda f: (0, 1)))
mutant("9.4", "no noise")(_mixed(weights=lambda f: (1, 0)))
mutant("9.4", "the prior is not shrunk")(_mixed(weights=lambda f: (1, f)))
mutant("9.4", "does not sum to 1")(_mixed(weights=lambda f: (1, 1)))
mutant("9.4", "alpha divided among the moves")(_mixed(lambda alpha, num_legal: alpha / num_legal))
mutant("9.4", "alpha multiplied by the moves")(_mixed(lambda alpha, num_legal: alpha * num_legal))
mutant("9.4", "alpha made from the number of moves")(
    _mixed(lambda alpha, num_legal: 10 / num_legal)
)
mutant("9.4", "alpha turned over")(_mixed(lambda alpha, num_legal: 1 / alpha))
mutant("9.4", "no named fault")(_mixed(lambda alpha, num_legal: 50.0))


@mutant("9.4", "noise drawn over the illegal moves too")
def noise_masked_afterwards(prior, legal_actions, alpha, fraction, rng):
    mixed = (1 - fraction) * np.array(prior) + fraction * rng.dirichlet([alpha] * len(prior))
    mask = np.zeros(len(prior))
    mask[legal_actions] = 1
    return mixed * mask / (mixed * mask).sum()


@mutant("9.4", "noise on illegal moves")
def noise_everywhere(prior, legal_actions, alpha, fraction, rng):
    noise = rng.dirichlet([alpha] * len(prior))
    return [(1 - fraction) * p + fraction * x for p, x in zip(prior, noise, strict=True)]


@mutant("9.4", "noise on illegal moves")
def noise_by_place(prior, legal_actions, alpha, fraction, rng):
    mixed = [(1 - fraction) * p for p in prior]
    for place, x in enumerate(rng.dirichlet([alpha] * len(legal_actions))):
        mixed[place] += fraction * x
    return mixed


@mutant("9.4", "part of the noise is thrown away")
def noise_masked(prior, legal_actions, alpha, fraction, rng):
    noise = rng.dirichlet([alpha] * len(prior))
    mask = np.zeros(len(prior))
    mask[legal_actions] = 1
    return (1 - fraction) * np.array(prior) + fraction * noise * mask


@mutant("9.4", "uniform numbers instead of Dirichlet's")
def noise_uniform(prior, legal_actions, alpha, fraction, rng):
    mixed = (1 - fraction) * np.array(prior)
    numbers = rng.random(len(legal_actions))
    mixed[legal_actions] += fraction * numbers / numbers.sum()
    return mixed


@mutant("9.4", "the same noise every time")
def noise_seeded(prior, legal_actions, alpha, fraction, rng):
    return _mixed()(prior, legal_actions, alpha, fraction, np.random.default_rng(0))


@mutant("9.4", "another generator than the one given")
def noise_global(prior, legal_actions, alpha, fraction, rng):
    return _mixed()(prior, legal_actions, alpha, fraction, np.random)


@mutant("9.4", "changes the prior that it was given")
def noise_in_place(prior, legal_actions, alpha, fraction, rng):
    noise = _noise(prior, legal_actions, alpha, rng)
    for action in legal_actions:
        prior[action] = (1 - fraction) * prior[action] + fraction * noise[action]
    return prior


@mutant("9.4", "not one share an action")
def noise_of_the_legal(prior, legal_actions, alpha, fraction, rng):
    noise = rng.dirichlet([alpha] * len(legal_actions))
    pairs = zip(legal_actions, noise, strict=True)
    return [(1 - fraction) * prior[action] + fraction * x for action, x in pairs]


@mutant("9.4", "returns nothing")
def noise_adds(prior, legal_actions, alpha, fraction, rng):
    _mixed()(prior, legal_actions, alpha, fraction, rng)


@right("9.4")
def noise_from_gammas(prior, legal_actions, alpha, fraction, rng):
    """Dirichlet numbers are gamma numbers made to sum to 1."""
    numbers = {action: rng.gamma(alpha) for action in legal_actions}
    total = sum(numbers.values())
    return [
        (1 - fraction) * p + fraction * numbers.get(action, 0.0) / total
        for action, p in enumerate(prior)
    ]


@right("9.4")
def noise_over_all_but_normalised_first(prior, legal_actions, alpha, fraction, rng):
    """A part of a Dirichlet vector, made to sum to 1, is Dirichlet again."""
    numbers = rng.gamma(alpha, size=len(prior))
    mask = np.isin(np.arange(len(prior)), legal_actions)
    numbers = np.where(mask, numbers, 0)
    return (1 - fraction) * np.array(prior) + fraction * numbers / numbers.sum()
