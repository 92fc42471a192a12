"""Chapter 13, gpu: answers as readers could have written them."""

import numpy as np
import torch

from azlearn.learning.device.hashed_draws import GOLDEN, mixed, uniform
from tests.course.registry import mutant, right

# --- 13.1 run_queue(work, reads, launch) ---


@right("13.1")
def queue_by_ends(work, reads, launch):
    told, ends = 0, [0]
    for duration, is_read in zip(work, reads, strict=True):
        told += launch
        ends.append(max(ends[-1], told) + duration)
        told = max(told, ends[-1]) if is_read else told
    return [end - duration for end, duration in zip(ends[1:], work, strict=True)]


@right("13.1")
def queue_as_an_iterator(work, reads, launch):
    clock = np.zeros(2)
    for duration, is_read in zip(work, reads, strict=True):
        clock[0] += launch
        clock[1] = clock.max()
        yield float(clock[1])
        clock[1] += duration
        clock[0] = clock[is_read * 1]


@mutant("13.1", "no named fault")
def queue_all_at_once(work, reads, launch):
    return [launch * (1 + i) for i in range(len(work))][::-1]


@mutant("13.1", "a read does not wait")
def queue_without_reads(work, reads, launch):
    return queue_by_ends(work, [False] * len(work), launch)


@mutant("13.1", "the host waits for everything")
def queue_step_by_step(work, reads, launch):
    return queue_by_ends(work, [True] * len(work), launch)


# --- 13.2 choose(visits, ply, u, temperature_plies) ---


@right("13.2")
def choose_by_searching(visits, ply, u, temperature_plies):
    sums = visits.cumsum(-1).double()
    drawn = torch.searchsorted(sums, u[:, None] * sums[:, -1:], right=True)[:, 0]
    is_early = (ply < temperature_plies).long()
    return is_early * drawn + (1 - is_early) * visits.max(1).indices


@right("13.2")
def choose_by_counting(visits, ply, u, temperature_plies):
    sums = torch.cumsum(visits, 1)
    not_above = (sums <= u.unsqueeze(1) * sums[:, -1].unsqueeze(1)).sum(1)
    return not_above.where(ply < temperature_plies, visits.argmax(dim=1))


@mutant("13.2", "a host sync")
def choose_with_a_mask(visits, ply, u, temperature_plies):
    moves, is_late = choose_by_counting(visits, ply, u, 99), ply >= temperature_plies
    moves[is_late] = visits[is_late].argmax(1)
    return moves


@mutant("13.2", "a host sync")
def choose_if_any_is_early(visits, ply, u, temperature_plies):
    if (ply < temperature_plies).any():
        return choose_by_counting(visits, ply, u, temperature_plies)
    return visits.argmax(1)


@mutant("13.2", "a host sync")
def choose_in_numpy(visits, ply, u, temperature_plies):
    n = visits.numpy()
    drawn = (n.cumsum(1) > (u.numpy() * n.sum(1))[:, None]).argmax(1)
    return torch.from_numpy(np.where(ply.numpy() < temperature_plies, drawn, n.argmax(1)))


@mutant("13.2", "a loop over the games")
def choose_in_a_loop(visits, ply, u, temperature_plies):
    games = [slice(g, g + 1) for g in range(len(ply))]
    return torch.cat(
        [choose_by_counting(visits[g], ply[g], u[g], temperature_plies) for g in games]
    )


@mutant("13.2", "not a move for every game")
def choose_for_the_first(*given):
    return choose_by_counting(*given)[:1]


@mutant("13.2", "no named fault")
def choose_at_random(visits, ply, u, temperature_plies):
    return (u * visits.shape[1]).long()


# --- 13.3 mean_loss(loss, is_real) ---


@right("13.3")
def mean_by_filling(loss, is_real):
    return loss.masked_fill(~is_real, 0.0).sum() / torch.maximum(is_real.sum(), torch.ones(()))


@right("13.3")
def mean_by_choosing(loss, is_real):
    number = is_real.double().sum()
    mean = torch.where(is_real, loss, torch.zeros_like(loss)).sum() / number
    return torch.where(number > 0, mean, 0.0)


@mutant("13.3", "a shape that depends on the data")
def mean_of_the_masked(loss, is_real):
    kept = loss[is_real]
    return kept.sum() / max(1, len(kept))


@mutant("13.3", "a shape that depends on the data")
def mean_by_nonzero(loss, is_real):
    rows = is_real.nonzero()[:, 0]
    return loss[rows].sum() / max(1, len(rows))


@mutant("13.3", "not one number")
def mean_of_each(loss, is_real):
    return torch.where(is_real, loss, 0.0) / is_real.sum().clamp(min=1)


@mutant("13.3", "no named fault")
def mean_as_the_median(loss, is_real):
    return torch.where(is_real, loss, torch.nan).nanmedian()


