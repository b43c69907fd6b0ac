#!/usr/bin/env bash
# The servers that tests share, configured for speed: without fsync, and with an MD5 password, because SCRAM costs each
# of their many clients 5 ms. CTest calls this script.
#
#   engines.sh start FOLDER       starts PostgreSQL and Redis after a clean-up of FOLDER; writes FOLDER/addresses
#   engines.sh start FOLDER s3    starts both S3 servers instead; writes FOLDER/rgw.values and FOLDER/swift.values
#   engines.sh stop FOLDER        ends the servers and removes the folder
#
# The servers end by themselves when the folder is gone, or after two hours.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "${BASH_SOURCE[0]%/*}/lib.sh"
(($# == 2)) || [[ $# == 3 && "$1 $3" == "start s3" ]] || usage

# The servers have a folder of their own, because their users may not have access to a build folder in somebody's home.
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

# Prints where servers keep their data: in memory if there is room, because next to servers that sync constantly, as
# those of S3 do, a disk slows down even servers that do not sync. Swift needs extended attributes, which file systems
# in memory have since Linux 6.6.
roomy_folder() { # KIND
    local folder=${TMPDIR:-/tmp} free
    free=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1) || free=0
    if [[ -w /dev/shm ]] && ((free > 2 * 1024 * 1024)); then folder=/dev/shm; fi
    if [[ -n "$1" ]] && ! has_extended_attributes "$folder"; then folder=/var/tmp; fi
    echo "$folder"
}

has_extended_attributes() { # FOLDER
    python3 -c 'import os, sys, tempfile
with tempfile.NamedTemporaryFile(dir=sys.argv[1]) as file: os.setxattr(file.name, "user.consentry", b"")' "$1" 2>/dev/null
}

start_s3() {
    local swift
    "$here/s3.sh" start "$2/swift" swift >"$2/swift.values" &
    swift=$!
    "$here/s3.sh" start "$2/rgw" rgw >"$2/rgw.values" && wait "$swift" && cp "$2"/*.values "$1"
}

quicken_logins() { # URL
    local password=${1#*//app:}
    psql --quiet --no-psqlrc --set=ON_ERROR_STOP=1 "$1" \
        <<<"SET password_encryption = md5; ALTER ROLE app PASSWORD '${password%%@*}'"
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
    "$here/postgres.sh" template "$place/template"
    echo "POSTGRES_TEMPLATE=$place/template" >"$place/template.values"
    # A vacuum is of no use to databases that live for seconds. In the one that tests copy, it would remove
    # pg_internal.init, with which connections begin.
    "$here/postgres.sh" start --fast --template "$place/template" --setting max_connections=400 \
        --setting max_wal_size=256MB --setting autovacuum=off "$place/postgres" >"$place/postgres.values" &
    postgres=$!
    "$here/redis.sh" start --setting "appendonly no" "$place/redis" >"$place/redis.values"
    wait "$postgres"
    quicken_logins "$(sed -n 's/^POSTGRES_URL=//p' "$place/postgres.values")"
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
