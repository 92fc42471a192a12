"""Chapter 12, a descent step as look-ups: answers as readers could write them."""

import torch

from tests.course.registry import mutant, right

# --- 12.5 step_down(node, visit_counts, value_sum, prior, legal_mask, child) ---


def _down(
    node,
    visit_counts,
    value_sum,
    prior,
    legal_mask,
    child,
    *,
    row=None,
    mean=lambda n, w: torch.where(n > 0, w / n.clamp(min=1), 0.0),
    total=lambda n: n.sum(-1, keepdim=True).clamp(min=1),
    mask=lambda score, legal: score.masked_fill(~legal, -torch.inf),
    best=lambda score: score.argmax(-1),
    follow=lambda behind, node: torch.where(behind > 0, behind, node),
):
    """The right way, with one step replaced."""
    games = torch.arange(len(node))
    at = games, node if row is None else row(node)
    n, w, p, legal = visit_counts[at], value_sum[at], prior[at], legal_mask[at]
    score = mask(mean(n, w) + total(n).sqrt() * p / (1 + n), legal)
    action = best(score)
    return action, follow(child[games, node, action], node)


@mutant("12.5", "row 0 is taken for a child")
def down_to_the_top(*tables):
    return _down(*tables, follow=lambda behind, node: behind)


@mutant("12.5", "mask forgotten")
def down_anywhere(*tables):
    return _down(*tables, mask=lambda score, legal: score)


@mutant("12.5", "mask forgotten")
def down_masked_by_multiplying(*tables):
    return _down(*tables, mask=lambda score, legal: score * legal)


@mutant("12.5", "mask forgotten")
def down_masked_with_zero(*tables):
    return _down(*tables, mask=lambda score, legal: torch.where(legal, score, 0.0))


@mutant("12.5", "0 / 0 wins")
def down_dividing(*tables):
    return _down(*tables, mean=lambda n, w: w / n)


@mutant("12.5", "the root's statistics at every level")
def down_from_the_root(*tables):
    return _down(*tables, row=torch.zeros_like)


@mutant("12.5", "√0 hides the priors")
def down_without_priors(*tables):
    return _down(*tables, total=lambda n: n.sum(-1, keepdim=True))


@mutant("12.5", "the sum of N runs over all games")
def down_one_total(*tables):
    return _down(*tables, total=lambda n: n.sum().clamp(min=1))


@mutant("12.5", "the mean's sign is turned")
def down_negated(*tables):
    return _down(*tables, mean=lambda n, w: torch.where(n > 0, -w / n.clamp(min=1), 0.0))


@mutant("12.5", "the last of equals")
def down_to_the_last(*tables):
    return _down(*tables, best=lambda score: 3 - score.flip(-1).argmax(-1))


@mutant("12.5", "a loop over the games")
def down_in_a_loop(node, visit_counts, value_sum, prior, legal_mask, child):
    tables = (visit_counts, value_sum, prior, legal_mask, child)
    games = [
        _down(node[g : g + 1], *(table[g : g + 1] for table in tables)) for g in range(len(node))
    ]
    return tuple(torch.cat(parts) for parts in zip(*games, strict=True))


@mutant("12.5", "numbers fetched from the device")
def down_in_numpy(node, visit_counts, value_sum, prior, legal_mask, child):
    tables = (node, visit_counts, value_sum, prior, legal_mask, child)
    return _down(*(torch.from_numpy(table.numpy()) for table in tables))


@mutant("12.5", "numbers fetched from the device")
def down_with_a_list(node, visit_counts, value_sum, prior, legal_mask, child):
    action, _ = _down(node, visit_counts, value_sum, prior, legal_mask, child)
    behind = child[torch.arange(len(node)), node, action]
    return action, [b or n for b, n in zip(behind.tolist(), node.tolist(), strict=True)]


@mutant("12.5", "every node for every game")
def down_for_all(node, visit_counts, value_sum, prior, legal_mask, child):
    n, w, p, legal = (t[:, node] for t in (visit_counts, value_sum, prior, legal_mask))
    score = w / n.clamp(min=1) + n.sum(-1, keepdim=True).clamp(min=1).sqrt() * p / (1 + n)
    action = score.masked_fill(~legal, -torch.inf).argmax(-1)
    behind = child[:, node].gather(-1, action[..., None])[..., 0]
    return action, torch.where(behind > 0, behind, node)


@mutant("12.5", "not a pair of int [B]")
def down_actions_only(*tables):
    return _down(*tables)[0]


@mutant("12.5", "no named fault")
def down_without_means(*tables):
    return _down(*tables, mean=lambda n, w: w * 0)


@right("12.5")
def down_by_gather(node, visit_counts, value_sum, prior, legal_mask, child):
    def at_node(table):
        index = node[:, None, None].expand(-1, 1, table.shape[-1])
        return table.gather(1, index).squeeze(1)

    n, w, p = at_node(visit_counts), at_node(value_sum), at_node(prior)
    q = (w / n).nan_to_num(0.0)
    score = q + n.sum(1, keepdim=True).clamp(min=1).sqrt() * p / (n + 1)
    score[~at_node(legal_mask)] = -torch.inf
    action = score.max(dim=1).indices
    behind = at_node(child).gather(1, action[:, None])[:, 0]
    return action, behind + node * (behind == 0)


@right("12.5")
def down_with_flat_indices(node, visit_counts, value_sum, prior, legal_mask, child):
    num_games, num_nodes, num_actions = prior.shape
    place = torch.arange(num_games) * num_nodes + node
    n, w, p, legal, kids = (
        table.reshape(-1, num_actions)[place]
        for table in (visit_counts, value_sum, prior, legal_mask, child)
    )
    root = torch.maximum(n.sum(1), torch.ones(())).sqrt()[:, None]
    q = torch.where(n == 0, torch.zeros_like(w), w / n)
    action = (q + root * p / (1 + n) - torch.where(legal, 0.0, torch.inf)).argmax(dim=1)
    behind = kids.gather(1, action[:, None]).squeeze(1)
    return [action, torch.where(behind == 0, node, behind)]