# --- 13.4 step_down(node, visit_counts, value_sum, prior, legal_mask, child) ---


@right("13.4")
def down_by_gather(node, visit_counts, value_sum, prior, legal_mask, child):
    def at_node(table):
        index = node[:, None, None].expand(-1, 1, table.shape[-1])
        return table.gather(1, index).squeeze(1)

    n, w, p = at_node(visit_counts), at_node(value_sum), at_node(prior)
    score = (w / n).nan_to_num(0.0) + n.sum(1, keepdim=True).clamp(min=1).sqrt() * p / (n + 1)
    score.masked_fill_(~at_node(legal_mask), -torch.inf)
    action = score.max(dim=1).indices
    behind = at_node(child).gather(1, action[:, None])[:, 0]
    return action, behind + node * (behind == 0)


@right("13.4")
def down_with_all_scores(node, visit_counts, value_sum, prior, legal_mask, child):
    root = visit_counts.sum(-1, keepdim=True).clamp(min=1).double().sqrt()
    scores = value_sum / (visit_counts + 1e-12) + root * prior / (1 + visit_counts)
    games = torch.arange(len(node))
    action = scores.where(legal_mask, -torch.inf)[games, node].argmax(-1)
    behind = child[games, node, action]
    return [action, torch.where(behind == 0, node, behind)]


@mutant("13.4", "a loop over the games")
def down_in_a_loop(*tables):
    games = [down_by_gather(*(table[g : g + 1] for table in tables)) for g in range(len(tables[0]))]
    return tuple(torch.cat(parts) for parts in zip(*games, strict=True))


@mutant("13.4", "numbers fetched from the device")
def down_in_numpy(*tables):
    return down_by_gather(*(torch.from_numpy(table.numpy()) for table in tables))


@mutant("13.4", "not a pair of int [B]")
def down_actions_only(*tables):
    return down_by_gather(*tables)[0]


@mutant("13.4", "every node for every game")
def down_for_all(node, visit_counts, value_sum, prior, legal_mask, child):
    n, w, p, legal = (table[:, node] for table in (visit_counts, value_sum, prior, legal_mask))
    score = w / n.clamp(min=1) + n.sum(-1, keepdim=True).clamp(min=1).sqrt() * p / (1 + n)
    action = score.masked_fill(~legal, -torch.inf).argmax(-1)
    behind = child[:, node].gather(-1, action[..., None])[..., 0]
    return action, torch.where(behind > 0, behind, node)


@mutant("13.4", "no named fault")
def down_masked_by_the_prior(node, visit_counts, value_sum, prior, legal_mask, child):
    return down_by_gather(node, visit_counts, value_sum, prior, prior > 0, child)


# --- 13.5 refresh_end(line, behind, end) ---


@right("13.5")
def ends_by_the_level_where_a_descent_leaves(line, behind, end):
    """As TensorTrees does it: without a loop."""
    levels = line.shape[1]
    found = torch.where(behind > 0, end.gather(1, behind), line)
    stays = (behind[:, :-1] == line[:, 1:]) & (behind[:, :-1] > 0)
    place = torch.arange(levels).expand(line.shape)
    leaves = torch.where(stays, levels, place[:, :-1])
    leaves = torch.cat([leaves, place[:, -1:]], dim=1).flip(1).cummin(1).values.flip(1)
    return found.gather(1, leaves)


@right("13.5")
def ends_written_one_after_the_other(line, behind, end):
    known, columns = end.clone(), []
    for level in range(line.shape[1] - 1, -1, -1):
        node, next_node = line[:, level : level + 1], behind[:, level : level + 1]
        arrives = torch.where(next_node > 0, known.gather(1, next_node), node)
        known.scatter_(1, node, arrives)
        columns.insert(0, arrives)
    return torch.cat(columns, 1)


@mutant("13.5", "a host sync")
def ends_until_nothing_changes(line, behind, end):
    found = ends_written_one_after_the_other(line, behind, end)
    while not torch.equal(found, ends_written_one_after_the_other(line, behind, end)):
        found = found.clone()
    return found


@mutant("13.5", "a loop over the games")
def ends_game_by_game(line, behind, end):
    rows = [slice(g, g + 1) for g in range(len(line))]
    parts = [ends_written_one_after_the_other(line[g], behind[g], end[g]) for g in rows]
    return torch.cat(parts)


@mutant("13.5", "the old ends are overwritten")
def ends_in_place(line, behind, end):
    found = ends_written_one_after_the_other(line, behind, end)
    end.scatter_(1, line, found)
    return found


@mutant("13.5", "not an end for every node")
def ends_of_the_roots(*given):
    return ends_written_one_after_the_other(*given)[:, 0]


