"""Whatever a reader's function gives back, the check ends in a verdict."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from azlearn.course import small_othello
from azlearn.course.checking import Exercise, run_check
from azlearn.course.comparing import as_list
from azlearn.course.exercises import EXERCISES


class Odd:
    """Every way to read it as a number or to compare it raises."""

    def _refuse(self, *_):
        raise RuntimeError

    __float__ = __int__ = __bool__ = __eq__ = _refuse
    __hash__ = None


def _holds_itself():
    numbers = []
    numbers.append(numbers)
    return numbers


VALUES = {
    "tensor": torch.zeros(2),
    "tensor of one": torch.tensor(1.0),
    "tensor with gradient": torch.ones(2, requires_grad=True),
    "pair of tensors": (torch.zeros(2), torch.zeros(2)),
    "holds itself": _holds_itself(),
    "object": Odd(),
    "objects": [Odd()] * 7,
    "nan": float("nan"),
    "inf": float("inf"),
    "nans": [float("nan")] * 7,
    "huge": 10**400,
    "negative": -1,
    "complex": 1j,
    "text": "x",
    "bytes": b"a",
    "dict": {},
    "set": {1},
    "class": int,
    "empty": [],
    "nested": [[1], [2]],
    "array without axes": np.array(3),
    "matrix": np.ones((2, 2)),
    "pair of lists": ([1], [2]),
    "pair of None": (None, None),
    "pair of texts": ("a", "b"),
}


def _with_few_cases(exercise):
    """A value that does not depend on the input needs few of the drawn cases."""
    marking = exercise.marking and replace(exercise.marking, num_drawn=5, stored=None)
    return replace(exercise, marking=marking)


BRIEFLY = {number: _with_few_cases(exercise) for number, exercise in EXERCISES.items()}


def _shown(result):
    """The card and the text too: they hold what the reader gave back."""
    return str(result) + result._repr_html_()


def _raises(problem):
    def answer(*args):
        yield 1
        raise problem

    return answer


@pytest.mark.no_cover  # 25 checks an exercise
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_an_odd_value_is_never_right_and_never_raises(exercise_id, monkeypatch):
    monkeypatch.setattr("IPython.display.display", lambda *args, **kwargs: None)
    for name, value in VALUES.items():
        result = run_check(BRIEFLY[exercise_id], lambda *args, value=value: value, 10)
        assert result.outcome in ("wrong", "error"), name
        if isinstance(value, np.ndarray | torch.Tensor):
            assert "itself failed" not in result.message, name
        assert _shown(result)
        result._ipython_display_()
    result = run_check(BRIEFLY[exercise_id], _raises(RuntimeError("r")), 10)
    assert result.outcome == "error", str(result)
    assert _shown(result)


@pytest.mark.parametrize(
    ("problem", "outcome"),
    [
        (AssertionError(), "error"),
        (RecursionError("deep"), "error"),
        (StopIteration(), "error"),
        (NotImplementedError(), "not attempted"),
    ],
)
def test_a_generator_that_raises_is_the_readers(problem, outcome):
    result = run_check(BRIEFLY["2.3"], _raises(problem), 10)
    assert result.outcome == outcome, str(result)
    assert _shown(result)


def test_none_now_and_then_is_a_missing_return_where_a_pair_is_asked_for():
    marking = EXERCISES["8.5"].marking
    symmetric = marking.function(marking.solution)
    result = run_check(EXERCISES["8.5"], lambda *args: None if args[-1] else symmetric(*args))
    assert result.diagnosis == "returns nothing"


def _ones(call):
    values = call(3, shown="n = 3")
    assert as_list(values) == as_list(values) == [1, 1, 1]
    return "Ones."


ONES = Exercise("9.9", "Ones", 1, 1, "ones(n)", _ones, (), ("a", "b", "c"))


def test_an_iterator_is_read_once_and_may_be_right():
    def ones(n):
        for _ in range(n):
            yield 1

    assert run_check(ONES, ones).is_right
    assert run_check(ONES, lambda n: map(int, "111")).is_right


def test_a_stub_behind_an_iterator_is_named():
    def helper(n):
        raise NotImplementedError

    def ones(n):
        return map(helper, range(n))

    result = run_check(ONES, ones)
    assert result.outcome == "not attempted"
    assert "`ones` calls `helper`" in result.message


def test_an_endless_generator_is_cut_off():
    def ones(n):
        while True:
            yield 1

    result = run_check(ONES, ones)
    assert result.outcome == "wrong"
    assert "The check could not interpret" in result.message


def test_an_error_without_words_is_named_by_its_type():
    def check(call):
        call(1, shown="1")
        raise AssertionError

    exercise = Exercise("9.9", "x", 1, 1, "f(n)", check, (), ("a", "b", "c"))
    assert run_check(exercise, lambda n: 7).message.endswith(": AssertionError.")


def test_a_remark_that_breaks_down_leaves_the_verdict():
    def remark(_found):
        raise RuntimeError

    exercise = Exercise(
        "9.9", "Ones", 1, 1, "ones(n)", _ones, (), ("a", "b", "c"),
        explore=lambda call, diagnosis: object(), remark=remark,
    )  # fmt: skip
    result = run_check(exercise, lambda n: [2])
    assert result.outcome == "wrong"
    assert result.note.endswith("RuntimeError")
    assert not result.has_search


@pytest.mark.parametrize(
    ("number", "written", "otherwise"),
    [
        ("2.2", " rollout(", " rollot("),
        ("4.2", " evaluate(", " evalute("),
        ("7.2", "z = -z", "z = -x"),
        ("10.3", "else -result", "else -reslt"),
        ("10.5", " draw(", " draw1("),
        ("11.4", "return score, math.inf if score else -math.inf", "return score, inf"),
        ("12.1", "*evaluate(", "*evalute("),
        ("12.1", "* len(waiting)", "* len(waitng)"),
        ("15.2", " ceil(", " cel("),
    ],
)
def test_a_misspelled_name_is_told_even_where_the_check_expects_errors(number, written, otherwise):
    result = _rewritten(number, (written, otherwise))
    assert result.outcome == "error"
    assert "`NameError`: name '" in result.message


def test_an_error_of_pytorch_is_no_stub():
    import torch

    result = run_check(ONES, lambda n: torch.ones(n).double() >> 1)
    assert result.outcome == "error"
    assert "NotImplementedError" in result.message


@pytest.mark.parametrize(
    ("number", "call", "named"),
    [
        ("3.5", "(game, leaf.state, rng)", "(game=game, state=leaf.state, rng=rng)"),
        ("9.6", " evaluate(game, ", " evaluate(game=game, state="),
        ("10.2", " choose(visit_counts, ply)", " choose(visit_counts=visit_counts, ply=ply)"),
        ("10.7", " evaluate(", " evaluate(planes="),
        ("12.5", "(descend(", "(descend(root="),
        ("14.5", " evaluate(", " evaluate(planes="),
        ("9.6", "mix(root.prior, ", "mix(prior=root.prior, legal_actions="),
    ],
)  # fmt: skip
def test_a_callback_takes_the_documented_names(number, call, named):
    result = _rewritten(number, (call, named))
    assert (result.outcome, result.note) == ("right", "")


def test_the_game_file_of_16_takes_functions_with_their_names(tmp_path, capsys):
    path = tmp_path / "othello.py"
    small_othello.write_othello(path, lambda options, action: True)
    assert "Define each with def: flips, open_cells, is_legal, outcome." in capsys.readouterr().out
    small_othello.write_othello(path)
    assert "You still have to write: flips, open_cells" in capsys.readouterr().out
    assert not path.exists()


def _rewritten(number, *changes):
    marking = EXERCISES[number].marking
    source = "import torch\n" + marking.solution
    for written, otherwise in changes:
        assert written in source
        source = source.replace(written, otherwise)
    return run_check(EXERCISES[number], marking.function(source))


@pytest.mark.parametrize(
    ("number", "changes"),
    [
        ("1.2", [("return (", "return np.where(("), (") != 0", ") != 0, True, False)")]),
        ("11.3", [("float(low), float(high)", "torch.tensor(low), torch.tensor(high)")]),
        ("13.5", [("sums[step:] + sums[:-step]",
                   "torch.stack([sums[step:], sums[:-step]]).sum(0)")]),
    ],
)  # fmt: skip
def test_a_right_answer_may_use_arrays_without_axes_and_sums_of_two(number, changes):
    assert _rewritten(number, *changes).is_right


A_MASK = """places = torch.arange(len(counts))
    return torch.mv((places[:, None] >= places).long(), counts)"""


@pytest.mark.parametrize(
    ("number", "changes", "diagnosis"),
    [
        ("10.5", [("total.item()", "total"),
                  ("return losses", "return torch.stack(losses) if losses else losses")],
         "the losses keep their gradients"),
        ("13.5", [("return sums", A_MASK)], "a built-in function computes the sums"),
    ],
)  # fmt: skip
def test_a_tensor_hides_no_mistake(number, changes, diagnosis):
    assert _rewritten(number, *changes).diagnosis == diagnosis
