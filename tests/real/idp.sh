#!/usr/bin/env bash
# Throw-away identity providers that issue whatever tokens a test requests; see idp.mjs.
#
#   idp.sh start [--owner PID] FOLDER   prints HTTPS_PORT= and CONTROL_PORT=; FOLDER/ca.crt signed the certificate of
#                                       the first, FOLDER/untrusted_ca.crt did not; ends with the process PID
#   idp.sh stop FOLDER                  ends the providers and removes the folder
#
# If started by root, it runs as user www-data or nobody. Debian packages: nodejs, openssl
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "${BASH_SOURCE[0]%/*}/lib.sh"

start() {
    web_server node "$1"
    cp "$here/idp.mjs" "$folder"  # where the server's user can read it
    chmod 644 "$folder/idp.mjs"
    make_certificates "$folder"
    watch "$folder" "$owner"
    setsid "${as_server[@]}" node "$folder/idp.mjs" "$folder" </dev/null >"$folder/log" 2>&1 &
    until_true 20 "node does not start: $(tail -n 5 "$folder/log")" test -s "$folder/ports"
    cat "$folder/ports"
}

act 1 "$@"
