#!/usr/bin/env bash
# Trains on one GPU: Connect Four with 64x4 and with 128x6, two seeds each, then Go 9x9.
#
#   benchmarks/gpu_training.sh OUT [MINUTES_PER_CONNECT_FOUR_RUN=5] [MINUTES_OF_GO=20]
#
# The last lines are the shares of value-preserving moves. Measure Go afterwards, on a CPU:
# python benchmarks/go_strength.py OUT/go9 --out OUT/go9_strength
set -euo pipefail
out=${1:?"Usage: benchmarks/gpu_training.sh OUT [MINUTES] [MINUTES_OF_GO]"}
four_minutes=${2:-5}
go_minutes=${3:-20}
# To try the script without a GPU: DEVICE=cpu SETTINGS="num_games=4 moves_per_iteration=64 …"
device=${DEVICE:-cuda}
read -ra settings <<<"${SETTINGS:-}"

train() {
  azlearn train --preset gpu --device "$device" "$@" "${settings[@]}"
}

for network in medium large; do
  for seed in 0 1; do
    train --game connect4 --minutes "$four_minutes" --out "$out/connect4_${network}_$seed" \
      --set network="$network" seed="$seed"
  done
done
train --game go9 --minutes "$go_minutes" --out "$out/go9" --set seed=0

for run in "$out"/connect4_*; do
  azlearn evaluate "$run" --simulations 0 50 200 800
done
