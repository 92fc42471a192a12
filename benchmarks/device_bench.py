"""What ``device_speed.py`` measures with: rounds, lines that may fail, power, kernels."""

import gc
import platform
import statistics
import subprocess
import time
from contextlib import contextmanager, suppress

import torch
from rich.console import Console

ASKED = ("power.draw", "clocks.sm", "clocks.mem", "utilization.gpu", "temperature.gpu")


class Bench:
    """One device and the lines found so far.

    Args:
        options: ``device``, a word for torch; ``rounds`` of a measurement; ``seconds`` of a round.
    """

    def __init__(self, options) -> None:
        self.options, self.device = options, options.device
        self.on_gpu = torch.device(options.device).type == "cuda"
        self.lines: list[dict] = []
        self.precision = "bfloat16" if self.on_gpu else "float32"

    @contextmanager
    def line(self, part: str, **what):
        """One line; what goes wrong within is written into it."""
        line = {"part": part, **what}
        self.lines.append(line)
        try:
            if self.on_gpu:
                torch.cuda.reset_peak_memory_stats()
            yield line
        except Exception as error:  # whatever a machine lacks: the next part may work
            told = str(error).strip() or type(error).__name__
            line["failed"] = f"{type(error).__name__}: {told.splitlines()[0]}"[:200]
        gc.collect()
        if self.on_gpu:
            with suppress(RuntimeError):  # after an error CUDA may refuse everything
                torch.cuda.empty_cache()
        Console().print(words(line), highlight=False)

    def synchronize(self) -> None:
        if self.on_gpu:
            torch.cuda.synchronize()

    def rate(self, step, amount: int) -> tuple[float, list[float]]:
        """``amount`` a call of ``step``: the median a second over the rounds, and all of them."""
        rates, in_a_row = [], 1
        for _ in range(self.options.rounds):
            calls, start = 0, time.perf_counter()
            while (elapsed := time.perf_counter() - start) < self.options.seconds:
                if calls:  # so many that waiting for them costs nothing
                    in_a_row = max(1, int(calls * 0.1 / elapsed))
                for _ in range(in_a_row):
                    step()
                self.synchronize()
                calls += in_a_row
            rates.append(calls * amount / elapsed)
        return statistics.median(rates), rates


class Watched:
    """What ``nvidia-smi`` tells while something runs, if it is there: medians by name."""

    def __enter__(self) -> dict:
        self.found: dict[str, float] = {}
        try:
            self._process = subprocess.Popen(
                ["nvidia-smi", f"--query-gpu={','.join(ASKED)}", "-lms", "200", "-i", "0",
                 "--format=csv,noheader,nounits"], stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
        except OSError:
            self._process = None
        return self.found

    def __exit__(self, *_) -> None:
        if self._process is None:
            return
        self._process.terminate()
        rows = [row.split(",") for row in self._process.communicate()[0].splitlines()]
        for name, column in zip(ASKED, zip(*rows, strict=False), strict=False):
            with suppress(ValueError):  # "[N/A]": this GPU does not tell
                self.found[name] = statistics.median(map(float, column))


def machine(bench: Bench) -> dict:
    """What the numbers were measured on."""
    found = {
        "python": platform.python_version(), "torch": torch.__version__,
        "system": platform.platform(), "threads": torch.get_num_threads(),
    }  # fmt: skip
    if bench.on_gpu:
        about = torch.cuda.get_device_properties(bench.device)
        found |= {
            "device": about.name, "memory": about.total_memory, "sms": about.multi_processor_count,
            "cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version(),
        }  # fmt: skip
        names = "driver_version,power.limit,clocks.max.sm"
        with suppress(OSError):
            asked = ["nvidia-smi", "-i", "0", f"--query-gpu={names}", "--format=csv,noheader"]
            told = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
            found[names] = told.strip()
    return found


def words(line: dict) -> str:
    """A line as it is printed while the benchmark runs."""
    what = [str(line["part"])]
    what += [
        f"{k}={v}"
        for k, v in line.items()
        if k in ("network", "batch", "how", "compiled") and not isinstance(v, dict)
    ]
    if "failed" in line:
        what += [line["what"]] if "what" in line else []
        return f"{' '.join(what)}: FAILED, {line['failed']}"
    names = {"moves_per_second": "moves/s", "evaluations_per_second": "evaluations/s",
             "steps_per_second": "steps/s", "what": "", "result": ""}  # fmt: skip
    for key, unit in names.items():
        if key in line:
            number = line[key]
            what.append(f"{number:,.1f} {unit}" if isinstance(number, float) else str(number))
    return " ".join(what)


def kernels(step) -> int:
    """How many kernels (copies and fills among them) the device ran in one step."""
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        step()
        torch.cuda.synchronize()
    return sum(e.device_type == torch.autograd.DeviceType.CUDA for e in profile.events())
