#!/usr/bin/env bash
# A throw-away third-party OpenID provider, the npm package oidc-provider; see oidc/provider.mjs.
#
#   oidc.sh install                      downloads the package into the user's cache (run by script/bootstrap --engines)
#   oidc.sh start [--owner PID] FOLDER   prints HTTPS_PORT= and CONTROL_PORT=; FOLDER/ca.crt signed the certificate of
#                                        the first; ends with the process PID
#   oidc.sh stop FOLDER                  ends the provider and removes the folder
#
# If started by root, it runs as user www-data or nobody. Debian packages: nodejs, openssl; npm for `install`
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "${BASH_SOURCE[0]%/*}/lib.sh"

modules=$(npm_modules oidc "$here/oidc")

start() {
    [[ -d "$modules" ]] || fail "oidc-provider is missing: run script/bootstrap --engines"
    web_server node "$1"
    # Copies them to where the server's user can read them.
    cp -r "$modules/node_modules" "$modules/package.json" "$here/oidc/provider.mjs" "$folder"
    chmod -R go+rX "$folder/node_modules" "$folder/package.json" "$folder/provider.mjs"
    make_certificates "$folder"
    watch "$folder" "$owner"
    NODE_EXTRA_CA_CERTS=$folder/ca.crt setsid "${as_server[@]}" node "$folder/provider.mjs" "$folder" \
        </dev/null >"$folder/log" 2>&1 &
    until_true 30 "node does not start; its log is $folder/log" test -s "$folder/ports"
    cat "$folder/ports"
}

if [[ "${1:-}" == install ]]; then install_npm_modules oidc "$here/oidc"; else act 1 "$@"; fi
