#!/usr/bin/env bash
# A throw-away proxy with its configuration of docs/deploy, in front of the service and of an application. It serves
# https://app.example.com and https://accounts.example.com, on one port, with a certificate that nobody knows.
#
#   forward_auth_proxy.sh start [--owner PID] FOLDER PROXY PORT_OF_CONSENTRY PORT_OF_APPLICATION   prints its own PORT=
#   forward_auth_proxy.sh stop FOLDER                                                              ends it
#
# PROXY is nginx, caddy, haproxy or apache. If started by root, it runs as user www-data or nobody. The proxy ends with
# the process PID. Debian packages: nginx-light, caddy, haproxy, apache2, lua-socket
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "${BASH_SOURCE[0]%/*}/lib.sh"

deploy=$here/../../docs/deploy

# Prints a configuration of docs/deploy with the ports of this test and files of the folder.
adapted() {
    sed -E "s|127\.0\.0\.1:3000|127.0.0.1:$consentry|g; s|127\.0\.0\.1:8080|127.0.0.1:$application|g;
        s|/etc/ssl/[a-z.]*\.crt|$folder/tls.crt|; s|/etc/ssl/[a-z.]*\.key|$folder/tls.key|" "$deploy/$1"
}

run_as_server() { setsid "${as_server[@]}" "$@" >"$folder/log" 2>&1 </dev/null & }

start_nginx() {
    {
        echo "events { worker_connections 1024; } http {"
        nginx_places "$folder"
        adapted nginx.conf | sed -E "s/listen 443 ssl;/listen 127.0.0.1:$1 ssl;/"
        echo "}"
    } >"$folder/nginx.conf"
    run_nginx "$folder"
}

start_caddy() {
    {
        echo "{"
        printf '\tadmin off\n\tauto_https off\n\tstorage file_system %s\n' "$folder/caddy"
        echo "}"
        adapted Caddyfile | sed -E "s|^(app\|accounts)\.example\.com \{|https://\1.example.com:$1 {\n\tbind 127.0.0.1\n\ttls $folder/tls.crt $folder/tls.key|"
    } >"$folder/Caddyfile"
    run_as_server env HOME="$folder" caddy run --config "$folder/Caddyfile" --adapter caddyfile
}

start_haproxy() {
    cat "$folder/tls.crt" "$folder/tls.key" >"$folder/tls.pem"
    [[ -z "$server_user" ]] || chown "$server_user" "$folder/tls.pem"
    cp "$deploy/haproxy-consentry.lua" "$folder"
    adapted haproxy.cfg | sed -E "s|bind :443 ssl crt [^ ]*|bind 127.0.0.1:$1 ssl crt $folder/tls.pem|;
        s|/etc/haproxy/|$folder/|" >"$folder/haproxy.cfg"
    run_as_server haproxy -db -f "$folder/haproxy.cfg"
}

start_apache() {
    local module
    adapted apache-consentry.lua >"$folder/apache-consentry.lua"
    {
        echo "ServerRoot $folder"
        echo "PidFile $folder/apache.pid"
        echo "ErrorLog $folder/error.log"
        echo "Mutex file:$folder"
        echo "DefaultRuntimeDir $folder"
        echo "Listen 127.0.0.1:$1"
        for module in mpm_event authz_core headers setenvif env socache_shmcb ssl proxy proxy_http alias lua; do
            echo "LoadModule ${module}_module /usr/lib/apache2/modules/mod_$module.so"
        done
        adapted apache.conf | sed -E "s|\*:443|*:$1|; s|/etc/apache2/|$folder/|"
    } >"$folder/apache.conf"
    run_as_server apache2 -d "$folder" -f "$folder/apache.conf" -DFOREGROUND
}

answers() { curl -sk -o /dev/null --resolve "accounts.example.com:$1:127.0.0.1" "https://accounts.example.com:$1/metrics"; }

start() {
    local name=$2 program=$2 port
    consentry=$3 application=$4
    [[ "$name" != apache ]] || program=apache2
    [[ "$name" =~ ^(nginx|caddy|haproxy|apache)$ ]] || usage
    web_server "$program" "$1"
    make_certificates "$folder"
    watch "$folder" "$owner"
    for _ in {1..5}; do
        port=$(free_port)
        "start_$name" "$port" || continue
        for _ in {1..100}; do
            ! answers "$port" || { echo "PORT=$port" && return; }
            pause 0.1
        done
        end_servers "$folder"
    done
    fail "$name does not start: $(tail -n 5 "$folder/log" "$folder/error.log" 2>/dev/null)"
}

act 4 "$@"
