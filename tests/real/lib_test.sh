#!/usr/bin/env bash
# Watches processes until they have ended, and asks about them while the shell collects them: in that moment /proc has a
# file that nobody can read any more. Tells a server from what it has just forked.
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

folder=$(mktemp -d)
mkfifo "$folder/forked"
python3 -c 'import os, signal, sys
child = os.fork()
if child: open(sys.argv[1], "w").write(str(child))
signal.pause()' "$folder/forked" &
child=$(<"$folder/forked")
found=$(servers_in "$folder" | sort)
[[ "$found" == "$(printf '%s\n' "$!" "$child" | sort)" ]] || fail "found $found, not $! and its child $child"
found=$(main_server_in "$folder")
kill "$!" "$child"
rm -r "$folder"
[[ "$found" == "$!" ]] || fail "took $found for the server $!"
