"""The guard finds what a GPU would be waited for and names the line; searches pass it."""

import numpy as np
import pytest
import torch

from azlearn.games.tensor_game import TensorGame
from azlearn.learning.device.host_sync import HostSync, NoHostSync
from azlearn.search import puct
from azlearn.search.tensor_trees import TensorTrees
from tests.device.small import GAMES, Hashed, game_id, grow, no_wait, tensors
from tests.engines import random_positions


def branch(x):
    return 1 if (x > 2).any() else 0


def whole_number(x):
    return int(x.sum())


def item(x):
    return x.max().item()


def length_from_the_device(x):
    return torch.arange(x.max())


def slice_from_the_device(x):
    return x[: x[1]]


def equal(x):
    return torch.equal(x, x + 1)


def in_list(x):
    return 3 in x


def multinomial(x):
    return torch.multinomial(x.float(), 1)


# The check is asked for: torch.compile turns it off for all that comes after.
def checked_distribution(x):
    return torch.distributions.Dirichlet(x.float() + 1, validate_args=True).sample()


def histogram_of_unknown_range(x):
    return torch.histc(x.float())


def checked_inverse(x):
    return torch.linalg.inv(x.double().diag() + 1.5)


def mask_read(x):
    return x[x > 1]


def mask_written(x):
    x[x > 1] = x[:1].clone()


def mask_of_bytes(x):
    return x[(x > 1).to(torch.uint8)]


def repeated(x):
    return x.repeat_interleave(x)


def nonzero(x):
    return torch.nonzero(x)


def where_alone(x):
    return torch.where(x > 1)


def unique(x):
    return x.unique()


def selected(x):
    return x.masked_select(x > 1)


def counted(x):
    return torch.bincount(x)


def table_from_a_list(x):
    return x * torch.tensor([1, 2, 3, 4], device=x.device)


def table_from_numpy(x):
    return x.new_tensor(np.arange(4))


def list_as_an_index(x):
    return x[[0, 2]]


PLANTED = {
    "read": [branch, whole_number, item, length_from_the_device, slice_from_the_device, equal,
             in_list, multinomial, checked_distribution, histogram_of_unknown_range,
             checked_inverse],
    "shape": [mask_read, mask_written, mask_of_bytes, repeated, nonzero, where_alone, unique,
              selected, counted],
    "upload": [table_from_a_list, table_from_numpy, list_as_an_index],
}  # fmt: skip
CASES = [(kind, plant) for kind, plants in PLANTED.items() for plant in plants]


def line_of(plant) -> str:
    """The text of the plant's only line."""
    with open(plant.__code__.co_filename) as source:
        return source.readlines()[plant.__code__.co_firstlineno].strip()


@pytest.mark.filterwarnings("ignore:indexing with dtype torch.uint8:UserWarning")
@pytest.mark.parametrize(("kind", "plant"), CASES, ids=lambda x: getattr(x, "__name__", x))
def test_every_kind_is_found_and_its_line_is_named(kind, plant, device):
    x, number = torch.arange(4, device=device), plant.__code__.co_firstlineno + 1
    plant(x.clone())  # without the guard nothing is wrong
    with NoHostSync(), pytest.raises(HostSync) as error:
        plant(x.clone())
    assert f"({kind}) in test_host_sync.py:{number}: {line_of(plant)}" in str(error.value)
    with NoHostSync(collect=True) as guard:
        plant(x.clone())
        plant(x.clone())
    assert {found for found, _, _ in guard.found} == {kind}
    for (_, _, line), times in guard.found.items():
        assert line == f"test_host_sync.py:{number}: {line_of(plant)}"
        assert times % 2 == 0


def levels_of(trees):
    return trees.num_levels()


def test_a_line_further_out_is_named_if_asked_for():
    """``within`` looks past the package's own lines, up to the file that is wanted."""
    trees = TensorTrees(TensorGame(GAMES[0]), 1, 2, puct())
    with NoHostSync(collect=True) as guard:
        levels_of(trees)
    assert [line.split(":")[0] for _, _, line in guard.found] == ["tensor_trees.py"]
    with NoHostSync(collect=True, within="test_host_sync") as guard:
        levels_of(trees)
    number = levels_of.__code__.co_firstlineno + 1
    assert [line for _, _, line in guard.found] == [
        f"test_host_sync.py:{number}: return trees.num_levels()"
    ]


