#!/usr/bin/env bash
# A throw-away S3 server on 127.0.0.1 with a private bucket "drafts" and a public one "published".
#
#   s3.sh start [--owner PID] FOLDER rgw|swift   prints S3_PORT, S3_KEY, S3_SECRET, S3_REGION as NAME=value; ends with
#                                                the process PID
#       rgw    Ceph's gateway, data in memory; also prints S3_TLS_PORT, S3_CA, S3_UNTRUSTED_CA. Accepts any region
#       swift  OpenStack Swift; see swift_s3.py. Accepts only its own region
#   s3.sh stop FOLDER                            ends the server and removes the folder
#
# The server finds buckets by path and, under names that end with .localhost, by host. If started by root, it runs as
# user www-data or nobody.
# Debian packages: radosgw ceph-mon ceph-osd, python3-swift, curl
set -euo pipefail
# shellcheck source-path=SCRIPTDIR
source "${BASH_SOURCE[0]%/*}/lib.sh"

region=eu-test-1
python=/usr/bin/python3 # the interpreter that Debian's packages are for
export CEPH_ARGS=       # ignores other clusters

# One monitor, one store and one gateway. Most settings make them start within a second: the monitor does not batch its
# proposals, and each pool has a single placement group.
ceph_settings() {
    local classes=(/usr/lib/*/rados-classes) # Debian 13's gateway does not look there by itself
    cat <<TEXT
[global]
fsid = $fsid
mon host = v2:127.0.0.1:$1/0
mon initial members = a
public addr = 127.0.0.1
ms bind ipv6 = false
ms bind msgr1 = false
run dir = $folder
admin socket = $folder/\$name.asok
pid file = $folder/\$name.pid
log file = $folder/\$name.log
err to stderr = false
log to stderr = false
keyring = $folder/keyring
mon data = $folder/mon
osd data = $folder/osd
rgw data = $folder/rgw
mon data avail crit = 1
mon data avail warn = 2
mon allow pool size one = true
mon max pg per osd = 1000
mon tick interval = 1
paxos propose interval = 0.01
paxos min wait = 0.005
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 1073741824
osd memory target = 939524096
osd class dir = ${classes[0]}
osd class load list = *
osd class default list = *
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:$2 ssl_endpoint=127.0.0.1:$3 ssl_certificate=$folder/tls.pem tcp_nodelay=1
rgw dns name = localhost
rgw thread pool size = 64
rgw num rados handles = 1
rgw dynamic resharding = false
rgw override bucket index max shards = 1
rgw num control oids = 1
rgw gc max objs = 1
rgw lc max objs = 1
rgw usage max shards = 1
rgw run sync thread = false
TEXT
}

ceph_program() { # NAME WORD...
    local name=$1
    shift
    "${as_server[@]}" "$name" -c "$folder/conf" "$@" >>"$folder/output" 2>&1
}

# Fails if another process has taken one of the ports meanwhile.
run_ceph() {
    local ring=("${as_server[@]}" ceph-authtool "$folder/keyring") monitor
    rm -rf "$folder"/{mon,osd,rgw,keyring,monmap}
    "${as_server[@]}" mkdir "$folder"/{mon,osd,rgw}
    monitor=$(free_port) port=$(free_port) tls_port=$(free_port)
    ceph_settings "$monitor" "$port" "$tls_port" >"$folder/conf"
    {
        "${ring[@]}" --create-keyring --gen-key -n mon. --cap mon 'allow *'
        "${ring[@]}" --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *'
        "${ring[@]}" --gen-key -n client.rgw --cap mon 'allow *' --cap osd 'allow *'
        "${as_server[@]}" ceph-authtool --create-keyring "$folder/osd/keyring" --gen-key -n osd.0
        "${as_server[@]}" monmaptool --create --fsid "$fsid" --addv a "[v2:127.0.0.1:$monitor]" "$folder/monmap"
    } >>"$folder/output" 2>&1
    ceph_program ceph-mon -i a --mkfs --monmap "$folder/monmap" --keyring "$folder/keyring" || return
    ceph_program ceph-mon -i a || return
    ceph_program ceph auth add osd.0 mon 'allow profile osd' osd 'allow *' -i "$folder/osd/keyring" || return
    ceph_program ceph osd new "$osd" || return
    ceph_program ceph-osd -i 0 --osd-uuid "$osd" --mkfs --keyring "$folder/osd/keyring" || return
    ceph_program ceph-osd -i 0 --keyring "$folder/osd/keyring" || return
    ceph_program radosgw -n client.rgw || return
    answers_within_10_s
}

start_rgw() {
    local name fsid osd attempt
    for name in ceph-mon ceph-osd radosgw radosgw-admin; do
        command -v "$name" >/dev/null || fail "$name is missing: run script/bootstrap --engines"
    done
    fsid=$(</proc/sys/kernel/random/uuid) osd=$(</proc/sys/kernel/random/uuid)
    make_certificates "$folder"
    (umask 077 && cat "$folder/tls.crt" "$folder/tls.key" >"$folder/tls.pem")
    [[ -z "$server_user" ]] || chown "$server_user" "$folder/tls.pem"
    for ((attempt = 1; ; ++attempt)); do
        if run_ceph; then break; fi
        ((attempt < 3)) || fail "Ceph does not start: $(tail -qn 5 "$folder"/output "$folder"/*.log)"
        end_servers "$folder"
    done
    ceph_program radosgw-admin user create --uid=tests --display-name=Tests --access-key="$access_key" --secret-key="$secret"
    printf '%s\n' "S3_TLS_PORT=$tls_port" "S3_CA=$folder/ca.crt" "S3_UNTRUSTED_CA=$folder/untrusted_ca.crt"
}

start_swift() {
    "$python" -c 'import swift' 2>/dev/null || fail "python3-swift is missing: run script/bootstrap --engines"
    cp "$here/swift_s3.py" "$folder" # where the server's user can read it
    chmod 644 "$folder/swift_s3.py"
    local attempt
    for ((attempt = 1; ; ++attempt)); do
        port=$(free_port)
        S3_SECRET=$secret setsid "${as_server[@]}" "$python" -W ignore "$folder/swift_s3.py" "$folder" "$port" "$access_key" \
            "$region" </dev/null >>"$folder/output" 2>&1 &
        server=$!
        if answers_within_10_s; then break; fi
        ((attempt < 3)) || fail "Swift does not start: $(tail -n 5 "$folder/output")"
        end_servers "$folder"
    done
}

server= # process id of the server if it is a child of this script
answers_within_10_s() {
    local deadline=$((SECONDS + 10))
    until curl -s -o "$folder/answer" --max-time 5 "http://127.0.0.1:$port/"; do
        [[ -z "$server" ]] || runs "$server" || return 1
        ((SECONDS < deadline)) || return 1
        sleep 0.05
    done
}

# signed BODY WORD... PATH: sends a signed PUT. curl 7.88 does not add the digest of the body by itself.
signed() {
    local body=$1 code
    shift
    code=$(curl -s -o "$folder/answer" -w '%{http_code}' --config - --aws-sigv4 "aws:amz:$region:s3" --data-binary "$body" \
        -H "x-amz-content-sha256: $(printf %s "$body" | sha256sum | cut -d' ' -f1)" -H "content-type: text/plain" \
        -X PUT "${@:1:$#-1}" "http://127.0.0.1:$port/${!#}" <<<"user = \"$access_key:$secret\"")
    [[ "$code" == 2* ]] || fail "${!#}: $code $(cat "$folder/answer")"
}

start() {
    step_down www-data nobody
    folder=$(own_folder "$1")
    watch "$folder" "$owner"
    access_key=$(random_password) secret=$(random_password)
    access_key=TESTS${access_key^^}
    case "$2" in
        rgw) start_rgw ;;
        swift) start_swift ;;
        *) usage ;;
    esac
    signed '' drafts
    signed '' published
    # Swift has no bucket policies. The gateway's access lists, like those of Amazon, open the list of a bucket but not
    # its files.
    if [[ "$2" == rgw ]]; then
        signed '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::published/*"}]}' \
            'published?policy='
    else
        signed '' -H 'x-amz-acl: public-read' 'published?acl='
    fi
    printf '%s\n' "S3_PORT=$port" "S3_KEY=$access_key" "S3_SECRET=$secret" "S3_REGION=$region"
}

act 2 "$@"
