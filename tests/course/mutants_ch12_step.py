"""Chapter 12, one step of many games: answers as readers could write them."""

from tests.course.registry import mutant, right

# --- 12.2 step(search, roots, left, ask) ---


def _leaves(search, roots, left, taken=lambda left, i: left[i] > 0):
    """(path, leaf) of every game with simulations left, one of them spent."""
    found = []
    for i, root in enumerate(roots):
        if taken(left, i):
            left[i] -= 1
            found += search.expand_leaf(*search.descend(root))
    return found


def _answered(leaves, ask):
    """Keeps the answers in the leaves whose game goes on."""
    waiting = [leaf for _, leaf in leaves if leaf.outcome is None]
    if waiting:
        answers = ask([leaf.state for leaf in waiting])
        for leaf, (prior, value) in zip(waiting, answers, strict=True):
            leaf.prior, leaf.raw_value = prior, value


def _booked(search, leaves, value=lambda leaf: leaf.outcome):
    for path, leaf in leaves:
        search.backup(path, leaf, leaf.raw_value if leaf.outcome is None else value(leaf))


@mutant("12.2", "a batch of one")
def step_asking_each(search, roots, left, ask):
    leaves = _leaves(search, roots, left)
    for _, leaf in leaves:
        if leaf.outcome is None:
            [(leaf.prior, leaf.raw_value)] = ask([leaf.state])
    _booked(search, leaves)


@mutant("12.2", "a batch of one")
def step_game_by_game(search, roots, left, ask):
    for i, root in enumerate(roots):
        if left[i]:
            left[i] -= 1
            [(path, leaf)] = search.expand_leaf(*search.descend(root))
            if leaf.outcome is None:
                leaf.prior, leaf.raw_value = ask([leaf.state])[0]
                search.backup(path, leaf, leaf.raw_value)
            else:
                search.backup(path, leaf, leaf.outcome)


@mutant("12.2", "answers handed to the wrong game")
def step_popping_answers(search, roots, left, ask):
    leaves = _leaves(search, roots, left)
    waiting = [leaf for _, leaf in leaves if leaf.outcome is None]
    answers = ask([leaf.state for leaf in waiting]) if waiting else []
    for leaf in waiting:
        leaf.prior, leaf.raw_value = answers.pop()
    _booked(search, leaves)


@mutant("12.2", "answers handed to the wrong game")
def step_off_by_one(search, roots, left, ask):
    leaves = _leaves(search, roots, left)
    waiting = [leaf for _, leaf in leaves if leaf.outcome is None]
    answers = ask([leaf.state for leaf in waiting]) if waiting else []
    for i, leaf in enumerate(waiting):
        leaf.prior, leaf.raw_value = answers[(i + 1) % len(waiting)]
    _booked(search, leaves)


@mutant("12.2", "a finished leaf is not backed up")
def step_open_leaves_only(search, roots, left, ask):
    leaves = [pair for pair in _leaves(search, roots, left) if pair[1].outcome is None]
    _answered(leaves, ask)
    _booked(search, leaves)


@mutant("12.2", "finished leaves count as 0")
def step_finished_is_even(search, roots, left, ask):
    leaves = _leaves(search, roots, left)
    _answered(leaves, ask)
    _booked(search, leaves, lambda leaf: 0.0)


@mutant("12.2", "finished game valued for the wrong player")
def step_winner_gets_minus(search, roots, left, ask):
    leaves = _leaves(search, roots, left)
    _answered(leaves, ask)
    _booked(search, leaves, lambda leaf: -leaf.outcome)


@mutant("12.2", "the sign is turned twice")
def step_negated(search, roots, left, ask):
    leaves = _leaves(search, roots, left)
    _answered(leaves, ask)
    for path, leaf in leaves:
        search.backup(path, leaf, -leaf.raw_value if leaf.outcome is None else -leaf.outcome)


@mutant("12.2", "a draw is taken for no result")
def step_truthy_outcome(search, roots, left, ask):
    leaves = _leaves(search, roots, left)
    waiting = [leaf for _, leaf in leaves if not leaf.outcome]
    if waiting:
        answers = ask([leaf.state for leaf in waiting])
        for leaf, answer in zip(waiting, answers, strict=True):
            leaf.prior, leaf.raw_value = answer
    for path, leaf in leaves:
        search.backup(path, leaf, leaf.outcome or leaf.raw_value)


@mutant("12.2", "network asked about a finished game")
def step_asking_about_all(search, roots, left, ask):
    leaves = _leaves(search, roots, left)
    if leaves:
        answers = ask([leaf.state for _, leaf in leaves])
        for (_, leaf), answer in zip(leaves, answers, strict=True):
            leaf.prior, leaf.raw_value = answer
    _booked(search, leaves)


