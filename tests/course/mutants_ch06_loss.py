"""Chapter 6, the loss: answers as readers could have written them."""

import numpy as np
import torch

from tests.course.registry import mutant, right

# --- 6.2 reinforce_loss(log_p, action, by_learner, z, baseline, num_games) ---


def _chosen(log_p, action):
    return log_p.gather(1, action[:, None]).squeeze(1)


def _loss(
    weight=lambda z, b, own: (z - b.detach()) * own,
    of=_chosen,
    total=lambda terms, own, n: -terms.sum() / n,
):
    """A loss with other weights, of something else, or summed up in another way."""

    def reinforce_loss(log_p, action, by_learner, z, baseline, num_games):
        terms = weight(z, baseline, by_learner) * of(log_p, action)
        return total(terms, by_learner, num_games)

    return reinforce_loss


mutant("6.2", "the sign lost")(_loss(total=lambda terms, own, n: terms.sum() / n))
mutant("6.2", "the opponent's moves are learnt too")(_loss(lambda z, b, own: z - b.detach()))
mutant("6.2", "the opponent's moves instead of the learner's")(
    _loss(lambda z, b, own: (z - b.detach()) * ~own)
)
mutant("6.2", "a mean over moves instead of games")(
    _loss(total=lambda terms, own, n: -terms[own].mean())
)
mutant("6.2", "a mean over moves instead of games")(
    _loss(total=lambda terms, own, n: -terms.mean())
)
mutant("6.2", "summed over the games")(_loss(total=lambda terms, own, n: -terms.sum()))
mutant("6.2", "the baseline is not used")(_loss(lambda z, b, own: z * own))
mutant("6.2", "the baseline added")(_loss(lambda z, b, own: (z + b.detach()) * own))
mutant("6.2", "only the better games count")(
    _loss(lambda z, b, own: (z - b.detach()).clamp(min=0) * own)
)
mutant("6.2", "the size of z − b lost")(_loss(lambda z, b, own: (z - b.detach()).sign() * own))
mutant("6.2", "probabilities instead of logarithms")(
    _loss(of=lambda log_p, action: _chosen(log_p.exp(), action))
)
mutant("6.2", "the favourite instead of the move made")(
    _loss(of=lambda log_p, action: log_p.max(dim=1).values)
)
mutant("6.2", "every weight times every logarithm")(
    _loss(of=lambda log_p, action: log_p.gather(1, action[:, None]))
)
mutant("6.2", "every weight times every logarithm")(
    _loss(lambda z, b, own: ((z - b.detach()) * own)[:, None])
)
mutant("6.2", "every row is asked for every move")(_loss(of=lambda log_p, action: log_p[:, action]))
mutant("6.2", "every row is asked for every move")(
    _loss(lambda z, b, own: ((z - b.detach()) * own)[:, None], lambda log_p, a: log_p[:, a])
)
mutant("6.2", "one loss a move")(_loss(total=lambda terms, own, n: -terms / n))
mutant("6.2", "the gradient flows into the baseline")(_loss(lambda z, b, own: (z - b) * own))
mutant("6.2", "no gradient")(_loss(total=lambda terms, own, n: -terms.sum().item() / n))
mutant("6.2", "no gradient")(_loss(of=lambda log_p, action: _chosen(log_p.detach(), action)))
mutant("6.2", "no named fault")(_loss(lambda z, b, own: (z - b.detach()) ** 2 * own))


@mutant("6.2", "every weight times every logarithm")
def loss_of_the_learners_square(log_p, action, by_learner, z, baseline, num_games):
    chosen = log_p[by_learner].gather(1, action[by_learner].unsqueeze(1))
    return -((z - baseline.detach())[by_learner] * chosen).sum() / num_games


@mutant("6.2", "changes what it was given")
def loss_in_place_of_log_p(log_p, action, by_learner, z, baseline, num_games):
    log_p[~by_learner] = 0
    return _loss()(log_p, action, by_learner, z, baseline, num_games)


@mutant("6.2", "changes what it was given")
def loss_in_place_of_z(log_p, action, by_learner, z, baseline, num_games):
    z -= baseline.detach()
    return _loss(lambda z, b, own: z * own)(log_p, action, by_learner, z, baseline, num_games)


@mutant("6.2", "changes what it was given")
def loss_in_place_of_b(log_p, action, by_learner, z, baseline, num_games):
    baseline *= by_learner
    return _loss()(log_p, action, by_learner, z, baseline, num_games)


@mutant("6.2", "the loss is not a number")
def loss_by_one_hot(log_p, action, by_learner, z, baseline, num_games):
    one_hot = torch.nn.functional.one_hot(action, log_p.shape[1])
    chosen = (one_hot * log_p).sum(dim=1)
    return -((z - baseline.detach()) * chosen * by_learner).sum() / num_games


@mutant("6.2", "no gradient")
def loss_of_the_baseline_alone(log_p, action, by_learner, z, baseline, num_games):
    return ((z - baseline) ** 2).mean()


@mutant("6.2", "no gradient")
def loss_in_numpy(log_p, action, by_learner, z, baseline, num_games):
    rows = np.arange(len(action))
    chosen = log_p.detach().numpy()[rows, action.numpy()]
    weight = (z - baseline).detach().numpy() * by_learner.numpy()
    return float(-(weight * chosen).sum() / num_games)


@mutant("6.2", "returns nothing")
def loss_forgotten(log_p, action, by_learner, z, baseline, num_games):
    _loss()(log_p, action, by_learner, z, baseline, num_games)


@right("6.2")
def loss_of_the_learners_rows(log_p, action, by_learner, z, baseline, num_games):
    rows = torch.nonzero(by_learner).squeeze(1)
    advantage = (z - baseline)[rows].detach()
    return (-log_p[rows, action[rows]] * advantage).sum() / num_games


@right("6.2")
def loss_by_ratio(log_p, action, by_learner, z, baseline, num_games):
    """The same gradient from p / p, whose value is another one."""
    p = _chosen(log_p, action).exp()
    with torch.no_grad():
        weight = (z - baseline) * by_learner / p
    return (-(weight * p).sum() / num_games).reshape(1)


@right("6.2")
def loss_in_a_loop(log_p, action, by_learner, z, baseline, num_games):
    loss = 0.0
    for i in range(len(action)):
        if by_learner[i]:
            loss = loss - (z[i] - baseline[i]).item() * log_p[i, action[i]]
    return loss / num_games
