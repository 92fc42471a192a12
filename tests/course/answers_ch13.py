"""Chapter 13, gpu: answers as readers could have written them."""

import numpy as np
import torch

from azlearn.search.engine.draws import GOLDEN, mixed
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


# --- 13.2 keep(launch, g, slots, answers, claims, cache, atomic_max) ---


@right("13.2")
def keep_by_phases(launch, g, slots, answers, claims, cache, atomic_max):
    s, mine = slots[g], g + 1
    if s != -1 and not launch:
        atomic_max(claims, s, mine)
    if s != -1 and launch and claims[s] == mine:
        claims[s], cache[s] = 0, answers[g]


@right("13.2")
def keep_with_another_claim(launch, g, slots, answers, claims, cache, atomic_max):
    """Any number that grows with the thread will do."""
    if slots[g] >= 0:
        if launch == 0:
            atomic_max(claims, slots[g], 5 * g + 2)
        elif (claims[slots[g]] - 2) // 5 == g and claims[slots[g]]:
            cache[slots[g]] = answers[g]
            claims[slots[g]] -= 5 * g + 2


@mutant("13.2", "everybody writes")
def keep_without_asking(launch, g, slots, answers, claims, cache, atomic_max):
    if slots[g] >= 0 and launch == 0:
        atomic_max(claims, slots[g], g + 1)
    if slots[g] >= 0 and launch == 1:
        cache[slots[g]], claims[slots[g]] = answers[g], 0


@mutant("13.2", "compared, then written")
def keep_if_higher(launch, g, slots, answers, claims, cache, atomic_max):
    slot = slots[g]
    if slot >= 0 and launch == 0:
        higher = max(g + 1, claims[slot])
        claims[slot] = higher
    elif slot >= 0 and claims[slot] == g + 1:
        cache[slot], claims[slot] = answers[g], 0


@mutant("13.2", "the claim stays")
def keep_the_claim(launch, g, slots, answers, claims, cache, atomic_max):
    if slots[g] < 0:
        return
    if launch == 0:
        atomic_max(claims, slots[g], g + 1)
    if launch == 1 and claims[slots[g]] == g + 1:
        cache[slots[g]] = answers[g]


@mutant("13.2", "no named fault")
def keep_the_sum(launch, g, slots, answers, claims, cache, atomic_max):
    if launch == 1 and slots[g] >= 0:
        atomic_max(cache, slots[g], answers[g] + 1)


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


# --- 13.4 active_lanes(depths, width) ---


@right("13.4")
def lanes_as_a_matrix(depths, width):
    filled = np.zeros(-(-len(depths) // width) * width, int)
    filled[: len(depths)] = depths
    warps = filled.reshape(-1, width)
    walking = (np.array(depths)[:, None] > np.arange(max(depths))).sum(0)
    return walking, warps.sum() / (warps.max(1).sum() * width)


@right("13.4")
def lanes_level_by_level(depths, width):
    walking, passed, level = [], 0, 0
    while any(depth > level for depth in depths):
        lanes = [g for g, depth in enumerate(depths) if depth > level]
        walking.append(len(lanes))
        passed += width * len({g // width for g in lanes})
        level += 1
    return [walking, sum(walking) / passed]


@mutant("13.4", "all games in one warp")
def lanes_of_all(depths, width):
    return lanes_as_a_matrix(depths, len(depths))


@mutant("13.4", "the mean of the warps")
def lanes_averaged(depths, width):
    warps = [depths[i : i + width] for i in range(0, len(depths), width)]
    each = [lanes_as_a_matrix(some, width)[1] for some in warps]
    return lanes_as_a_matrix(depths, width)[0], np.mean(each)


@mutant("13.4", "not a list and a share")
def lanes_share_only(depths, width):
    return lanes_as_a_matrix(depths, width)[1]


@mutant("13.4", "no named fault")
def lanes_at_least_half(depths, width):
    walking, share = lanes_as_a_matrix(depths, width)
    return walking, max(share, 0.5)


# --- 13.5 prefix_sums(counts) ---


@right("13.5")
def sums_into_new_memory(counts):
    sums, step = counts, 1
    while step < counts.numel():
        new = sums.clone()
        new[step:] += sums[:-step]
        sums, step = new, 2 * step
    return sums


@right("13.5")
def sums_of_halves(counts):
    """Pairs, their prefix sums, and back (Blelloch 1990)."""
    n = counts.shape[0]
    if n == 1:
        return counts.clone()
    padded = torch.cat([counts, counts.new_zeros(n % 2)]).view(-1, 2)
    pairs = sums_of_halves(padded.sum(1))
    return torch.stack([pairs - padded[:, 1], pairs], dim=1).view(-1)[:n]


@mutant("13.5", "a ready-made sum")
def sums_ready(counts):
    return counts.cumsum(0)


@mutant("13.5", "a ready-made sum")
def sums_by_a_triangle(counts):
    n = len(counts)
    return (torch.ones(n, n, dtype=torch.int64).tril() * counts).sum(1)


@mutant("13.5", "a loop over the games")
def sums_in_a_loop(counts):
    return torch.stack([counts[: g + 1].sum() for g in range(len(counts))])


@mutant("13.5", "a host sync")
def sums_in_python(counts):
    return torch.from_numpy(np.cumsum(counts.numpy()))


@mutant("13.5", "not a sum for every game")
def sums_total(counts):
    return counts.sum()


@mutant("13.5", "one step further, not twice")
def sums_step_by_step(counts):
    sums = counts
    for step in range(1, len(counts)):
        sums = torch.cat([sums[:step], sums[step:] + sums[:-step]])
    return sums


@mutant("13.5", "no named fault")
def sums_twice(counts):
    return 2 * sums_of_halves(counts)


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
    return roll_nested(seed ^ 1, game, ply)


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
