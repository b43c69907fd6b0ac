#!/usr/bin/env bash
# A throw-away PostgreSQL server on 127.0.0.1 that keeps everything below one folder. Several may run side by side.
#
#   postgres.sh start [options] FOLDER    starts a new server, or restarts one that was stopped or killed, with its data
#       --port PORT            by default a free port, which is printed
#       --fast                 no fsync; not for tests of crashes. Accepts MD5 passwords, too
#       --tls                  encrypted connections only; makes ca.crt and untrusted_ca.crt in FOLDER for clients
#       --setting NAME=VALUE   for postgresql.conf; may be repeated
#       --replica-of FOLDER    a streaming replica of the server in that folder
#       --synchronous          with --replica-of: the primary's commits wait for this replica
#       --owner PID            the server ends with this process
#       --template FOLDER      begins with a copy of this template, which takes a fraction of the time of a new one
#   postgres.sh template FOLDER           makes a database for --template
#   postgres.sh promote FOLDER            makes a replica the primary
#   postgres.sh pause|resume FOLDER       freezes all processes of the server, or lets them continue
#   postgres.sh stop [--remove] FOLDER    stops in order; with --remove stops at once and removes the folder
#   postgres.sh kill FOLDER               sends SIGKILL to all processes of the server, as in a crash
#
# `start` prints NAME=value lines. The superuser "app" has a random password (scram). The database is also "app".
# If started by root, the server runs as user postgres.
#
# Debian packages: postgresql-15 (12), postgresql-17 (13)
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "${BASH_SOURCE[0]%/*}/lib.sh"

port='' fast='' tls='' settings=() primary='' synchronous='' owner='' template='' remove=''
command=${1:-}
(($# >= 2)) || usage
shift
while (($# > 1)); do
    case "$1" in
        --fast | --tls | --synchronous | --remove) declare "${1#--}=yes" ;;
        --port) port=$2 && shift ;;
        --setting) settings+=("$2") && shift ;;
        --replica-of) primary=$2 && shift ;;
        --owner) owner=$2 && shift ;;
        --template) template=$2 && shift ;;
        *) usage ;;
    esac
    shift
done