def harmless(x):
    """What looks alike and waits for nothing."""
    mask = x > 1
    x = torch.where(mask, x, 0).masked_fill(~mask, 7)
    x[torch.zeros_like(x)] = 3 * x
    x.fill_(5)
    x.index_select(0, x * 0).gather(0, x * 0)
    torch.full((3,), 2.5, device=x.device), torch.arange(9, device=x.device)
    x.sum().clamp(min=1).double().expand(3).to(x.device)
    return x[1:3], x[0], len(x), x.shape[0]


def test_nothing_else_is_found(device):
    with no_wait(device) as guard:
        harmless(torch.arange(4, device=device))
    assert guard.operations["where"] == 1
    assert guard.operations["gather"] == 1


def test_nothing_else_is_found_on_a_gpu_that_is_not_there(fake_gpu):
    x = torch.arange(4, device="cuda:0")
    with NoHostSync():
        harmless(x)
    assert x.device == torch.device("cuda:0")


def one_number_up(x):
    return torch.tensor(3, device=x.device)


def one_number_written(x):
    x[0] = 5


def down(x):
    return x.cpu()


def down_without_blocking(x):
    return x.to("cpu", non_blocking=True)


def number_from_the_host(x):
    return x + torch.zeros((), dtype=torch.int64)


def index_from_the_host(x):
    return x[torch.zeros(2, dtype=torch.int64)]


@pytest.mark.parametrize(
    ("kind", "plant"),
    [
        ("upload", one_number_up), ("upload", one_number_written), ("read", down),
        ("read", down_without_blocking), ("mix", number_from_the_host),
        ("mix", index_from_the_host),
    ],
    ids=lambda x: getattr(x, "__name__", x),
)  # fmt: skip
def test_what_only_a_second_device_shows(kind, plant, fake_gpu):
    x, number = torch.arange(4, device="cuda:0"), plant.__code__.co_firstlineno + 1
    with NoHostSync(collect=True) as guard:
        plant(x)
    assert (kind, f"test_host_sync.py:{number}: {line_of(plant)}") in {
        (found, line) for found, _, line in guard.found
    }
    with NoHostSync(), pytest.raises(HostSync, match=rf"\({kind}\)"):
        plant(x)


@pytest.mark.parametrize(
    "plant", [lambda x: x.numpy(), lambda x: x.tolist(), lambda x: float(x[0])]
)
def test_tensors_without_numbers_have_none_to_show(plant, fake_gpu):
    """``numpy`` and ``tolist`` pass by every operation of torch: here they have nothing to pass."""
    x = torch.arange(4, device="cuda:0")
    with NoHostSync(), pytest.raises((RuntimeError, HostSync)):
        plant(x)


@pytest.mark.parametrize("game", GAMES, ids=game_id)
def test_no_step_of_a_search_waits(game, device):
    on = TensorGame(game, device)
    trees, evaluate = TensorTrees(on, 8, 25, puct(1.25, "parent", fpu_reduction=0.2)), Hashed(on)
    states = tensors(game.stack(random_positions(game, 8, seed=1)), device)
    noise = torch.full((8, game.num_actions), 1 / game.num_actions, device=device)
    with no_wait(device) as guard:
        grow(trees, evaluate, states, 25, noise)
    assert guard.operations["index_copy_"] > 25 * 5
    with (
        NoHostSync(),
        pytest.raises(HostSync, match=r"\(read\) in tensor_trees.py:\d+: return int"),
    ):
        trees.num_levels()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("game", GAMES, ids=game_id)
def test_no_step_of_a_search_waits_on_a_gpu_that_is_not_there(game, dtype, fake_gpu):
    on = TensorGame(game, "cuda:0")
    plan = puct(1.25, "parent", fpu_reduction=0.2)
    trees, evaluate = TensorTrees(on, 4096, 25, plan, dtype=dtype), Hashed(on)
    noise = torch.full((4096, game.num_actions), 1 / game.num_actions, device="cuda:0")
    states = on.initial_states(4096)
    with NoHostSync():
        grow(trees, evaluate, states, 3, noise)
    for name, value in vars(trees).items():
        parts = value if isinstance(value, tuple) else [value]
        for part in parts:
            if isinstance(part, torch.Tensor):
                assert part.device == torch.device("cuda:0"), name
