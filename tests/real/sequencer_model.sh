#!/usr/bin/env bash
# Checks the model of the sequencer (docs/decisions/0039-sequencer.pml) with Spin, and that Spin finds what is wrong with
# each of its mutations.
#
#   tests/real/sequencer_model.sh            what the tests run: some seconds
#   tests/real/sequencer_model.sh -DKILLS=2  another size of the model; see its definitions
set -euo pipefail
model=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/docs/decisions/0039-sequencer.pml
compiler=$(command -v gcc || command -v clang-19 || command -v cc || true)
if ! command -v spin >/dev/null || [[ -z "$compiler" ]]; then
    echo "the model needs spin and a C compiler: run script/bootstrap --engines" >&2
    exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# For the usual size, an optimizing compiler takes longer than the search. The search for `kept` visits more states.
safety_level=-O2 kept_level=-O2
(($#)) || safety_level=-O0 kept_level=-O1

# check safety|kept DEFINITIONS... prints the verifier's report.
check() {
    local kind=$1 build run
    shift
    # Spin gives up on nothing: a search that is not complete says so.
    if [[ $kind == safety ]]; then
        build=("$safety_level" -DSAFETY -DNOCLAIM) run=()
    else
        build=("$kept_level" -DNFAIR=3) run=(-a -f -N kept)
        set -- -DLATE_WRITES=false "$@"
    fi
    rm -f pan*
    spin -a "$@" "$model" >spin.txt || { cat spin.txt >&2; exit 1; }
    "$compiler" -w -DCOLLAPSE "${build[@]}" -o pan pan.c
    ./pan -m1000000 "${run[@]}"
}
holds() {
    local report
    report=$(check "$@")
    if ! grep -q 'errors: 0$' <<<"$report" || grep -q 'Search not completed' <<<"$report"; then
        printf 'the model does not hold: %s\n%s\n' "$*" "$report" >&2
        exit 1
    fi
    printf '%s: holds, %s states\n' "$*" "$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' <<<"$report")"
}
fails() {
    local report
    report=$(check "$@")
    if grep -q 'errors: 0$' <<<"$report"; then
        printf 'the mutation is not found: %s\n%s\n' "$*" "$report" >&2
        exit 1
    fi
    printf '%s: fails, as it must\n' "$*"
}

holds safety "$@"
holds kept -DKILLS=1 "$@"
fails safety -DANY_SIZE "$@"
fails safety -DCHECKPOINT_FIRST "$@"
fails kept -DNO_LOOK "$@"
