# shellcheck shell=bash
# Functions shared by the scripts of this folder. Sourced, not run. A test run starts these scripts a thousand times, so
# they use the shell's own words where there are some: each new process takes one to two milliseconds.

here=$(cd "${BASH_SOURCE[0]%/*}" && pwd -P)

fail() {
    echo "${0##*/}: $*" >&2
    exit 1
}

# Prints the comment at the head of the script, which is its manual.
usage() {
    sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
}

# Prints a port on which nobody listens, below the range that the system uses for outgoing connections. Adding the 10000
# of a Redis cluster bus keeps it below that range. If two callers get the same port, the second one fails to bind, and
# tries another.
free_port() {
    local port
    while port=$((12000 + SRANDOM % 10000)); (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
    echo "$port"
}

random_password() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

# Servers must not run as root: if the caller is root, sets as_server, the words before a command that run it as the
# first of these users that exists.
as_server=()
server_user=
step_down() {
    ((EUID == 0)) || return 0
    local name group
    for server_user; do
        while IFS=: read -r name _ _ group _; do
            [[ "$name" == "$server_user" ]] || continue
            as_server=(setpriv --reuid="$name" --regid="$group" --init-groups)
            return
        done </etc/passwd
    done
    fail "none of the users $* is there"
}

# Makes the folder and gives it to the user of the server. Prints its full name.
own_folder() {
    mkdir -p "$1"
    local folder
    folder=$(cd "$1" && pwd -P)
    [[ -z "$server_user" ]] || chown "$server_user" "$folder"
    "${as_server[@]}" test -w "$folder" || # also fails if a parent folder is closed to the user
        fail "user ${server_user:-$(id -un)} cannot reach $folder"
    echo "$folder"
}

# Prints the ids of the servers whose command lines name a file below the folder, even if the folder is gone.
servers_in() {
    local entry name
    # grep fails if a process has ended meanwhile.
    { grep -lsaF -- "$1/" /proc/[0-9]*/cmdline || true; } | while read -r entry; do
        entry=${entry%/cmdline}
        read -r name 2>/dev/null <"$entry/comm" || continue
        case "$name" in
            apache2 | caddy | ceph-mon | ceph-osd | haproxy | radosgw | nginx | node | postgres | pgbouncer | python3) echo "${entry#/proc/}" ;;
            redis-server | redis-sentinel | valkey-server | valkey-sentinel) echo "${entry#/proc/}" ;;
        esac
    done
}

# The one of servers_in that has started the others, if any runs. What was just forked, to serve a connection or to write
# a file, has the command line of its parent until it gives itself a name.
main_server_in() {
    local pid pids
    mapfile -t pids < <(servers_in "$1")
    for pid in "${pids[@]}"; do
        [[ " ${pids[*]} " == *" $(parent_of "$pid") "* ]] || echo "$pid"
    done
}

parent_of() { sed -n 's/^PPid:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null || true; }

children_of() {
    { grep -lsxE "PPid:[[:space:]]$1" /proc/[0-9]*/status || true; } | tr -dc '0-9\n'
}

# Ignores processes that have already ended.
signal() {
    local signal=$1 pid
    shift
    for pid; do kill "-$signal" "$pid" 2>/dev/null || true; done
}

# A zombie counts as ended, because its parent may be slow to collect it. So does a process that ends between the opening
# of the file and the reading, which then reads nothing. Reads the whole file: after a single line, `read` seeks back to
# its end, and if the process has just ended, that fails and the rest stays in the shell as input of the next `read`.
runs() {
    local status=
    { IFS= read -rd '' status <"/proc/$1/status"; } 2>/dev/null || true
    [[ "$status" == *$'\nState:\t'[!ZX]* ]]
}

# Waits this many seconds without a process of its own: many scripts wait at once, and new processes are what a small
# machine makes most slowly.
exec {silence}<> <(:)
pause() { read -rt "$1" -u "$silence" || true; }

# until_ended SECONDS PID...: fails if one of them still runs after that time.
until_ended() {
    local deadline=$((SECONDS + $1)) pid
    shift
    for pid; do
        while runs "$pid"; do
            ((SECONDS < deadline)) || return 1
            pause 0.05
        done
    done
}

# until_true SECONDS MESSAGE COMMAND...: ends the script with the message if the command does not succeed in time. Asks
# less often about what takes seconds, because each question costs processes.
until_true() {
    local begin=$SECONDS limit=$1 what=$2
    shift 2
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < begin + limit)) || fail "$what"
        if ((SECONDS < begin + 2)); then pause 0.05; else pause 0.25; fi
    done
}

