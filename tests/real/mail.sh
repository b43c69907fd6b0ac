#!/usr/bin/env bash
# A throw-away mail server that stores what it receives; see mail_sink.py for the files in its folder.
#
#   mail.sh start [--owner PID] FOLDER none|starttls|implicit [USER]   prints PORT, CA, UNTRUSTED_CA, PASSWORD as
#                                                                     NAME=value; ends with the process PID
#   mail.sh halt FOLDER                                                ends it; start resumes with port, password, mails
#   mail.sh stop FOLDER                                                ends it and removes the folder
#
# If started by root, it runs as user www-data or nobody. Debian package: python3-aiosmtpd
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "${BASH_SOURCE[0]%/*}/lib.sh"

python=/usr/bin/python3 # the interpreter that Debian's packages are for

run() {
    rm -f "$folder/listens"
    setsid "${as_server[@]}" "$python" "$folder/mail_sink.py" "$folder" "$@" </dev/null >"$folder/log" 2>&1 &
    server=$!
}
listens_or_ended() { [[ -e "$folder/listens" ]] || ! runs "$server"; }

start() {
    local tls=$2 user=${3:-}
    "$python" -c 'import aiosmtpd' 2>/dev/null || fail "python3-aiosmtpd is missing: run script/bootstrap --engines"
    step_down www-data nobody
    folder=$(own_folder "$1")
    if [[ ! -e "$folder/password" ]]; then
        cp "$here/mail_sink.py" "$folder" # where the server's user can read it
        chmod 644 "$folder/mail_sink.py"
        (umask 077 && random_password >"$folder/password")
        make_certificates "$folder"
        watch "$folder" "$owner"
    fi
    local port login=()
    [[ -z "$user" ]] || login=("$user" "$(<"$folder/password")")
    for _ in {1..5}; do
        port=$(cat "$folder/port" 2>/dev/null || free_port)
        run "$tls" "$port" "${login[@]}"
        until_true 20 "the mail server does not start" listens_or_ended
        [[ ! -e "$folder/listens" ]] || break
    done
    [[ -e "$folder/listens" ]] || fail "the mail server does not start: $(tail -n 5 "$folder/log")"
    echo "$port" >"$folder/port"
    printf '%s\n' "PORT=$port" "CA=$folder/ca.crt" "UNTRUSTED_CA=$folder/untrusted_ca.crt" \
        "PASSWORD=$(<"$folder/password")"
}

owner=
command=${1:-}
(($# >= 2)) || usage
shift
[[ "$1" != --owner ]] || { owner=${2:-} && shift 2; }
case "$command" in
    start) (($# == 2 || $# == 3)) || usage && start "$@" ;;
    halt) end_servers "$1" ;;
    stop)
        end_servers "$1"
        rm -rf "$1"
        ;;
    *) usage ;;
esac
