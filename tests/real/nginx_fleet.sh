#!/usr/bin/env bash
# A throw-away nginx with the configuration of docs/deploy/nginx-fleet.conf, in front of two instances. TLS is left out.
#
#   nginx_fleet.sh start [--owner PID] FOLDER PORT PORT   the ports of the instances; prints its own PORT=
#   nginx_fleet.sh take-out FOLDER PORT                   as nginx.md describes; returns when no process of nginx knows
#                                                         the instance any more
#   nginx_fleet.sh put-back FOLDER PORT                   the reverse
#   nginx_fleet.sh stop FOLDER                            ends it and removes the folder
#
# If started by root, it runs as user www-data or nobody, and ends with the process PID. Debian package: nginx-light
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "${BASH_SOURCE[0]%/*}/lib.sh"

run_fleet() { # FOLDER ARGUMENT...
    local folder=$1
    shift
    "${as_server[@]}" nginx -p "$folder" -e "$folder/error.log" -c "$folder/nginx.conf" "$@" >/dev/null 2>&1
}

start() {
    web_server nginx "$1"
    cat >"$folder/nginx.conf" <<TEXT
worker_processes 2;
pid $folder/nginx.pid;
error_log $folder/error.log;
events { worker_connections 1024; }
http {
    $(nginx_places "$folder")
    include $folder/site.conf;
}
TEXT
    watch "$folder" "$owner"
    local port
    for _ in {1..5}; do
        port=$(free_port)
        sed -E "s/10\.0\.0\.11:3000/127.0.0.1:$2/; s/10\.0\.0\.12:3000/127.0.0.1:$3/
            s/listen 443 ssl;/listen 127.0.0.1:$port;/; /ssl_certificate/d" "$here/../../docs/deploy/nginx-fleet.conf" >"$folder/site.conf"
        run_fleet "$folder" || continue
        echo "PORT=$port"
        return
    done
    fail "nginx does not start: $(tail -n 5 "$folder/error.log")"
}

# change FOLDER EXPRESSION: edits the configuration and loads it. Ends when the former workers have ended.
change() {
    web_server nginx "$1"
    local former
    mapfile -t former < <(children_of "$(<"$folder/nginx.pid")")
    sed -i -E "$2" "$folder/site.conf"
    run_fleet "$folder" -s reload || fail "nginx does not load the configuration: $(tail -n 5 "$folder/error.log")"
    until_ended 60 "${former[@]}" || fail "the former workers of nginx do not end"
}

case "${1:-}:$#" in
    take-out:3) change "$2" "s/^( *server 127\.0\.0\.1:$3 .*);/\1 down;/" ;;
    put-back:3) change "$2" "s/^( *server 127\.0\.0\.1:$3 .*) down;/\1;/" ;;
    *) act 3 "$@" ;;
esac