bin=$(find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
[[ -n "$bin" ]] || bin=$(pg_config --bindir)
step_down postgres nobody
# Runs a command in a folder that the server's user can access, unlike perhaps the caller's.
as_server_in() { (cd "$1" && shift && "${as_server[@]}" env HOME="$PWD" "$@"); }

write() { as_server_in "$folder" tee "$1" >/dev/null; }
append() { as_server_in "$folder" tee -a "$1" >/dev/null; }

make_template() {
    (umask 077 && random_password >"$folder/password")
    [[ -z "$server_user" ]] || chown "$server_user" "$folder/password"
    as_server_in "$folder" "$bin/initdb" -D "$folder/data" -U app --pwfile="$folder/password" -E UTF8 \
        --locale=C.UTF-8 --auth=reject --no-sync --no-instructions >"$folder/initdb.log" 2>&1 ||
        fail "$(cat "$folder/initdb.log")"
    as_server_in "$folder" "$bin/postgres" --single -F -D "$folder/data" postgres <<<"CREATE DATABASE app" \
        >>"$folder/initdb.log" 2>&1 || fail "$(cat "$folder/initdb.log")"
}

make_database() {
    if [[ -n "$template" ]]; then
        cp -p "$template/password" "$folder/"
        as_server_in "$folder" cp -pr "$template/data" data
    else
        make_template
    fi
    # Uses no unix socket, because its name would be too long in a deep folder, and no shared memory outside the folder.
    append data/postgresql.conf <<TEXT
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
dynamic_shared_memory_type = mmap
shared_buffers = 64MB
max_connections = 200
TEXT
    [[ -z "$fast" ]] || append data/postgresql.conf <<TEXT
fsync = off
synchronous_commit = off
full_page_writes = off
TEXT
    local host=host
    if [[ -n "$tls" ]]; then
        host=hostssl
        make_certificates "$folder"
        as_server_in "$folder" cp tls.crt tls.key data/
        append data/postgresql.conf <<TEXT
ssl = on
ssl_cert_file = 'tls.crt'
ssl_key_file = 'tls.key'
TEXT
    fi
    local method=scram-sha-256
    [[ -z "$fast" ]] || method=md5 # which lets those with a SCRAM password use SCRAM
    write data/pg_hba.conf <<<"$host all,replication all 127.0.0.1/32 $method"
}

copy_primary() {
    local slot="replica_$SRANDOM"
    primary=$(cd "$primary" && pwd -P)
    cp -p "$primary/password" "$primary"/*ca.crt "$folder" 2>/dev/null || true
    PGPASSWORD=$(<"$folder/password") as_server_in "$folder" "$bin/pg_basebackup" -D "$folder/data" -R -X stream \
        -C -S "$slot" -c fast --no-sync -d "host=127.0.0.1 port=$(port_in "$primary") user=app application_name=$slot"
    # pg_basebackup writes no application_name for the receiver, which then uses this name.
    append data/postgresql.conf <<<"cluster_name = '$slot'"
}

# A crash leaves behind the shared memory that guards the folder against a second server. Its id ends the seventh line
# of the pid file. The file itself would prevent the next start until somebody collects the zombie that it names.
clear_remains() {
    local segment
    segment=$(sed -n '7s/.* //p' "$folder/data/postmaster.pid" 2>/dev/null || true)
    [[ -z "$segment" ]] || ipcrm -m "$segment" 2>/dev/null || true
    rm -f "$folder/data/postmaster.pid"
}

port_in() { sed -n 's/^port = //p' "$1/data/postgresql.conf" | tail -n 1; }

run_server() {
    : >"$folder/log"
    [[ -z "$server_user" ]] || chown "$server_user" "$folder/log"
    as_server_in "$folder" "$bin/pg_ctl" -D "$folder/data" -l "$folder/log" -w -t 60 start >/dev/null 2>&1
}

start_new() {
    if [[ -n "$primary" ]]; then copy_primary; else make_database; fi
    local setting attempt
    for setting in "${settings[@]}"; do append data/postgresql.conf <<<"${setting%%=*} = '${setting#*=}'"; done
    for ((attempt = 1; ; ++attempt)); do
        append data/postgresql.conf <<<"port = ${port:-$(free_port)}"
        if run_server; then break; fi
        if [[ -n "$port" ]] || ((attempt == 10)) || ! grep -q "Address already in use" "$folder/log"; then
            fail "$(tail -n 20 "$folder/log")"
        fi
    done
    if [[ -n "$primary" && -n "$synchronous" ]]; then
        local slot
        slot=$(sed -n "s/^cluster_name = '\(.*\)'/\1/p" "$folder/data/postgresql.conf" | tail -n 1)
        PGPASSWORD=$(<"$folder/password") as_server_in "$folder" "$bin/psql" -X -q -h 127.0.0.1 -U app -d postgres \
            -p "$(port_in "$primary")" -c "ALTER SYSTEM SET synchronous_standby_names = '$slot'" \
            -c "SELECT pg_reload_conf()" >/dev/null
    fi
}

start() {
    folder=$(own_folder "$1")
    [[ -z "$(servers_in "$folder")" ]] || fail "a server runs in $folder"
    [[ -z "$owner" ]] || watch "$folder" "$owner"
    if [[ -e "$folder/data/PG_VERSION" ]]; then
        run_server || fail "$(tail -n 20 "$folder/log")"
    else
        start_new
    fi
    local parameters=''
    [[ ! -e "$folder/ca.crt" ]] || parameters="?sslmode=verify-full&sslrootcert=$folder/ca.crt"
    echo "POSTGRES_PORT=$(port_in "$folder")"
    echo "POSTGRES_PASSWORD=$(<"$folder/password")"
    echo "POSTGRES_URL=postgresql://app:$(<"$folder/password")@127.0.0.1:$(port_in "$folder")/app$parameters"
}

case "$command" in
    start)
        start "$1"
        exit
        ;;
    template)
        folder=$(own_folder "$1")
        make_template
        exit
        ;;
esac
if [[ ! -d "$1" ]]; then
    [[ "$command" != stop ]] || exit 0
    fail "there is no $1"
fi
folder=$(cd "$1" && pwd -P)
server=$(main_server_in "$folder")
[[ -n "$server$remove" || "$command" == stop ]] || fail "no server runs in $folder"
case "$command" in
    promote) as_server_in "$folder" "$bin/pg_ctl" -D "$folder/data" -w -t 30 promote >/dev/null ;;
    pause)
        # Stops the main process first, so that it starts no new ones.
        signal STOP "$server"
        mapfile -t children < <(children_of "$server")
        signal STOP "${children[@]}"
        ;;
    resume)
        mapfile -t children < <(children_of "$server")
        signal CONT "${children[@]}" "$server"
        ;;
    kill)
        signal STOP "$server"
        mapfile -t children < <(children_of "$server")
        signal KILL "$server" "${children[@]}"
        until_ended 10 "$server" "${children[@]}" || fail "the server does not end"
        clear_remains
        ;;
    stop)
        if [[ -n "$remove" ]]; then
            end_servers "$folder"
            clear_remains
            rm -rf "$folder"
        elif [[ -n "$server" ]]; then
            signal INT "$server"  # ends all sessions and writes a checkpoint
            until_ended 60 "$server" || fail "the server does not end"
        fi
        ;;
    *) usage ;;
esac
