#!/usr/bin/env bash
# Throw-away Redis servers on 127.0.0.1 that keep everything below one folder. Several sets may run side by side.
#
#   redis.sh start [options] FOLDER       starts new servers
#       --kind single
#              sentinel                   a master (0), its replicas (1, 2) and their sentinels (3 to 5), name "app"
#              cluster                    three masters (0 to 2) and a replica of each (3 to 5)
#       --port PORT                       the first of consecutive ports; by default free ports, which are printed
#       --user NAME                       an ACL user on every node, also between nodes; switches the default user off
#       --tls                             TLS only; makes ca.crt and untrusted_ca.crt in FOLDER for clients
#       --setting "NAME VALUE"            for redis.conf of each server that holds data; may be repeated
#       --owner PID                       the servers end with this process
#   redis.sh stop|kill|pause|resume FOLDER [NODE...]   stops, kills (SIGKILL), freezes or resumes nodes (or all)
#   redis.sh start FOLDER [NODE...]       restarts nodes that were stopped or killed, with their data and ports
#   redis.sh stop --remove FOLDER         ends all servers at once and removes the folder
#   redis.sh command FOLDER NODE WORD...  prints what redis-cli prints
#
# `start` prints NAME=value lines. The append-only file is on (fsync every second). If started by root, the servers run
# as user redis or nobody. REDIS_BIN=valkey uses Valkey instead.
#
# Debian packages: redis-server redis-tools redis-sentinel
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "${BASH_SOURCE[0]%/*}/lib.sh"

bin=${REDIS_BIN:-redis}
kind=single port='' user='' tls='' settings=() owner='' remove=''
command=${1:-}
(($# >= 2)) || usage
shift
while [[ "${1:-}" == --* ]]; do
    case "$1" in
        --tls | --remove) declare "${1#--}=yes" ;;
        --setting) settings+=("$2") && shift ;;
        --kind | --port | --user | --owner) declare "${1#--}=$2" && shift ;;
        *) usage ;;
    esac
    shift
done
(($# >= 1)) || usage
case "$kind" in
    single) last=0 ;;
    sentinel | cluster) last=5 ;;
    *) usage ;;
esac
step_down redis valkey nobody

patience=60
cli() {
    local words=(timeout "$patience" "$bin-cli" -h 127.0.0.1 -p "$(<"$folder/$1/port")")
    shift
    [[ ! -e "$folder/ca.crt" ]] || words+=(--tls --cacert "$folder/ca.crt")
    if [[ -e "$folder/user" ]]; then
        REDISCLI_AUTH=$(<"$folder/password") "${words[@]}" --user "$(<"$folder/user")" --no-auth-warning "$@"
    else
        "${words[@]}" "$@"
    fi
}

# Prints the settings that servers and sentinels share. The process title names the folder, for servers_in().
common_settings() {
    local at=$folder/$1 port
    port=$(<"$at/port")
    if [[ -n "$tls" ]]; then
        cat <<TEXT
port 0
tls-port $port
tls-replication yes
tls-ca-cert-file $folder/ca.crt
tls-cert-file $folder/tls.crt
tls-key-file $folder/tls.key
tls-auth-clients no
TEXT
    else
        echo "port $port"
    fi
    cat <<TEXT
bind 127.0.0.1
daemonize yes
dir $at
pidfile $at/pid
logfile $at/log
proc-title-template "{title} {config-file}"
TEXT
    [[ -z "$user" ]] || echo "user $user on >$password ~* &* +@all"
    [[ -z "$user" || "$user" == default ]] || echo "user default off"
}

