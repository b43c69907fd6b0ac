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

stop() {
    "$here/postgres.sh" stop --remove "$1/postgres"
    "$here/redis.sh" stop --remove "$1/redis"
    rm -rf "$1"
}

start() {
    mkdir -p "$1"
    local folder postgres
    folder=$(cd "$1" && pwd -P)
    watch "$folder" ''
    "$here/postgres.sh" start --fast --setting max_connections=400 "$folder/postgres" >"$folder/postgres.values" &
    postgres=$!
    "$here/redis.sh" start --setting "appendonly no" "$folder/redis" >"$folder/redis.values"
    wait "$postgres"
    cat "$folder"/*.values >"$folder/addresses.new"
    mv "$folder/addresses.new" "$folder/addresses"
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
