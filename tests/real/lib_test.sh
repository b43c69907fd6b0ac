#!/usr/bin/env bash
# Watches processes until they have ended, and asks about them while the shell collects them: in that moment /proc has a
# file that nobody can read any more, and what the shell reads next must not begin with what it has read of that file.
# Tells a server from what it has just forked.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "${BASH_SOURCE[0]%/*}/lib.sh"

# What still runs if a check fails would hold the output open, for which CTest waits.
started=()
trap 'signal KILL "${started[@]}"' EXIT

for _ in {1..200}; do
    sleep 0 &
    pid=$!
    while runs "$pid"; do :; done
    read -r name <"/proc/$$/comm"
    [[ "$name" == "$(<"/proc/$$/comm")" ]] || fail "read $name, which belongs to an ended process"
    wait "$pid"
done
sleep 60 &
started+=("$!")
runs "$!" || fail "a process that sleeps counts as ended"
signal KILL "$!"
until_ended 10 "$!" || fail "a killed process counts as running"

folder=$(mktemp -d)
mkfifo "$folder/forked"
python3 -c 'import os, signal, sys
child = os.fork()
if child: open(sys.argv[1], "w").write(str(child))
signal.pause()' "$folder/forked" &
started+=("$!")
child=$(<"$folder/forked")
started+=("$child")
found=$(servers_in "$folder" | sort)
[[ "$found" == "$(printf '%s\n' "$!" "$child" | sort)" ]] || fail "found $found, not $! and its child $child"
found=$(main_server_in "$folder")
signal KILL "$!" "$child"
rm -r "$folder"
[[ "$found" == "$!" ]] || fail "took $found for the server $!"
