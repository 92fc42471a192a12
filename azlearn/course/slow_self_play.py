"""The patients of chapter 13's clinic: a simulation with one fault each. Their trees are right.

Who wants to find the faults from the timelines reads on here afterwards.
"""

from collections.abc import Callable

import torch

from azlearn.search.tensor_trees import TensorTrees


def healthy(trees: TensorTrees, evaluate: Callable) -> None:
    """One simulation in every game, without a look at the device."""
    leaves = trees.select()
    trees.update(*evaluate(leaves, trees.leaf_is_legal))


def patient_one(trees: TensorTrees, evaluate: Callable) -> None:
    """Makes sure that no illegal move has a prior."""
    leaves = trees.select()
    prior, value = evaluate(leaves, trees.leaf_is_legal)
    game = trees.game.game  # the rules of the host: they make a tensor of a table at every call
    trees.update(prior * game.batch_legal_mask(leaves), value)


def patient_two(trees: TensorTrees, evaluate: Callable) -> None:
    """Asks only about the games that go on."""
    leaves = trees.select()
    is_going = ~trees.leaf_is_over
    prior, value = torch.zeros_like(trees.prior[:, 0]), torch.zeros_like(trees.raw_value[:, 0])
    some = type(leaves)(*(word[is_going] for word in leaves))
    some_prior, some_value = evaluate(some, trees.leaf_is_legal[is_going])
    prior[is_going] = some_prior.to(prior.dtype)
    value[is_going] = some_value.to(value.dtype)
    trees.update(prior, value)


def patient_three(trees: TensorTrees, evaluate: Callable) -> None:
    """Notes how sure the network is of its favourite."""
    leaves = trees.select()
    prior, value = evaluate(leaves, trees.leaf_is_legal)
    trees.surest = torch.stack([row.max() for row in prior])
    trees.update(prior, value)


PATIENTS = {"one": patient_one, "two": patient_two, "three": patient_three}
