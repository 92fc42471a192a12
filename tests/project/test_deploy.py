"""The files in deploy/: what they would run is caught, and read by torchrun's parser and ours."""

import functools
import os
import subprocess
import time
from pathlib import Path

import pytest
import tyro
import yaml
from torch.distributed.run import get_args_parser

from azlearn.cli.train import train
from azlearn.learning import store
from tests.learning.children import ROOT

DEPLOY = ROOT / "deploy"
# Stands for torchrun, srun, …: writes its arguments to a file of its own, which appears when it is
# complete, as two of them may run at the same time. srun also runs what it is given.
STUB = """#!/bin/bash
name=$(basename "$0")
printf '%s\\n' "$@" "share=$TORCH_DISABLE_SHARE_RDZV_TCP_STORE" > "$CALLS/$name.part"
mv "$CALLS/$name.part" "$CALLS/$name"
if [ "$name" = srun ]; then shift; exec "$@"; fi
"""


@pytest.fixture
def calls(tmp_path):
    """Runs a command with programs that only write down how they are called: those calls."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("torchrun", "srun", "python", "scontrol", "sleep"):
        (programs / name).write_text(STUB)
        (programs / name).chmod(0o755)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "activate").write_text("")
    (tmp_path / "deploy").symlink_to(DEPLOY)

    def of(*command, **environment):
        log = tmp_path / "calls"
        log.mkdir(exist_ok=True)
        environment |= {"PATH": f"{programs}:{os.environ['PATH']}", "CALLS": str(log)}
        done = subprocess.run(
            [*map(str, command)], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, ""), done
        deadline = time.monotonic() + 60
        while "slurm" in str(command[0]) and not (log / "python").exists():
            assert time.monotonic() < deadline, "the store was not started"  # in the background
            time.sleep(0.05)
        return {
            call.name: call.read_text().splitlines()
            for call in log.iterdir()
            if call.suffix != ".part"
        }

    return of


def assert_trains(torchrun: list[str]) -> dict:
    """What torchrun and azlearn would understand; the arguments of ``azlearn train``."""
    *arguments, share = torchrun
    assert share == "share=1"
    understood = get_args_parser().parse_args(arguments)
    assert (understood.module, understood.training_script) == (True, "azlearn.cli")
    assert understood.rdzv_backend == "c10d"
    assert "is_host=0" in understood.rdzv_conf.split(",")
    assert understood.max_restarts >= 100
    command, *options = understood.training_script_args
    assert command == "train"
    taken = {}

    @functools.wraps(train)
    def take(**given):
        taken.update(given)

    tyro.cli(take, args=options)
    assert taken["go_on"]
    return vars(understood) | taken


def test_scripts_are_bash():
    scripts = sorted(DEPLOY.glob("*.sh"))
    assert [script.name for script in scripts] == ["machine.sh", "slurm.sh"]
    assert all(os.access(script, os.X_OK) for script in scripts)


def test_one_machine(calls):
    more = ["--game", "othello:6", "--minutes", "600"]
    given = {"STORE": "host:29400", "DEVICE": "cpu", "RANKS": "2", "RUN": "o6"}
    found = assert_trains(calls(DEPLOY / "machine.sh", *more, **given)["torchrun"])
    assert (found["nnodes"], found["nproc_per_node"]) == ("1:2", "2")
    assert (found["rdzv_endpoint"], found["rdzv_id"]) == ("host:29400", "o6")
    assert (found["game"], found["minutes"]) == ("othello:6", 600)
    assert (found["device"], found["preset"], found["out"]) == ("cpu", "cpu", Path("runs/o6"))
    found = assert_trains(calls(DEPLOY / "machine.sh", STORE="host:29400")["torchrun"])
    assert (found["device"], found["preset"]) == ("cuda", "gpu")


def test_slurm(calls):
    lines = (DEPLOY / "slurm.sh").read_text().splitlines()
    asked = dict(
        line.removeprefix("#SBATCH --").partition("=")[::2]
        for line in lines
        if line.startswith("#SBATCH")
    )
    assert {"nodes", "ntasks-per-node", "time", "requeue", "no-kill", "signal"} <= asked.keys()
    assert asked["ntasks-per-node"] == "1"  # an agent, which starts its processes
    cluster = {"SLURM_JOB_ID": "4711", "SLURM_JOB_NUM_NODES": "2"}
    found = calls(DEPLOY / "slurm.sh", "--minutes", "30", **cluster)
    training = assert_trains(found["torchrun"])
    host, port = training["rdzv_endpoint"].split(":")
    assert host
    assert found["python"][:-1] == ["-m", store.__name__, "--port", port]
    assert (training["nnodes"], training["minutes"]) == ("1:2", 30)


def test_kubernetes(calls):
    parts = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()))
    assert [(part["kind"], part["metadata"]["name"]) for part in parts] == [
        ("Service", "azlearn-store"), ("Deployment", "azlearn-store"),
        ("Service", "azlearn"), ("StatefulSet", "azlearn"), ("PersistentVolumeClaim", "azlearn"),
    ]  # fmt: skip
    meeting, store_pods, names, machines, shared = (part["spec"] for part in parts)
    for service, pods in ((meeting, store_pods), (names, machines)):
        labels = pods["template"]["metadata"]["labels"]
        assert service["selector"] == pods["selector"]["matchLabels"] == labels
    assert machines["serviceName"] == "azlearn"
    (container,) = store_pods["template"]["spec"]["containers"]
    assert container["command"] == ["python", "-m", store.__name__, "--port", "29400"]
    assert meeting["ports"] == [{"port": 29400}]

    (container,) = machines["template"]["spec"]["containers"]
    volumes = machines["template"]["spec"]["volumes"]
    assert shared["accessModes"] == ["ReadWriteMany"]
    mounted = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    assert mounted.keys() == {volume["name"] for volume in volumes}
    assert container["workingDir"] == mounted["data"]
    environment = {entry["name"]: entry["value"] for entry in container["env"]}
    found = calls(*container["command"], **environment)
    training = assert_trains(found["torchrun"])
    assert found["sleep"][0] == "infinity"
    assert training["rdzv_endpoint"] == "azlearn-store:29400"
    assert int(training["nnodes"].split(":")[1]) == machines["replicas"]