@mutant("12.2", "asked although nobody waits")
def step_asking_always(search, roots, left, ask):
    leaves = _leaves(search, roots, left)
    waiting = [leaf for _, leaf in leaves if leaf.outcome is None]
    for leaf, answer in zip(waiting, ask([leaf.state for leaf in waiting]), strict=True):
        leaf.prior, leaf.raw_value = answer
    _booked(search, leaves)


@mutant("12.2", "the budget is not counted down")
def step_never_counting(search, roots, left, ask):
    leaves = _leaves(search, roots, list(left))
    _answered(leaves, ask)
    _booked(search, leaves)


@mutant("12.2", "the budget is counted wrongly")
def step_counting_answers_only(search, roots, left, ask):
    leaves = []
    for i, root in enumerate(roots):
        if left[i]:
            [(path, leaf)] = search.expand_leaf(*search.descend(root))
            left[i] -= leaf.outcome is None
            leaves.append((path, leaf))
    _answered(leaves, ask)
    _booked(search, leaves)


@mutant("12.2", "the budget is counted wrongly")
def step_below_zero(search, roots, left, ask):
    leaves = _leaves(search, roots, left)
    _answered(leaves, ask)
    _booked(search, leaves)
    left[2] -= 1


@mutant("12.2", "simulations spent on a game that is done")
def step_for_every_game(search, roots, left, ask):
    leaves = [pair for root in roots for pair in search.expand_leaf(*search.descend(root))]
    _answered(leaves, ask)
    _booked(search, leaves)
    left[:] = [max(n - 1, 0) for n in left]


@mutant("12.2", "simulations spent on a game that is done")
def step_while_any_is_left(search, roots, left, ask):
    leaves = _leaves(search, roots, left, taken=lambda left, i: any(left))
    _answered(leaves, ask)
    _booked(search, leaves)


@mutant("12.2", "the answer is not kept in the leaf")
def step_prior_lost(search, roots, left, ask):
    leaves = _leaves(search, roots, left)
    waiting = [leaf for _, leaf in leaves if leaf.outcome is None]
    answers = iter(ask([leaf.state for leaf in waiting]) if waiting else ())
    for path, leaf in leaves:
        search.backup(path, leaf, next(answers)[1] if leaf.outcome is None else leaf.outcome)


@mutant("12.2", "the answer is not kept in the leaf")
def step_value_lost(search, roots, left, ask):
    leaves = _leaves(search, roots, left)
    waiting = [leaf for _, leaf in leaves if leaf.outcome is None]
    answers = iter(ask([leaf.state for leaf in waiting]) if waiting else ())
    for path, leaf in leaves:
        value = leaf.outcome
        if value is None:
            leaf.prior, value = next(answers)
        search.backup(path, leaf, value)


@mutant("12.2", "no named fault")
def step_rounded(search, roots, left, ask):
    leaves = _leaves(search, roots, left)
    _answered(leaves, ask)
    for path, leaf in leaves:
        value = leaf.raw_value if leaf.outcome is None else leaf.outcome
        search.backup(path, leaf, round(value))


@right("12.2")
def step_with_a_dictionary(search, roots, left, ask):
    going_on = [i for i, num_left in enumerate(left) if num_left]
    found = {}
    for i in going_on:
        (found[i],) = search.expand_leaf(*search.descend(roots[i]))
    open_games = [i for i in going_on if found[i][1].outcome is None]
    if open_games:
        answers = dict(zip(open_games, ask([found[i][1].state for i in open_games]), strict=True))
        for i, (prior, value) in answers.items():
            found[i][1].prior, found[i][1].raw_value = list(prior), value
    for i in reversed(going_on):
        path, leaf = found[i]
        search.backup(path, leaf, leaf.raw_value if leaf.outcome is None else leaf.outcome)
        left[i] -= 1


@right("12.2")
def step_finished_leaves_first(search, roots, left, ask):
    waiting = []
    for i in range(len(roots)):
        if left[i] == 0:
            continue
        left[i] -= 1
        path, leaf = search.expand_leaf(*search.descend(roots[i]))[0]
        if leaf.outcome is not None:
            search.backup(path, leaf, leaf.outcome)
        else:
            waiting.append((path, leaf))
    if not waiting:
        return True
    for (path, leaf), answer in zip(waiting, ask(w[1].state for w in waiting), strict=True):
        leaf.prior, leaf.raw_value = answer
        search.backup(path, leaf, answer[1])
    return False
