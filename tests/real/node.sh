#!/usr/bin/env bash
# A throw-away node that reads requests for comparison, with its HTTP parser as it comes; see node_http.mjs.
#
#   node.sh start [--owner PID] FOLDER   listens on FOLDER/node.sock; ends with the process PID
#   node.sh stop FOLDER                  and removes it
#
# As root it runs as user www-data or nobody. Debian package: nodejs
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

command=${1:-} owner=
(($# >= 2)) || usage
shift
[[ "$1" != --owner ]] || { owner=$2 && shift 2; }
(($# == 1)) || usage

start() {
    command -v node >/dev/null || fail "node is missing: run script/bootstrap --engines"
    step_down www-data nobody
    folder=$(own_folder "$1")
    cp "$here/node_http.mjs" "$folder"  # where the server's user may read it
    chmod 644 "$folder/node_http.mjs"
    watch "$folder" "$owner"
    setsid "${as_server[@]}" node "$folder/node_http.mjs" "$folder/node.sock" </dev/null >"$folder/log" 2>&1 &
    until_true 20 "node does not start: $(tail -n 5 "$folder/log")" test -S "$folder/node.sock"
}

case "$command" in
    start) start "$1" ;;
    stop)
        end_servers "$1"
        rm -rf "$1"
        ;;
    *) usage ;;
esac