data_settings() {
    common_settings "$1"
    printf '%s\n' "appendonly yes" "appendfsync everysec" 'save ""' "repl-diskless-sync-delay 0" \
        "enable-debug-command local"
    [[ -z "$user" ]] || printf '%s\n' "masteruser $user" "masterauth $password"
    case "$kind" in
        sentinel) (($1 == 0)) || echo "replicaof 127.0.0.1 $(<"$folder/0/port")" ;;
        cluster)
            printf '%s\n' "cluster-enabled yes" "cluster-config-file nodes.conf" "cluster-node-timeout 2000" \
                "cluster-announce-ip 127.0.0.1"
            [[ -z "$tls" ]] || echo "tls-cluster yes"
            ;;
    esac
    ((${#settings[@]} == 0)) || printf '%s\n' "${settings[@]}"
}

sentinel_settings() {
    common_settings "$1"
    printf '%s\n' "sentinel monitor app 127.0.0.1 $(<"$folder/0/port") 2" "sentinel down-after-milliseconds app 1000" \
        "sentinel failover-timeout app 5000" "sentinel parallel-syncs app 2"
    [[ -z "$user" ]] || printf '%s\n' "sentinel auth-user app $user" "sentinel auth-pass app $password" \
        "sentinel sentinel-user $user" "sentinel sentinel-pass $password"
}

is_sentinel() { [[ "$kind" == sentinel ]] && (($1 >= 3)); }

write_settings() {
    local node
    for ((node = 0; node <= last; ++node)); do
        rm -rf "${folder:?}/$node"
        mkdir "$folder/$node"
        if [[ -n "$port" ]]; then echo $((port + node)); else free_port; fi >"$folder/$node/port"
    done
    for ((node = 0; node <= last; ++node)); do
        (umask 077 && if is_sentinel $node; then sentinel_settings $node; else data_settings $node; fi \
            >"$folder/$node/conf")
        [[ -z "$server_user" ]] || chown -R "$server_user" "$folder/$node"
    done
}

# Succeeds if this node answers, rather than another server that took its port first.
answers() {
    [[ -e "$folder/$1/pid" && "$(cli "$1" info server)" == *$'\nprocess_id:'"$(<"$folder/$1/pid")"$'\r'* ]]
}
answers_or_failed() { answers "$1" || grep -qsE "Failed listening|Fatal|aborting" "$folder/$1/log"; }

# Fails if one of the nodes could not start.
run_nodes() {
    local node program
    for node; do
        if is_sentinel "$node"; then program=$bin-sentinel; else program=$bin-server; fi
        rm -f "$folder/$node/log"
        # Changes the folder, because the server's user may not have access to that of the caller.
        (cd "$folder" && "${as_server[@]}" "$program" "$folder/$node/conf" >/dev/null) || return 1
    done
    for node; do
        until_true 20 "node $node does not answer: $(tail -n 3 "$folder/$node/log")" answers_or_failed "$node"
        answers "$node" || return 1
    done
}

start_new() {
    if [[ -n "$user" ]]; then
        password=$(random_password)
        (umask 077 && echo "$user" >"$folder/user" && echo "$password" >"$folder/password")
    fi
    [[ -z "$tls" ]] || make_certificates "$folder"
    local attempt node nodes=()
    for ((node = 0; node <= last; ++node)); do nodes+=("$node"); done
    for ((attempt = 1; ; ++attempt)); do
        write_settings
        if run_nodes "${nodes[@]}"; then break; fi
        if [[ -n "$port" ]] || ((attempt == 10)) || ! grep -qs "Address already in use" "$folder"/*/log; then
            fail "$(tail -n 5 "$folder"/*/log)"
        fi
        end_servers "$folder"
    done
    if [[ "$kind" == cluster ]]; then
        local addresses=()
        for node in "${nodes[@]}"; do addresses+=("127.0.0.1:$(<"$folder/$node/port")"); done
        cli 0 --cluster create "${addresses[@]}" --cluster-replicas 1 --cluster-yes >"$folder/create.log" 2>&1 ||
            fail "$(cat "$folder/create.log")"
    fi
    echo "$kind" >"$folder/kind"  # from now on, start resumes these servers
}

replicates() { [[ "$(cli "$1" info replication)" == *master_link_status:up* ]]; }
cluster_agrees() {
    [[ "$(cli "$1" cluster info)" == *cluster_state:ok* && "$(cli "$1" cluster nodes)" == *slave*slave*slave* ]]
}
sentinels_agree() {
    [[ "$(cli "$1" sentinel ckquorum app)" == "OK 3 usable"* ]] &&
        [[ "$(cli "$1" sentinel master app)" == *$'\nnum-slaves\n2\n'* ]]
}
until_they_agree() {
    local node
    case "$kind" in
        cluster) for node in 0 1 2 3 4 5; do until_true 30 "no cluster on node $node" cluster_agrees $node; done ;;
        sentinel)
            for node in 1 2; do until_true 30 "node $node has no master" replicates $node; done
            for node in 3 4 5; do until_true 30 "sentinel $node is alone" sentinels_agree $node; done
            ;;
    esac
}

addresses() {
    local node separator=''
    for node; do
        printf '%s127.0.0.1:%s' "$separator" "$(<"$folder/$node/port")"
        separator=,
    done
}

print_values() {
    local url=redis parameters=''
    if [[ -n "$tls" ]]; then
        url=rediss
        parameters="?ca_file=$folder/ca.crt"
    fi
    [[ "$kind" == single ]] || url+="+$kind"
    url+=://
    [[ -z "$user" ]] || url+="$user:$password@"
    case "$kind" in
        single) url+=$(addresses 0) ;;
        sentinel) url+=$(addresses 3 4 5)/app ;;
        cluster) url+=$(addresses 0 1 2 3 4 5) ;;
    esac
    echo "REDIS_URL=$url$parameters"
    echo "REDIS_PORTS=$(cat "$folder"/?/port | tr '\n' ' ')"
    echo "REDIS_PASSWORD=${password:-}"
}

if [[ "$command" == start && ! -e "$1/kind" ]]; then
    folder=$(own_folder "$1")
    [[ -z "$owner" ]] || watch "$folder" "$owner"
    start_new
    until_they_agree
    print_values
    exit
fi
if [[ ! -d "$1" ]]; then
    [[ "$command" != stop ]] || exit 0
    fail "there is no $1"
fi
folder=$(cd "$1" && pwd -P)
shift
if [[ "$command" == stop && -n "$remove" ]]; then
    end_servers "$folder"
    rm -rf "$folder"
    exit
fi

kind=$(<"$folder/kind")
if [[ "$command" == command ]]; then
    patience=5 # a frozen node does not answer
    cli "$@"
    exit
fi
nodes=("$@")
(($#)) || for node in "$folder"/?; do nodes+=("${node##*/}"); done
servers=()
for node in "${nodes[@]}"; do
    [[ -d "$folder/$node" ]] || fail "there is no node $node"
    pid=$(main_server_in "$folder/$node")
    if [[ "$command" == start ]]; then
        [[ -z "$pid" ]] || fail "node $node runs"
    else
        [[ -n "$pid" ]] || fail "node $node does not run"
        servers+=("$pid")
    fi
done
case "$command" in
    start) run_nodes "${nodes[@]}" || fail "$(tail -n 5 "$folder"/?/log)" ;;
    pause) signal STOP "${servers[@]}" ;;
    resume) signal CONT "${servers[@]}" ;;
    kill)
        signal KILL "${servers[@]}"
        until_ended 10 "${servers[@]}" || fail "a server does not end"
        ;;
    stop)
        signal TERM "${servers[@]}"
        until_ended 20 "${servers[@]}" || fail "a server does not end"
        ;;
    *) usage ;;
esac
