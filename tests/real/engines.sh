#!/usr/bin/env bash
# The PostgreSQL and the Redis that tests share: quick, without fsync. CTest calls this.
#
#   engines.sh start FOLDER    writes FOLDER/addresses; ends first what an aborted run has left there
#   engines.sh stop FOLDER     and removes it
#
# They end by themselves when the folder is gone, or after two hours.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
(($# == 2)) || usage

# The servers' own folder: their users could not reach into a build folder below somebody's home.
stop() {
    local place
    if place=$(cat "$1/place" 2>/dev/null); then
        "$here/postgres.sh" stop --remove "$place/postgres"
        "$here/redis.sh" stop --remove "$place/redis"
        rm -rf "$place"
    fi
    rm -rf "$1"
}

start() {
    mkdir -p "$1"
    local place postgres
    place=$(mktemp -d "${TMPDIR:-/tmp}/consentry-engines.XXXXXX")
    chmod 755 "$place"
    echo "$place" >"$1/place"
    watch "$place" '' "$(cd "$1" && pwd -P)"
    "$here/postgres.sh" start --fast --setting max_connections=400 "$place/postgres" >"$place/postgres.values" &
    postgres=$!
    "$here/redis.sh" start --setting "appendonly no" "$place/redis" >"$place/redis.values"
    wait "$postgres"
    cat "$place"/*.values >"$1/addresses.new"
    mv "$1/addresses.new" "$1/addresses"
}

case "$1" in
    start)
        stop "$2"
        start "$2" || {
            stop "$2"
            exit 1
        }
        ;;
    stop) stop "$2" ;;
    *) usage ;;
esac
