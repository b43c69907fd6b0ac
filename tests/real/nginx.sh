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

command=${1:-} owner=
(($# >= 2)) || usage
shift
[[ "$1" != --owner ]] || { owner=$2 && shift 2; }
(($# == 1)) || usage

start() {
    PATH=$PATH:/usr/sbin
    command -v nginx >/dev/null || fail "nginx is missing: run script/bootstrap --engines"
    step_down www-data nobody
    folder=$(own_folder "$1")
    # One process, which the folder in its command line tells from others. Slow requests end soon.
    cat >"$folder/nginx.conf" <<TEXT
master_process off;
pid $folder/nginx.pid;
error_log $folder/error.log;
events { worker_connections 4096; }
http {
    access_log off;
    client_header_timeout 2s;
    client_body_timeout 2s;
    keepalive_timeout 2s;
    client_body_temp_path $folder/body;
    proxy_temp_path $folder/proxy;
    fastcgi_temp_path $folder/fastcgi;
    uwsgi_temp_path $folder/uwsgi;
    scgi_temp_path $folder/scgi;
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
    "${as_server[@]}" nginx -e "$folder/error.log" -p "$folder" -c "$folder/nginx.conf" >/dev/null 2>&1 ||
        fail "nginx does not start: $(tail -n 5 "$folder/error.log")"
}

case "$command" in
    start) start "$1" ;;
    stop)
        end_servers "$1"
        rm -rf "$1"
        ;;
    *) usage ;;
esac
