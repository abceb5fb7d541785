#!/usr/bin/env bash
# LLaVA-1.5-13B on MMCode with pictures, on one node:  sbatch slurm/eval_llava13b.sh [more options of `foveal run`]
# An option that stands here and in that line counts as it stands in that line.
# Before the first time, on a node with a network:
#   hf download llava-hf/llava-1.5-13b-hf  &&  foveal data fetch mmcode --out data
#SBATCH --job-name=eval_llava13b
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=2
#SBATCH --cpus-per-task=32
#SBATCH --mem=128G
#SBATCH --time=02:00:00
#SBATCH --signal=B:USR1@300
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=eval_llava13b-%j.log

source "${SLURM_SUBMIT_DIR:-.}/slurm/foveal.sh"

run_foveal run --model llava_1_5_13b --benchmark mmcode --data "${DATA:-data/mmcode_test.jsonl.gz}" \
    --num-replicas "${SLURM_GPUS_ON_NODE:-1}" "$@"
