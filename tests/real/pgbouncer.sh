#!/usr/bin/env bash
# A throw-away PgBouncer on 127.0.0.1, in transaction mode, in front of a PostgreSQL server of postgres.sh.
#
#   pgbouncer.sh start --owner PID --server URL FOLDER    prints PGBOUNCER_PORT=; ends with the process PID
#   pgbouncer.sh stop FOLDER                              ends it and removes the folder
#
# Debian package: pgbouncer
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "${BASH_SOURCE[0]%/*}/lib.sh"
step_down postgres nobody

start() {
    local owner=$1 url=$2 folder port user password address attempt
    folder=$(own_folder "$3")
    watch "$folder" "$owner"
    [[ "$url" =~ ^postgresql://([^:]+):([^@]+)@127.0.0.1:([0-9]+)/app ]] || usage
    user=${BASH_REMATCH[1]} password=${BASH_REMATCH[2]} address=${BASH_REMATCH[3]}
    for attempt in 1 2 3 4 5; do
        port=$(free_port)
        # Has fewer sessions than clients, so that sessions really change hands.
        "${as_server[@]}" tee "$folder/ini" >/dev/null <<TEXT
[databases]
app = host=127.0.0.1 port=$address dbname=app user=$user password=$password
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $port
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
max_client_conn = 200
logfile = $folder/log
pidfile = $folder/pid
TEXT
        "${as_server[@]}" /usr/sbin/pgbouncer -q -d "$folder/ini" 2>/dev/null && break
        ((attempt < 5)) || fail "$(cat "$folder/log")"
    done
    until_true 10 "pgbouncer does not listen" eval "exec 3<>/dev/tcp/127.0.0.1/$port"
    echo "PGBOUNCER_PORT=$port"
}

case "${1:-}" in
    start)
        [[ $# == 6 && "$2" == --owner && "$4" == --server ]] || usage
        start "$3" "$5" "$6"
        ;;
    stop)
        (($# == 2)) || usage
        end_servers "$2"
        rm -rf "$2"
        ;;
    *) usage ;;
esac
