#!/usr/bin/env bash
# Run it in azlearn's folder: sbatch deploy/slurm.sh [options of `azlearn train`]
# Adapt the lines below to your cluster.
#SBATCH --job-name=azlearn
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=1
#SBATCH --cpus-per-task=8
#SBATCH --time=04:00:00
#SBATCH --output=azlearn-%j.txt
#SBATCH --open-mode=append
# A node that fails does not end the job. A job that is preempted, or close to its time limit, is
# requeued and resumes from its last checkpoint.
#SBATCH --no-kill
#SBATCH --requeue
#SBATCH --signal=B:USR1@120
set -euo pipefail
source .venv/bin/activate

port=$((20000 + SLURM_JOB_ID % 20000))
python -m azlearn.learning.store --port "$port" &  # on the first node
trap 'scontrol requeue "$SLURM_JOB_ID"' USR1

export STORE="$(hostname):$port" MACHINES="1:$SLURM_JOB_NUM_NODES" RUN=${RUN:-azlearn}
# Start an agent again if it is killed.
srun --kill-on-bad-exit=0 bash -c '
    for attempt in {1..20}; do
        if deploy/machine.sh "$@"; then exit 0; fi
        sleep 5
    done
    exit 1' machine "$@" &
training=$!
# `wait` returns early when the signal arrives; the second `wait` waits until the training ends.
wait "$training" || wait "$training"
