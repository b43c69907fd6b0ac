#!/usr/bin/env bash
# The servers that tests share: quick, without fsync. CTest calls this.
#
#   engines.sh start FOLDER       PostgreSQL and Redis; writes FOLDER/addresses; ends first what an aborted run has left there
#   engines.sh start FOLDER s3    both S3 servers instead; FOLDER/rgw.values and FOLDER/swift.values
#   engines.sh stop FOLDER        and removes it
#
# They end by themselves when the folder is gone, or after two hours.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
(($# == 2)) || [[ $# == 3 && "$1 $3" == "start s3" ]] || usage

# The servers' own folder: their users could not reach into a build folder below somebody's home.
stop() {
    local place
    if place=$(cat "$1/place" 2>/dev/null); then
        "$here/postgres.sh" stop --remove "$place/postgres"
        "$here/redis.sh" stop --remove "$place/redis"
        end_servers "$place"
        rm -rf "$place"
    fi
    rm -rf "$1"
}

# Databases lie in memory where there is room: beside servers that sync all the time (S3's do) a disk makes even those
# wait that do not. Swift needs extended attributes, which memory does not have everywhere.
roomy_folder() { # KIND
    local free
    free=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1) || free=0
    if [[ -z "$1" && -w /dev/shm ]] && ((free > 2 * 1024 * 1024)); then
        echo /dev/shm
    else
        echo "${TMPDIR:-/tmp}"
    fi
}

start_s3() {
    local swift
    "$here/s3.sh" start "$2/swift" swift >"$2/swift.values" &
    swift=$!
    "$here/s3.sh" start "$2/rgw" rgw >"$2/rgw.values" && wait "$swift" && cp "$2"/*.values "$1"
}

start() {
    mkdir -p "$1"
    local place postgres
    place=$(mktemp -d "$(roomy_folder "${2:-}")/consentry-engines.XXXXXX")
    chmod 755 "$place"
    echo "$place" >"$1/place"
    watch "$place" '' "$(cd "$1" && pwd -P)"
    if [[ "${2:-}" == s3 ]]; then
        start_s3 "$1" "$place"
        return
    fi
    "$here/postgres.sh" start --fast --setting max_connections=400 --setting max_wal_size=256MB "$place/postgres" \
        >"$place/postgres.values" &
    postgres=$!
    "$here/redis.sh" start --setting "appendonly no" "$place/redis" >"$place/redis.values"
    wait "$postgres"
    cat "$place"/*.values >"$1/addresses.new"
    mv "$1/addresses.new" "$1/addresses"
}

case "$1" in
    start)
        stop "$2"
        start "${@:2}" || {
            stop "$2"
            exit 1
        }
        ;;
    stop) stop "$2" ;;
    *) usage ;;
esac
