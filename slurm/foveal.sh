# Sourced by the sbatch files: runs `foveal "$@"` on the one node of this job, and goes on after a preemption or a time limit.
#
# Slurm warns with USR1 (`--signal=B:USR1@300`). foveal then admits nothing more, lets what is in flight finish for up to
# GRACE seconds, and exits with 138; the job is put back into the queue and goes on where it stopped.

set -uo pipefail
: "${GRACE:=120}" "${MAX_RESTARTS:=10}"
: "${FOVEAL:=$(command -v foveal || echo "${SLURM_SUBMIT_DIR:-.}/.venv/bin/foveal")}"

export HF_HUB_OFFLINE="${HF_HUB_OFFLINE:-1}"   # compute nodes rarely reach the Hub; download on the login node

run_foveal() {
    local pid code
    "$FOVEAL" "$@" --grace-seconds "$GRACE" &
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
