#!/usr/bin/env bash
# A throw-away nginx that interprets requests for comparison: a proxy that forwards only requests which it has read
# completely, in front of a server that answers 200 and reports method and body length in x-seen.
#
#   nginx.sh start [--owner PID] FOLDER   listens on FOLDER/nginx.sock; ends with the process PID
#   nginx.sh stop FOLDER                  ends it and removes the folder
#
# If started by root, it runs as user www-data or nobody. Debian package: nginx-light
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "${BASH_SOURCE[0]%/*}/lib.sh"

start() {
    web_server nginx "$1"
    # The timeouts are short, so that slow requests end soon.
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
