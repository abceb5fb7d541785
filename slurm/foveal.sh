# Sourced by the sbatch files: runs `foveal "$@"` on the nodes of this job, and goes on after a preemption or a time limit.
#
# Slurm warns with USR1 (`--signal=B:USR1@300`). foveal then admits nothing more, lets what is in flight finish for up to
# GRACE seconds, and exits with 138; the job is put back into the queue and goes on where it stopped.

set -uo pipefail
: "${GRACE:=120}" "${FOVEAL:=foveal}" "${MAX_RESTARTS:=10}"

export HF_HUB_OFFLINE="${HF_HUB_OFFLINE:-1}"   # compute nodes rarely reach the Hub; download on the login node

# One node: foveal starts Ray itself. Several: `ray symmetric-run` starts Ray on each and the command on the first.
launch() {
    if [ "${SLURM_JOB_NUM_NODES:-1}" -le 1 ]; then
        exec "$FOVEAL" "$@" --grace-seconds "$GRACE"
    fi
    local head ip port
    head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
    ip=$(srun --nodes=1 --ntasks=1 --nodelist="$head" hostname --ip-address | awk '{print $1}')
    port=$((20000 + SLURM_JOB_ID % 20000))
    export RAY_SYMMETRIC_RUN_CLUSTER_WAIT_TIMEOUT="${RAY_SYMMETRIC_RUN_CLUSTER_WAIT_TIMEOUT:-180}"
    # A socket path has at most 107 characters, and must not lie on a network file system.
    exec srun --nodes="$SLURM_JOB_NUM_NODES" --ntasks="$SLURM_JOB_NUM_NODES" \
        ray symmetric-run --address "$ip:$port" --min-nodes "$SLURM_JOB_NUM_NODES" \
        --num-cpus "${SLURM_CPUS_PER_TASK:-1}" --num-gpus "${SLURM_GPUS_ON_NODE:-0}" \
        --temp-dir "/tmp/ray$SLURM_JOB_ID" --disable-usage-stats \
        -- "$FOVEAL" "$@" --grace-seconds "$GRACE" --ray-address "$ip:$port"
}

run_foveal() {
    local pid code
    ( launch "$@" ) &
    pid=$!
    # bash runs a trap only between commands: hence the `&` and `wait`, and the second `wait` after the trap.
    trap 'kill -USR1 "$pid" 2>/dev/null' USR1
    trap 'kill -TERM "$pid" 2>/dev/null' TERM INT
    wait "$pid"; code=$?
    while kill -0 "$pid" 2>/dev/null; do wait "$pid"; code=$?; done
    if [ "$code" -eq 138 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt "$MAX_RESTARTS" ]; then
        echo "foveal: out of time; job $SLURM_JOB_ID goes back into the queue and goes on where it stopped"
        scontrol requeue "$SLURM_JOB_ID"
    fi
    return "$code"
}
