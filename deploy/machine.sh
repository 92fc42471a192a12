#!/usr/bin/env bash
# One machine of a run. The same command on every machine, at any time, again after any failure:
#
#   python -m azlearn.learning.store --port 29400            # once, on a machine that stays
#   STORE=that-machine:29400 deploy/machine.sh               # on every machine
#
# Options of `azlearn train` may follow: deploy/machine.sh --game othello:6 --minutes 600
# They must be the same everywhere.
#
#   STORE       host:port of the store
#   MACHINES    at least:at most so many machines (1:2)
#   RANKS       processes of this machine: gpu, one a GPU (so it is here); or a number
#   DEVICE      cuda, or cpu
#   RUN         a name for the run, where a store serves several (azlearn)
#   OUT         its folder, which all machines share, relative to where you are (runs/$RUN)
set -euo pipefail
: "${STORE:?say where the store is: STORE=host:29400}"

# Torch 2.13 otherwise keeps one store in the first agent over all restarts: after that machine has
# been lost and is back, the two wait for each other in different stores.
export TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1

device=${DEVICE:-cuda}
exec torchrun --nnodes="${MACHINES:-1:2}" --nproc-per-node="${RANKS:-gpu}" --max-restarts=1000 \
    --rdzv-backend=c10d --rdzv-endpoint="$STORE" --rdzv-id="${RUN:-azlearn}" \
    --rdzv-conf=is_host=0,last_call_timeout=15 \
    -m azlearn.cli train --go-on --out "${OUT:-runs/${RUN:-azlearn}}" \
    --device "$device" --preset "$([ "$device" = cuda ] && echo gpu || echo cpu)" "$@"
