#!/usr/bin/env bash
# Compares the portable archive with its checksums and its bill of materials, starts it in a fresh Debian that has none of
# its libraries, and logs in. Then moves the certificates of authorities to where Fedora keeps them, and connects with TLS.
#
#   tests/packages/portable.sh ARCHIVE [RELEASE...]     default: bookworm trixie; needs root, for chroot
#   MIRROR='deb URL noble main' KEYRING=FILE tests/packages/portable.sh ARCHIVE noble     Ubuntu 24.04; FILE is
#                                                       ubuntu-archive-keyring.gpg of its package ubuntu-keyring
set -euo pipefail
tests=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
archive=$(realpath "$1")
shift
(($#)) || set -- bookworm trixie
[[ $(id -u) == 0 ]] || { echo "tests/packages: run this as root" >&2; exit 1; }

work=$(mktemp -d)
service='' provider=''
finish() {
    local process
    for process in $service $provider; do
        kill -KILL "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true  # it keeps /proc busy until it has ended
    done
    umount "$work"/*/proc 2>/dev/null || true
    rm -rf --one-file-system "$work"
}
trap finish EXIT
fail() {
    [[ -s "$work/log" ]] && tail -n 30 "$work/log" >&2
    echo "tests/packages: $*" >&2
    exit 1
}

try() { # RELEASE
    local root=$work/$1 program settings=(HTTP_PORT=38418 APP_ENV=staging PUBLIC_URL=https://login.example.org)
    mmdebstrap --variant=minbase --include=ca-certificates,tzdata ${KEYRING:+--keyring="$KEYRING"} "$1" "$root" \
        ${MIRROR:+"$MIRROR"} >"$work/log" 2>&1 ||
        fail "mmdebstrap failed"
    mount -t proc proc "$root/proc"  # the loader finds the program's folder there
    tar --extract --file "$archive" --directory "$root/opt"
    program=$(cd "$root" && echo opt/consentry-*/bin/consentry)
    local -a clean=(chroot "$root" env -i -C /srv PATH=/usr/bin:/bin)
    inside() { "${clean[@]}" "${settings[@]}" "/$program" "$@"; }
    inside --version >"$work/log" 2>&1 || fail "$1: the program does not run"
    while read -r line; do settings+=("$line"); done < <(inside keys generate 2>/dev/null)
    "${clean[@]}" "${settings[@]}" "/$program" serve >"$work/log" 2>&1 &
    service=$!
    for ((i = 0; i < 100; ++i)); do
        inside health >/dev/null 2>&1 && break
        sleep 0.1
    done
    echo Velvet-Harbor-42 | inside user create --email ada@example.org --role superAdmin >/dev/null
    curl --silent http://localhost:38418/api/user/login/credential -H 'Content-Type: application/json' \
        -d '{"email":"ada@example.org","password":"Velvet-Harbor-42","from":"website"}' | grep -q '"accessToken"' ||
        fail "$1: no login"
    # Fedora keeps the certificates of authorities elsewhere, and the folder of Debian's OpenSSL is missing there.
    curl --silent --fail --output "$work/provider/keys" http://localhost:38418/.well-known/jwks.json ||
        fail "$1: no public keys"
    rm -r "$root/etc/ssl" "$root/usr/lib/ssl"
    install -D "$work/provider/tls.crt" "$root/etc/pki/tls/certs/ca-bundle.crt"
    settings+=(AUTH_SOCIAL_GOOGLE_CLIENT_ID=tests AUTH_SOCIAL_GOOGLE_JWKS_URI=https://localhost:38419/keys)
    inside doctor --json >"$work/found" 2>"$work/log" || true
    [[ $(jq --raw-output '.[] | select(.subject == "login with Google").severity' "$work/found") == ok ]] ||
        fail "$1: it does not trust the system's authorities: $(<"$work/found")"
    # What answers there is no Redis, but its certificate is fine.
    settings+=(CACHE_URL=rediss://localhost:38419)
    if inside doctor >"$work/found" 2>&1; then fail "$1: it takes a web server for Redis"; fi
    if grep -i certificate "$work/found" >"$work/log"; then fail "$1: Redis with TLS does not trust the authorities"; fi
    settings+=(CACHE_URL=memory:)
    # libpq and libcurl are loaded when they are needed.
    if DATABASE_URL=postgresql://nobody@127.0.0.1:1/none && settings+=("DATABASE_URL=$DATABASE_URL") &&
        inside migrate >"$work/refused" 2>&1; then fail "$1: it migrates a database that does not exist"; fi
    grep -qi 'refused' "$work/refused" || fail "$1: libpq does not load: $(<"$work/refused")"
    kill "$service"
    wait "$service" || fail "$1: it ends with an error"
    service=
    echo "$1: all is well"
}

# Every file has its checksum, and every library is in the bill of materials. The C library in it is that of the system.
examine() {
    local place bill
    mkdir "$work/archive"
    tar --extract --file "$archive" --directory "$work/archive"
    place=$(echo "$work"/archive/consentry-*)
    (cd "$place" && sha256sum --check --strict --quiet SHA256SUMS) || fail "a file differs from its checksum"
    diff <(cd "$place" && find . -type f ! -name SHA256SUMS -printf '%P\n' | sort) <(sed 's/^[0-9a-f]*  //' "$place/SHA256SUMS" | sort) ||
        fail "SHA256SUMS and the archive name different files"
    "$tests/hardening.sh" "$place/bin/consentry"
    bill=$place/share/consentry/consentry.cdx.json
    [[ $(jq --raw-output '.bomFormat + " " + .metadata.component.version' "$bill") == "CycloneDX $(basename "$place" | cut -d- -f2)" ]] ||
        fail "the bill of materials is that of another program"
    diff <(cd "$place/lib" && printf '%s\n' * | sort) <(jq --raw-output '.components[] | select(.name != "libc6").properties[] |
        select(.name == "consentry:file").value' "$bill" | sort) || fail "the bill of materials and lib name different libraries"
}

# Serves the keys of an identity provider under a certificate of its own.
start_provider() {
    mkdir "$work/provider"
    cd "$work/provider"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost -keyout tls.key -out tls.crt 2>"$work/log" || fail "no certificate"
    openssl s_server -accept 127.0.0.1:38419 -cert tls.crt -key tls.key -WWW -quiet >"$work/log" 2>&1 &
    provider=$!
    cd - >/dev/null
    for ((i = 0; i < 100; ++i)); do
        curl --silent --cacert "$work/provider/tls.crt" --output /dev/null https://localhost:38419/tls.crt && return
        sleep 0.1
    done
    fail "the provider does not start"
}

examine
start_provider
for release in "$@"; do try "$release"; done
