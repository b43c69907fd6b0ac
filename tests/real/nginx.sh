#!/usr/bin/env bash
# A throw-away nginx that reads requests for comparison: a proxy, which hands on only what it has read whole, before a
# server that answers 200 and tells in x-seen the method and the length of the body.
#
#   nginx.sh start [--owner PID] FOLDER   listens on FOLDER/nginx.sock; ends with the process PID
#   nginx.sh stop FOLDER                  and removes it
#
# As root it runs as user www-data or nobody. Debian package: nginx-light
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

start() {
    web_server nginx "$1"
    # Slow requests end soon.
    cat >"$folder/nginx.conf" <<TEXT
events { worker_connections 4096; }
http {
    $(nginx_places "$folder")
    client_header_timeout 2s;
    client_body_timeout 2s;
    keepalive_timeout 2s;
    server {
        listen unix:$folder/nginx.sock;
        location / { proxy_pass http://unix:$folder/behind.sock; }
    }
    server {
        listen unix:$folder/behind.sock;
        add_header x-seen "\$request_method \$content_length";
        location / { return 200 ""; }
    }
}
TEXT
    watch "$folder" "$owner"
    run_nginx "$folder" || fail "nginx does not start: $(tail -n 5 "$folder/error.log")"
}

act 1 "$@"
