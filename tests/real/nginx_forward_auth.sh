#!/usr/bin/env bash
# A throw-away nginx with the configuration of docs/deploy/nginx.conf, in front of the service and of an application.
# The application echoes the method and, in brackets, the headers about the caller. TLS is left out.
#
#   nginx_forward_auth.sh start [--owner PID] FOLDER PORT_OF_CONSENTRY   prints its own PORT=; ends with the process PID
#   nginx_forward_auth.sh stop FOLDER                                    ends it and removes the folder
#
# If started by root, it runs as user www-data or nobody. Debian package: nginx-light
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "${BASH_SOURCE[0]%/*}/lib.sh"

start() {
    web_server nginx "$1"
    cat >"$folder/nginx.conf" <<TEXT
events { worker_connections 1024; }
http {
    $(nginx_places "$folder")
    include $folder/site.conf;
    server {
        listen unix:$folder/application.sock;
        default_type text/plain;
        location / {
            return 200 "\$request_method \$uri id[\$http_x_user_id] email[\$http_x_user_email] role[\$http_x_user_role] session[\$http_x_session_id] token[\$http_authorization] length[\$content_length]";
        }
    }
}
TEXT
    watch "$folder" "$owner"
    local port
    for _ in {1..5}; do
        port=$(free_port)
        sed -E "s/127\.0\.0\.1:3000/127.0.0.1:$2/; s|127\.0\.0\.1:8080|unix:$folder/application.sock|
            s/listen 443 ssl;/listen 127.0.0.1:$port;/; /ssl_certificate/d" "$here/../../docs/deploy/nginx.conf" >"$folder/site.conf"
        run_nginx "$folder" || continue
        echo "PORT=$port"
        return
    done
    fail "nginx does not start: $(tail -n 5 "$folder/error.log")"
}

act 2 "$@"
