# shellcheck shell=bash
# What the scripts of this folder share. Sourced, not run.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

# The comment at the head of the script is its manual.
usage() {
    sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
}

# A port nobody listens on, below those the system gives to outgoing connections and, with the 10000 that a cluster's
# bus adds, still below. Whoever comes second to it fails to bind and asks again.
free_port() {
    local port
    while port=$((12000 + SRANDOM % 10000)); (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
    echo "$port"
}

random_password() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

# A server does not run as root: sets as_server, the words before its command, to one of these users.
as_server=()
server_user=
step_down() {
    [[ $(id -u) == 0 ]] || return 0
    for server_user; do
        id -u "$server_user" >/dev/null 2>&1 || continue
        as_server=(setpriv --reuid="$server_user" --regid="$(id -g "$server_user")" --init-groups)
        return
    done
    fail "none of the users $* is there"
}

# Makes the folder, for the server's user, and prints its full name.
own_folder() {
    mkdir -p "$1"
    local folder
    folder=$(cd "$1" && pwd -P)
    [[ -z "$server_user" ]] || chown "$server_user" "$folder"
    "${as_server[@]}" test -w "$folder" || # false as well where a folder on the way is closed to it
        fail "user ${server_user:-$(id -un)} cannot reach $folder"
    echo "$folder"
}

# The servers whose command lines name a file below the folder: also when the folder is gone already.
servers_in() {
    local entry name
    # grep fails where a process ended meanwhile.
    { grep -lsaF -- "$1/" /proc/[0-9]*/cmdline || true; } | while read -r entry; do
        entry=${entry%/cmdline}
        read -r name 2>/dev/null <"$entry/comm" || continue
        case "$name" in
            ceph-mon | ceph-osd | radosgw | nginx | node | postgres | pgbouncer | python3) echo "${entry#/proc/}" ;;
            redis-server | redis-sentinel | valkey-server | valkey-sentinel) echo "${entry#/proc/}" ;;
        esac
    done
}

children_of() {
    { grep -lsxE "PPid:[[:space:]]$1" /proc/[0-9]*/status || true; } | tr -dc '0-9\n'
}

# Some may have ended in between.
signal() {
    local signal=$1 pid
    shift
    for pid; do kill "-$signal" "$pid" 2>/dev/null || true; done
}

# A zombie has ended: its parent may be slow to collect it.
runs() { grep -qsE '^State:[[:space:]][^ZX]' "/proc/$1/status"; }

# until_ended SECONDS PID...: false where one still runs.
until_ended() {
    local deadline=$((SECONDS + $1)) pid
    shift
    for pid; do
        while runs "$pid"; do
            ((SECONDS < deadline)) || return 1
            sleep 0.02
        done
    done
}

# until_true SECONDS WHAT COMMAND...
until_true() {
    local deadline=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < deadline)) || fail "$what"
        sleep 0.02
    done
}

# watch FOLDER PID [FOLDER]: the servers of this folder end when somebody else does; see watchdog.sh.
watch() {
    setsid "$here/watchdog.sh" "$@" </dev/null >/dev/null 2>&1 &
}

# act COUNT start [--owner PID] FOLDER..., act COUNT stop FOLDER: the commands of a script whose function start takes COUNT
# arguments and finds the owner in $owner.
act() {
    local count=$1 command=${2:-} owner=
    (($# >= 3)) || usage
    shift 2
    # shellcheck disable=SC2034
    [[ "$1" != --owner ]] || { owner=${2:-} && shift 2; }
    case "$command" in
        start)
            (($# == count)) || usage
            start "$@"
            ;;
        stop)
            (($# == 1)) || usage
            end_servers "$1"
            rm -rf "$1"
            ;;
        *) usage ;;
    esac
}

# web_server NAME FOLDER: what the start of a web server begins with. Sets folder.
web_server() {
    PATH=$PATH:/usr/sbin
    command -v "$1" >/dev/null || fail "$1 is missing: run script/bootstrap --engines"
    step_down www-data nobody
    folder=$(own_folder "$2")
}

# Of nginx.conf's http block: nothing is written outside the folder.
nginx_places() {
    local what
    echo "access_log off;"
    for what in client_body proxy fastcgi uwsgi scgi; do echo "    ${what}_temp_path $1/$what;"; done
}

# One process, which the folder in its command line tells from others.
run_nginx() {
    "${as_server[@]}" nginx -g "master_process off; pid $1/nginx.pid; error_log $1/error.log;" -e "$1/error.log" \
        -p "$1" -c "$1/nginx.conf" >/dev/null 2>&1
}

# A certificate for 127.0.0.1 and localhost (tls.crt, tls.key), who signed it (ca.crt), and a stranger (untrusted_ca.crt).
make_certificates() (
    umask 077
    cd "$1" || return
    key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
    for ca in ca untrusted_ca; do
        openssl req -x509 "${key[@]}" -days 30 -subj "/CN=Test $ca" -addext keyUsage=critical,keyCertSign,cRLSign \
            -keyout $ca.key -out $ca.crt
    done
    openssl req "${key[@]}" -subj /CN=localhost -keyout tls.key -out tls.csr
    openssl x509 -req -in tls.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 \
        -extfile <(echo "subjectAltName = IP:127.0.0.1, DNS:localhost") -out tls.crt
    rm -f ca.key untrusted_ca.key tls.csr ca.srl
    chmod 644 ca.crt untrusted_ca.crt tls.crt
    [[ -z "$server_user" ]] || chown "$server_user" tls.key
) 2>/dev/null

# Ends all servers below the folder, at once and without writing anything more, frozen ones as well. PostgreSQL gets
# the time to take its shared memory with it.
end_servers() {
    local pid pids all=()
    for pid in $(servers_in "$1"); do
        if [[ $(<"/proc/$pid/comm") == postgres ]]; then
            mapfile -t pids < <(children_of "$pid")
            signal CONT "$pid" "${pids[@]}"
            signal QUIT "$pid"
            all+=("$pid" "${pids[@]}")
        else
            signal KILL "$pid"
            all+=("$pid")
        fi
    done 2>/dev/null
    until_ended 10 "${all[@]}" || signal KILL "${all[@]}"
}