@mutant("13.5", "no named fault")
def ends_as_they_lie_behind(line, behind, end):
    return behind


# --- 13.6 roll(seed, game, ply) ---


@right("13.6")
def roll_nested(seed, game, ply):
    bits = mixed((ply ^ mixed((game ^ seed) + GOLDEN)) + GOLDEN)
    upper = torch.bitwise_and(bits >> 12, (1 << 52) - 1)
    return (upper.double() + 0.5).ldexp(torch.tensor(-52))


@right("13.6")
def roll_without_a_sign(seed, game, ply):
    bits = mixed((ply ^ mixed((game ^ seed) + GOLDEN)) + GOLDEN)
    upper = (bits >> 12).double()
    return (torch.where(bits < 0, upper + 2.0**52, upper) + 0.5) * 2.0**-52


@mutant("13.6", "another number every time")
def roll_a_generator(seed, game, ply):
    return torch.rand(len(game), dtype=torch.float64)


@mutant("13.6", "not a draw for every game")
def roll_once(seed, game, ply):
    return roll_nested(seed, game, ply)[0]


@mutant("13.6", "a host sync")
def roll_in_python(seed, game, ply):
    pairs = zip(game.tolist(), ply.tolist(), strict=True)
    one = [roll_nested(seed, *(torch.tensor([n]) for n in pair)) for pair in pairs]
    return torch.cat(one)


@mutant("13.6", "the lowest bits")
def roll_the_lowest(seed, game, ply):
    bits = mixed((ply ^ mixed((game ^ seed) + GOLDEN)) + GOLDEN)
    return ((bits % 2**52) + 0.5).double() / 2**52


@mutant("13.6", "no named fault")
def roll_for_a_purpose(seed, game, ply):
    return uniform(seed, 0, game, ply)


# --- 13.7 write_ring(ring, added, samples, is_new) ---


@right("13.7")
def write_by_index_copy(ring, added, samples, is_new):
    size = ring.shape[0] - 1
    number = added + torch.cumsum(is_new.long(), 0) - is_new.long()
    place = (number % size).masked_fill(~is_new, size)
    ring.index_copy_(0, place, samples)
    added.add_(is_new.long().sum())


@right("13.7")
def write_by_gathering(ring, added, samples, is_new):
    """From the ring's side: which sample comes to this place?"""
    size = len(ring) - 1
    ahead = (torch.arange(size) - added) % size + 1  # the number among the new ones
    comes = is_new[None, :] & (is_new.cumsum(0)[None, :] == ahead[:, None])
    ring[:size].copy_(torch.where(comes.any(1), samples[comes.int().argmax(1)], ring[:size]))
    added += is_new.sum()


@mutant("13.7", "a shape that depends on the data")
def write_the_new_ones(ring, added, samples, is_new):
    new = samples[is_new]
    ring[(added + torch.arange(len(new))) % (len(ring) - 1)] = new
    added += len(new)


@mutant("13.7", "a shape that depends on the data")
def write_one_by_one(ring, added, samples, is_new):
    for sample, new in zip(samples, is_new, strict=True):
        if new:
            ring[added % (len(ring) - 1)] = sample
            added += 1


@mutant("13.7", "no named fault")
def write_and_clear(ring, added, samples, is_new):
    write_by_index_copy(ring, added, samples, is_new)
    ring[0] = 0


# --- 13.8 roofline(flops, weight_bytes, bytes_each, batch, peak, bandwidth) ---


@right("13.8")
def roof_by_seconds(flops, weight_bytes, bytes_each, batch, peak, bandwidth):
    work, moved = batch * flops, weight_bytes + batch * bytes_each
    seconds = max(work / peak, moved / bandwidth)
    return work / moved, work / seconds, batch / seconds


@right("13.8")
def roof_by_the_ridge(flops, weight_bytes, bytes_each, batch, peak, bandwidth):
    intensity = flops / (weight_bytes / batch + bytes_each)
    attainable = peak if intensity >= peak / bandwidth else bandwidth * intensity
    return [intensity, attainable, attainable / flops]


@mutant("13.8", "not three numbers")
def roof_alone(*given):
    return roof_by_seconds(*given)[1]


@mutant("13.8", "the higher roof")
def roof_by_the_shorter_time(flops, weight_bytes, bytes_each, batch, peak, bandwidth):
    work, moved = batch * flops, weight_bytes + batch * bytes_each
    seconds = min(work / peak, moved / bandwidth)
    return work / moved, work / seconds, batch / seconds


@mutant("13.8", "no named fault")
def roof_with_both_times(flops, weight_bytes, bytes_each, batch, peak, bandwidth):
    work, moved = batch * flops, weight_bytes + batch * bytes_each
    seconds = work / peak + moved / bandwidth
    return work / moved, work / seconds, batch / seconds
