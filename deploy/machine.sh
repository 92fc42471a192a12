#!/usr/bin/env bash
# Adds one machine to a run. Use the same command on every machine, at any time, also after a failure:
#
#   python -m azlearn.learning.store --port 29400            # once, on a machine that stays up
#   STORE=that-machine:29400 deploy/machine.sh               # on every machine
#
# Options of `azlearn train` may follow, the same on every machine:
#   deploy/machine.sh --game othello:6 --minutes 600
#
#   STORE       host:port of the store
#   MACHINES    the fewest:the most machines (1:2)
#   RANKS       processes on this machine: gpu for one per GPU (the default), or a number
#   DEVICE      cuda, or cpu
#   RUN         a name for the run, if one store serves several runs (azlearn)
#   OUT         the run's folder, which all machines share; relative to the current one (runs/$RUN)
set -euo pipefail
: "${STORE:?set STORE to the address of the store, such as STORE=host:29400}"

# Without this, PyTorch 2.13 keeps one store in the first agent across all restarts. Once that machine
# was lost and is back, the two agents would wait for each other in different stores.
export TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1

device=${DEVICE:-cuda}
exec torchrun --nnodes="${MACHINES:-1:2}" --nproc-per-node="${RANKS:-gpu}" --max-restarts=1000 \
    --rdzv-backend=c10d --rdzv-endpoint="$STORE" --rdzv-id="${RUN:-azlearn}" \
    --rdzv-conf=is_host=0,last_call_timeout=15 \
    -m azlearn.cli train --go-on --out "${OUT:-runs/${RUN:-azlearn}}" \
    --device "$device" --preset "$([ "$device" = cuda ] && echo gpu || echo cpu)" "$@"