# watch FOLDER PID [FOLDER]: ends the servers of this folder as watchdog.sh describes.
watch() {
    setsid "$here/watchdog.sh" "$@" </dev/null >/dev/null 2>&1 &
}

# act COUNT start [--owner PID] FOLDER..., act COUNT stop FOLDER: runs the command of a script whose function start
# takes COUNT arguments and finds the owner in $owner.
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

# web_server NAME FOLDER: the common start of all web servers. Sets folder.
web_server() {
    PATH=$PATH:/usr/sbin
    command -v "$1" >/dev/null || fail "$1 is missing: run script/bootstrap --engines"
    step_down www-data nobody
    folder=$(own_folder "$2")
}

# Prints settings for the http block of nginx.conf that keep all of nginx's files in the folder.
nginx_places() {
    local what
    echo "access_log off;"
    for what in client_body proxy fastcgi uwsgi scgi; do echo "    ${what}_temp_path $1/$what;"; done
}

# Runs nginx as one process, which the folder in its command line identifies.
run_nginx() {
    "${as_server[@]}" nginx -g "master_process off; pid $1/nginx.pid; error_log $1/error.log;" -e "$1/error.log" \
        -p "$1" -c "$1/nginx.conf" >/dev/null 2>&1
}

# Makes a certificate for 127.0.0.1 and localhost (tls.crt, tls.key), that of its issuer (ca.crt) and that of another
# issuer (untrusted_ca.crt).
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

# Ends all servers below the folder at once, including frozen ones, without letting them write anything more. Gives
# PostgreSQL the time to remove its shared memory.
end_servers() {
    local pid pids all=()
    for pid in $(servers_in "$1"); do
        if [[ $(<"/proc/$pid/comm") == postgres ]]; then
            mapfile -t pids < <(children_of "$pid")
            signal CONT "$pid" "${pids[@]}"
            signal QUIT "$pid"
            all+=("$pid" "${pids[@]}")
        elif [[ $(<"/proc/$pid/comm") == nginx ]]; then
            # The command lines of its workers name no folder.
            mapfile -t pids < <(children_of "$pid")
            signal KILL "$pid" "${pids[@]}"
            all+=("$pid" "${pids[@]}")
        else
            signal KILL "$pid"
            all+=("$pid")
        fi
    done 2>/dev/null
    until_ended 10 "${all[@]}" || signal KILL "${all[@]}"
}

# npm_modules NAME FOLDER: prints where the packages of FOLDER/package-lock.json are. Each state of that file has its
# own folder, so branches do not disturb each other.
npm_modules() {
    echo "${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/consentry/$1-$(sha256sum "$2/package-lock.json" | cut -c1-16)"
}

# has_node: whether the machine has a Node that the npm packages of the tests support. Debian 12 has version 18.
has_node() {
    [[ "$(node --version 2>/dev/null)" =~ ^v([0-9]+)\. ]] && ((BASH_REMATCH[1] >= 20))
}

# use_node: makes `node` one that they support: the machine's, or else the one that comes with them.
use_node() {
    local folder
    ! has_node || return 0
    for folder in "$(npm_modules node "$here/node")"/node_modules/node-linux-*/bin; do
        PATH=$folder:$PATH
    done
    has_node || fail "node is missing or older than version 20: run script/bootstrap --engines"
}

# install_npm_modules NAME FOLDER: downloads them there, and Node if the machine's is too old.
install_npm_modules() {
    local modules fresh
    [[ "$1" == node ]] || has_node || install_npm_modules node "$here/node"
    modules=$(npm_modules "$1" "$2")
    [[ ! -d "$modules" ]] || return 0
    command -v npm >/dev/null || fail "npm is missing: run script/bootstrap --engines"
    mkdir -p "${modules%/*}"
    fresh=$(mktemp -d "$modules.XXXXXX")
    cp "$2"/package{,-lock}.json "$fresh"
    # The packages' own install scripts are not needed.
    if ! (cd "$fresh" && npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1); then
        tail -n 5 "$fresh/npm.log" >&2
        rm -rf "$fresh"
        fail "npm ci failed; its last words stand above"
    fi
    mv -T "$fresh" "$modules" 2>/dev/null || rm -rf "$fresh"  # another process was faster
}

# chromium_program: prints Chromium's program. The one without windows takes half the time.
chromium_program() {
    command -v chromium-headless-shell || command -v chromium ||
        fail "chromium-headless-shell is missing: run script/bootstrap --engines"
}
