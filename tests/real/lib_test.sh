#!/usr/bin/env bash
# Watches processes until they have ended, and asks about them while the shell collects them: in that moment /proc has a
# file that nobody can read any more.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

for _ in {1..20}; do
    sleep 0 &
    pid=$!
    while runs "$pid"; do :; done
    wait "$pid"
done
sleep 60 &
runs "$!" || fail "a process that sleeps counts as ended"
kill "$!"
until_ended 10 "$!" || fail "a killed process counts as running"
