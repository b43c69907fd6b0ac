#!/usr/bin/env bash
# A throw-away node that interprets requests for comparison, with its default HTTP parser settings; see node_http.mjs.
#
#   node.sh start [--owner PID] FOLDER   listens on FOLDER/node.sock; ends with the process PID
#   node.sh stop FOLDER                  ends it and removes the folder
#
# If started by root, it runs as user www-data or nobody. Debian package: nodejs
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "${BASH_SOURCE[0]%/*}/lib.sh"

start() {
    web_server node "$1"
    cp "$here/node_http.mjs" "$folder"  # where the server's user can read it
    chmod 644 "$folder/node_http.mjs"
    watch "$folder" "$owner"
    setsid "${as_server[@]}" node "$folder/node_http.mjs" "$folder/node.sock" </dev/null >"$folder/log" 2>&1 &
    until_true 20 "node does not start: $(tail -n 5 "$folder/log")" test -S "$folder/node.sock"
}

act 1 "$@"
