#!/usr/bin/env bash
# What operators do with the container image: build it from the Debian package, start it, log in. Without namespaces, so
# that it works inside a container; the network is that of the machine.
#
#   tests/packages/container.sh PACKAGE     a consentry_*.deb; needs root
set -euo pipefail
package=$(realpath "$1")
release=${2:-bookworm}
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
[[ $(id -u) == 0 ]] || { echo "tests/packages: run this as root" >&2; exit 1; }

work=$(mktemp -d)
export BUILDAH_ISOLATION=chroot
service=
buildah() { command buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"; }
finish() {
    if [[ -n "$service" ]]; then pkill --signal KILL --exact consentry --pgroup "$service" 2>/dev/null || true; fi
    buildah rm --all >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap finish EXIT
step() { echo "--- $*"; }
fail() {
    [[ -s "$work/log" ]] && tail -n 30 "$work/log" >&2
    echo "tests/packages: $*" >&2
    exit 1
}

step "an image of a fresh $release"
mmdebstrap --variant=minbase --include=ca-certificates "$release" "$work/base.tar" ${MIRROR:+"$MIRROR"} >"$work/log" 2>&1 || fail "mmdebstrap failed"
base=$(buildah from scratch)
buildah add "$base" "$work/base.tar" >/dev/null
buildah commit --quiet "$base" localhost/debian >/dev/null
buildah rm "$base" >/dev/null

step "the image of the package"
mkdir "$work/context"
cp "$package" "$work/context"
buildah build --format docker --build-arg BASE=localhost/debian --file packaging/container/Containerfile --tag consentry "$work/context" \
    >"$work/log" 2>&1 || fail "the image cannot be built"
container=$(buildah from consentry)
root=$(buildah mount "$container")
echo "$(($(du --summarize --block-size=1M "$root" | cut -f1) - $(tar --list --verbose --file "$work/base.tar" | awk '{ sum += $3 } END { print int(sum / 1048576) }'))) MB beside Debian"
[[ $(buildah inspect --format '{{.OCIv1.Config.User}}' "$container") == consentry:consentry ]] || fail "it runs as root"
[[ $(buildah inspect --type image --format '{{.Docker.Config.Healthcheck}}' consentry) == *'consentry health'* ]] ||
    fail "it has no health check"

step "start, as the account of the image"
settings=(APP_ENV=staging PUBLIC_URL=https://login.example.org HTTP_PORT=38417)
while read -r line; do settings+=("$line"); done < <(buildah run "$container" -- consentry keys generate)
options=()
for one in "${settings[@]}"; do options+=(--env "$one"); done
in_image() { buildah run "${options[@]}" "$container" -- "$@"; }
touch "$work/before"
set -m
in_image consentry serve >"$work/log" 2>&1 &
service=$!
set +m
for ((i = 0; i < 300; ++i)); do
    in_image consentry health >/dev/null 2>&1 && break
    kill -0 "$service" 2>/dev/null || fail "the service ended"
    sleep 0.1
done
in_image consentry health >"$work/health" 2>&1 || fail "the service is not healthy: $(<"$work/health")"
echo Velvet-Harbor-42 | in_image consentry user create --email ada@example.org --role superAdmin >/dev/null
curl --silent http://localhost:38417/api/user/login/credential -H 'Content-Type: application/json' \
    -d '{"email":"ada@example.org","password":"Velvet-Harbor-42","from":"website"}' | grep -q '"accessToken"' || fail "no login"

step "it writes to its own folder only"
written=$(find "$root" -xdev -newer "$work/before" -type f ! -path "$root/var/lib/consentry/*" ! -path "$root/etc/hosts" \
    ! -path "$root/etc/resolv.conf" ! -path "$root/run/*")
[[ -z "$written" ]] || fail "it wrote to $written"

step "SIGTERM ends it"
pkill --signal TERM --exact consentry --pgroup "$service" || fail "the service has ended"
wait "$service" || fail "it ends with an error"
service=
echo "all is well"
